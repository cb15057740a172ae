import type { CreateAction } from '../decision.ts';
import { withResourceVersion } from '../pod/in-place.ts';
import { earliestOf } from '../pod/next-change.ts';
import {
  barrierPriorities,
  lackOfBarrier,
  LAUNCHED_ANNOTATION,
  unreadyPriorities,
  releasedPriority,
  RELEASED_ANNOTATION,
  isLaunching,
} from '../pod/launching.ts';
import type { Pod } from '../pod/types.ts';
import { timeOf, timestamp } from '../values/timestamp.ts';
import { barrierOf } from './barrier.ts';

/** When the ConfigMap of a pod was written last. */
export const RELEASED_AT_ANNOTATION = 'plan.kruise.io/launch-released';
/**
 * How long the status of a pod may show a lack that is mended, milliseconds: until its kubelet has tried again. Where the
 * kubelet never does, as on a lost node, its ConfigMap is read once in this time.
 */
const TRIED_AGAIN_MS = 60_000;

/**
 * The writes that let the next containers of pods start (OpenKruise container-launch-priority, rule 6b): those of a priority once
 * all containers of higher priorities are ready at this moment, or have ended well and for good. First the key is written, then
 * the pod has it on record; the write of the pod makes its kubelet try again at once. Both may be repeated: after a crash nothing
 * is lost. What somebody has deleted of a ConfigMap is restored in the same way.
 *
 * @param pods of one target
 * @param busy names of pods that are written anyway: they wait for the next reconcile
 * @returns `requeueAt`: when to decide again even if nothing changes, milliseconds since 1970
 */
export function releases(
  pods: readonly Pod[],
  busy: ReadonlySet<string>,
  now: number,
): { actions: CreateAction[]; requeueAt: number | undefined } {
  const found = pods.flatMap((pod) =>
    isLaunching(pod) && !busy.has(pod.metadata.name) ? (releaseOf(pod, now) ?? []) : [],
  );
  return {
    actions: found.filter((each) => typeof each !== 'number'),
    requeueAt: earliestOf(found.filter((each) => typeof each === 'number')),
  };
}

/** The writes about one pod, or from when on there are some. */
function releaseOf(pod: Pod, now: number): CreateAction | number | undefined {
  const priorities = barrierPriorities(pod);
  const all = [...priorities.values()];
  const lowest = Math.min(...all);
  const recorded = releasedPriority(pod, priorities);
  const outstanding = unreadyPriorities(pod, priorities);
  const next = outstanding.length === 0 ? lowest : Math.max(...outstanding);
  // What is released stays released, whatever happens to the containers before.
  const to = Math.min(next, recorded ?? next);
  const lack = lackOfBarrier(pod, priorities);
  if (to === recorded) {
    if (lack === undefined) return undefined;
    const until = timeOf(pod.metadata.annotations?.[RELEASED_AT_ANNOTATION]) + TRIED_AGAIN_MS;
    if (until > now) return until;
  }
  const { apiVersion, kind, metadata } = pod;
  const owner = { apiVersion, kind, name: metadata.name, uid: metadata.uid ?? '' };
  const reason = lack ?? reasonOf(priorities, to);
  const annotations = {
    [RELEASED_ANNOTATION]: String(to),
    [RELEASED_AT_ANNOTATION]: timestamp(now),
    ...(to === lowest ? { [LAUNCHED_ANNOTATION]: 'true' } : {}),
  };
  return {
    do: 'create',
    kind: 'ConfigMap',
    verb: 'release containers',
    object: barrierOf(
      pod,
      owner,
      all.filter((priority) => priority >= to),
    ),
    reason,
    next: {
      do: 'patch',
      kind: 'Pod',
      verb: 'record released containers',
      name: metadata.name,
      body: withResourceVersion(pod, { metadata: { annotations } }),
      reason,
    },
  };
}

function reasonOf(priorities: ReadonlyMap<string, number>, to: number): string {
  const now = [...priorities].filter(([, priority]) => priority === to).map(([container]) => container);
  const isFirst = to === Math.max(...priorities.values());
  const why = isFirst ? 'no container has a higher priority' : 'all containers of higher priority are ready';
  return `${now.join(', ')}: ${why}`;
}
