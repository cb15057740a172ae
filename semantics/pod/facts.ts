import { setDefined } from '../values/set-defined.ts';
import { timeOf } from '../values/timestamp.ts';
import { graceOf, hasNextBatch, inPlaceState } from './in-place-state.ts';
import { recreatedUntil } from './recreated.ts';
import { hasUnfinishedSidecarChange } from './sidecar-changes.ts';
import {
  DELETION_COST_ANNOTATION,
  IN_PLACE_READY,
  isSidecar,
  KRUISE_POD_READY,
  LIFECYCLE_LABEL,
  type Pod,
  REVISION_LABEL,
  SHORT_HASH_LABEL,
  SPECIFIED_DELETE_LABEL,
} from './types.ts';

/** Why `InPlaceUpdateReady` is False while containers change (OpenKruise inplace-update, section 3.4). */
export const START_REASON = 'StartInPlaceUpdate';

/**
 * What the rules read of every pod in every reconcile, as far as it does not depend on the time. It is computed once for each
 * object: of ten thousand pods, few have changed since the reconcile before.
 */
export interface PodFacts {
  readonly name: string;
  /** Not finished and not being deleted: the pods a workload counts (OpenKruise workloads, "active pod"). */
  readonly active: boolean;
  readonly scheduled: boolean;
  readonly ready: boolean;
  /**
   * How far it has come. In the orders of updates and scale-ins the lowest is first: not scheduled before scheduled, then Pending
   * before Unknown before Running, then not ready before ready.
   */
  readonly started: number;
  /** Since when it has been ready, milliseconds since 1970; 0: it is not ready, or the time is missing. */
  readonly readySince: number;
  /**
   * Active, Running, Ready, its in-place readiness gate is not closed, and no set is changing its containers: the kubelet reports a
   * container as ready until it stops it. Whether one is about to be stopped by a request depends on the time.
   */
  readonly updateReady: boolean;
  /** Until when a request is about to restart containers of it, milliseconds since 1970; 0: none is. */
  readonly recreatedUntil: number;
  /** It was drained for an in-place update. */
  readonly drained: boolean;
  /** When it was drained, milliseconds since 1970; 0: it is not drained, or the time is missing. */
  readonly drainedAt: number;
  readonly lifecycle: string | undefined;
  /** Its revision label; empty: it has none. */
  readonly revision: string;
  /** Its lifecycle state is Normal, or it has none. */
  readonly normal: boolean;
  /** Its own label requests its deletion. */
  readonly specified: boolean;
  /** The highest restart count of its containers. */
  readonly restarts: number;
  /** The highest restart count of its sidecars: init containers that are restarted. */
  readonly sidecarRestarts: number;
  /** Creation time, milliseconds since 1970; a pod without one counts as the youngest. */
  readonly createdAt: number;
  readonly deletionCost: number;
  /** OpenKruise has started an in-place update and deferred part of it, or the annotation for that is invalid. */
  readonly mayHaveDeferred: boolean;
  /** Its upkeep has nothing to write and nothing to wait for: gates open, labels complete, no unfinished update. */
  readonly settled: boolean;
}

const PHASE_RANK: Record<string, number> = { Pending: 0, Unknown: 1, Running: 2 };

const FACTS = Symbol('facts');

/** The facts of a pod. An observed pod is immutable, so they are computed once. */
export function factsOf(pod: Pod): PodFacts {
  return (pod as Pod & { [FACTS]?: PodFacts })[FACTS] ?? setDefined(pod, FACTS, read(pod));
}

function read(pod: Pod): PodFacts {
  const { metadata, spec, status } = pod;
  const { labels } = metadata;
  const phase = status?.phase ?? '';
  let ready = false;
  let readySince = 0;
  let gate: { status: string; reason?: string; lastTransitionTime?: string } | undefined;
  // Of two conditions of one type the first one counts.
  const conditions = status?.conditions ?? [];
  for (let at = conditions.length - 1; at >= 0; at--) {
    const each = conditions[at];
    if (each?.type === 'Ready') {
      ready = each.status === 'True';
      readySince = ready ? timeOf(each.lastTransitionTime) : 0;
    } else if (each?.type === IN_PLACE_READY) gate = each;
  }
  let restarts = 0;
  for (const { restartCount = 0 } of status?.containerStatuses ?? [])
    if (restartCount > restarts) restarts = restartCount;
  const active = metadata.deletionTimestamp === undefined && phase !== 'Succeeded' && phase !== 'Failed';
  const scheduled = Boolean(spec.nodeName);
  const closed = gate !== undefined && gate.status !== 'True';
  const drained = gate?.status === 'False' && gate.reason === START_REASON;
  const lifecycle = labels?.[LIFECYCLE_LABEL];
  const normal = lifecycle === undefined || lifecycle === '' || lifecycle === 'Normal';
  const mayHaveDeferred = graceOf(pod) !== undefined || hasNextBatch(inPlaceState(pod));
  const gates = spec.readinessGates ?? [];
  const opensGate = gates.some(
    ({ conditionType: type }) =>
      type === KRUISE_POD_READY || (type === IN_PLACE_READY && gate?.status !== 'True'),
  );
  return {
    name: metadata.name,
    active,
    scheduled,
    ready,
    started: 6 * Number(scheduled) + 2 * (PHASE_RANK[phase] ?? 1) + Number(ready),
    readySince,
    updateReady: active && phase === 'Running' && ready && !closed && !hasUnfinishedSidecarChange(pod),
    recreatedUntil: recreatedUntil(pod),
    drained,
    drainedAt: drained ? timeOf(gate?.lastTransitionTime) : 0,
    lifecycle,
    revision: labels?.[REVISION_LABEL] ?? '',
    normal,
    specified: labels?.[SPECIFIED_DELETE_LABEL] !== undefined,
    restarts,
    sidecarRestarts: sidecarRestarts(pod),
    createdAt: timeOf(metadata.creationTimestamp) || Number.MAX_SAFE_INTEGER,
    deletionCost: deletionCost(metadata.annotations?.[DELETION_COST_ANNOTATION]),
    mayHaveDeferred,
    settled: normal && !drained && !mayHaveDeferred && !opensGate && labels?.[SHORT_HASH_LABEL] !== undefined,
  };
}

function sidecarRestarts({ spec, status }: Pod): number {
  if (spec.initContainers === undefined) return 0;
  const restarted = spec.initContainers.flatMap((each) => (isSidecar(each) ? [each.name] : []));
  const statuses = status?.initContainerStatuses ?? [];
  return Math.max(
    0,
    ...statuses.map(({ name, restartCount = 0 }) => (restarted.includes(name) ? restartCount : 0)),
  );
}

/** An int32 as Kubernetes requires it; anything else ("+10", "008") counts as 0, as in a ReplicaSet. */
function deletionCost(text: string | undefined): number {
  if (text === undefined || !/^(0|-?[1-9][0-9]{0,9})$/.test(text)) return 0;
  const cost = Number(text);
  return Math.abs(cost) <= 2147483647 ? cost : 0;
}
