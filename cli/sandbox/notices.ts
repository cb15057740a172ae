import type { Commit } from '../../sandbox/store/history.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';

/** Kinds whose pods another controller creates. The sandbox does not have these controllers. */
const WITHOUT_CONTROLLER = new Set(['statefulsets.apps', 'daemonsets.apps', 'replicationcontrollers']);
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
 * and why; or nothing creates pods of a kind (once per kind). Undefined for most commits.
 */
export function createNotices(): (commit: Commit) => string | undefined {
  const reported = new Set<string>();
  return ({ type, resource, object, previous }) => {
    if (type === 'ADDED' && WITHOUT_CONTROLLER.has(resource) && !reported.has(resource)) {
      reported.add(resource);
      return `a ${object.kind} is stored, but no controller creates pods for it`;
    }
    if (type === 'DELETED') return undefined;
    const [held, before] = [heldOf(object), heldOf(previous)];
    if (held !== undefined && (held.reason !== before?.reason || held.message !== before.message))
      return `held: ${held.reason}: ${held.message}`;
    return held === undefined && before !== undefined ? 'no longer held' : undefined;
  };
}
