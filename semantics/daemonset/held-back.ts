import type { Action } from '../decision.ts';
import { revisionOf, stableRevision } from '../revision/revision.ts';
import { annotateRevision } from '../revision/writes.ts';
import { readCounter } from '../values/counter.ts';
import { partitionCount } from './partition.ts';
import type { DaemonSetView, Host } from './view.ts';

/** Annotation of a revision: how many nodes a partition kept without a pod while the revision was stable and in git. */
export const HELD_BACK_ANNOTATION = 'plan.kruise.io/without-pod';

/**
 * Records on the stable revision, as long as it is in git and all pods are where they are to stay, how many nodes the partition keeps
 * without a pod (OpenKruise advanced-daemonset, rule 6.4, partitionedScaling). A later commit changes the manifest, and must not bring
 * the pods of the stable revision to these nodes.
 */
export function recordHeldBack(view: DaemonSetView): Action[] {
  const stable = stableRevision(view);
  if (stable === undefined || stable.hash !== view.liveHash) return [];
  const present = heldBackAt(view, stable.hash);
  if (present === 0 && !view.spec.partitionedScaling) return [];
  const settled = [stable.hash, stable.retained?.hash];
  if (view.hosts.some(({ pods }) => pods.some((pod) => !settled.includes(view.hashOf(pod))))) return [];
  const n = waitingNow(view);
  if (n === present) return [];
  const text = n === 0 ? null : String(n);
  return [
    annotateRevision(
      stable,
      'record nodes',
      { [HELD_BACK_ANNOTATION]: text },
      'the partition limits creation',
    ),
  ];
}

/** How many nodes wait for their pod now, as the partition of the manifest lets no further one be created. */
function waitingNow({ spec, hosts, units, liveHash, eligibility }: DaemonSetView): number {
  if (!spec.partitionedScaling) return 0;
  const isWaiting = ({ node, pods }: Host): boolean =>
    pods.length === 0 && eligibility(liveHash, node).shouldRun;
  const empty = hosts.filter(isWaiting).length;
  const partition = partitionCount(spec.partition, units);
  return Math.max(Math.min(partition, empty), 0);
}

/**
 * How many nodes stay without a pod of a revision: as many as when it was last stable and in git.
 *
 * Example: a new DaemonSet with `partition: 9` and partitionedScaling, on ten nodes: one has a pod. A commit changes the template. Nine
 * nodes still get no pod, until a step gives them one at the new revision.
 */
export function heldBackAt(view: DaemonSetView, hash: string): number {
  const { annotations = {} } = revisionOf(view, hash)?.object.metadata ?? {};
  return Math.min(readCounter(annotations[HELD_BACK_ANNOTATION]) ?? 0, view.units);
}
