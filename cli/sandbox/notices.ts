import type { Commit } from 'kruise-sandbox';
import type { KubeObject } from '../../schemas/wire/object.ts';

/** A kind whose pods another controller creates, which the sandbox does not have. */
const WITHOUT_CONTROLLER = 'replicationcontrollers';
const HELD = 'plan.kruise.io/Held';

interface HeldCondition {
  reason: string;
  message: string;
}

function heldOf(object: KubeObject | undefined): HeldCondition | undefined {
  const status = object?.['status'] as { conditions?: unknown } | undefined;
  const conditions = Array.isArray(status?.conditions)
    ? (status.conditions as Record<string, unknown>[])
    : [];
  const held = conditions.find((condition) => condition['type'] === HELD && condition['status'] === 'True');
  return held === undefined
    ? undefined
    : { reason: String(held['reason']), message: String(held['message']) };
}

/**
 * Returns a function that gives a message for the user about a commit, beyond the actions of the runtime: a target is held,
 * and why; or nothing creates pods of a kind (once). Undefined for most commits.
 */
export function createNotices(): (commit: Commit) => string | undefined {
  let reported = false;
  return ({ type, resource, object, previous }) => {
    if (type === 'ADDED' && resource === WITHOUT_CONTROLLER && !reported) {
      reported = true;
      return `a ${object.kind} is stored, but no controller creates pods for it`;
    }
    if (type === 'DELETED') return undefined;
    const [held, before] = [heldOf(object), heldOf(previous)];
    if (held !== undefined && (held.reason !== before?.reason || held.message !== before.message))
      return `held: ${held.reason}: ${held.message}`;
    return held === undefined && before !== undefined ? 'no longer held' : undefined;
  };
}
