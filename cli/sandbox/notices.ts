import type { Commit } from '../../sandbox/store/history.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';

/** Kinds whose pods another controller would make, and none of those is here. */
const KEPT_ONLY = new Set([
  'deployments.apps',
  'replicasets.apps',
  'statefulsets.apps',
  'daemonsets.apps',
  'jobs.batch',
  'cronjobs.batch',
  'replicationcontrollers',
]);
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
 * What a person who watches should hear of a commit besides what the runtime does: that a target is held, and why; that
 * nothing makes pods of a kind (once a kind). Undefined for most.
 */
export function createNotices(): (commit: Commit) => string | undefined {
  const told = new Set<string>();
  return ({ type, resource, object, previous }) => {
    if (type === 'ADDED' && KEPT_ONLY.has(resource) && !told.has(resource)) {
      told.add(resource);
      return `a ${object.kind} is stored, but no controller creates pods for it`;
    }
    if (type === 'DELETED') return undefined;
    const [held, before] = [heldOf(object), heldOf(previous)];
    if (held !== undefined && (held.reason !== before?.reason || held.message !== before.message))
      return `held: ${held.reason}: ${held.message}`;
    return held === undefined && before !== undefined ? 'no longer held' : undefined;
  };
}
