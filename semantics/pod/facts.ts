import { setDefined } from '../values/set-defined.ts';
import { graceOf, hasNextBatch, inPlaceState } from './in-place-state.ts';
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
 * What the rules ask of every pod in every pass, and what no time but the pod alone says. There are ten thousand pods in a
 * pass and few of them are new in it, so that each is read once.
 */
export interface PodFacts {
  readonly name: string;
  /** Not finished and not being deleted: the pods a workload counts (OpenKruise workloads, "active pod"). */
  readonly active: boolean;
  readonly scheduled: boolean;
  /** Pending before Unknown before Running. */
  readonly phaseRank: number;
  readonly ready: boolean;
  /** When it turned ready, milliseconds since 1970; 0: it is not, or does not say. */
  readonly readySince: number;
  /** Active, Running, Ready, and not held back by an in-place update. */
  readonly updateReady: boolean;
  /** Traffic was taken from it for an in-place update. */
  readonly drained: boolean;
  /** When that was, milliseconds since 1970; 0: it was not, or does not say. */
  readonly drainedAt: number;
  readonly lifecycle: string | undefined;
  /** The label of the revision that it is on; empty: it has none. */
  readonly revision: string;
  /** In no lifecycle state but none or Normal. */
  readonly normal: boolean;
  /** Its own label asks for its deletion. */
  readonly specified: boolean;
  /** Restarts of the container that restarted most. */
  readonly restarts: number;
  /** The same of its sidecars: init containers that are restarted. */
  readonly sidecarRestarts: number;
  /** Milliseconds since 1970; a pod that does not say is the youngest. */
  readonly createdAt: number;
  readonly deletionCost: number;
  /** An update in place was begun by OpenKruise and put off, or what says so cannot be read. */
  readonly mayHaveDeferred: boolean;
  /** Nothing about it has to be written down or waited for, whatever the time: gates open, labels complete, no update half-way. */
  readonly settled: boolean;
}

const PHASE_RANK: Record<string, number> = { Pending: 0, Unknown: 1, Running: 2 };

const FACTS = Symbol('facts');

/** The facts of a pod, which is immutable once seen. */
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
  // Of a type that is there twice the first one counts.
  const conditions = status?.conditions ?? [];
  for (let at = conditions.length - 1; at >= 0; at--) {
    const each = conditions[at];
    if (each?.type === 'Ready') {
      ready = each.status === 'True';
      readySince = ready ? momentOf(each.lastTransitionTime) : 0;
    } else if (each?.type === IN_PLACE_READY) gate = each;
  }
  let restarts = 0;
  for (const { restartCount = 0 } of status?.containerStatuses ?? [])
    if (restartCount > restarts) restarts = restartCount;
  const active = metadata.deletionTimestamp === undefined && phase !== 'Succeeded' && phase !== 'Failed';
  const shut = gate !== undefined && gate.status !== 'True';
  const drained = gate?.status === 'False' && gate.reason === START_REASON;
  const lifecycle = labels?.[LIFECYCLE_LABEL];
  const normal = lifecycle === undefined || lifecycle === '' || lifecycle === 'Normal';
  const mayBePutOff = graceOf(pod) !== undefined || hasNextBatch(inPlaceState(pod));
  const gates = spec.readinessGates ?? [];
  const opens = gates.some(
    ({ conditionType: type }) =>
      type === KRUISE_POD_READY || (type === IN_PLACE_READY && gate?.status !== 'True'),
  );
  return {
    name: metadata.name,
    active,
    scheduled: Boolean(spec.nodeName),
    phaseRank: PHASE_RANK[phase] ?? 1,
    ready,
    readySince,
    updateReady: active && phase === 'Running' && ready && !shut,
    drained,
    drainedAt: drained ? momentOf(gate?.lastTransitionTime) : 0,
    lifecycle,
    revision: labels?.[REVISION_LABEL] ?? '',
    normal,
    specified: labels?.[SPECIFIED_DELETE_LABEL] !== undefined,
    restarts,
    sidecarRestarts: sidecarRestarts(pod),
    createdAt: momentOf(metadata.creationTimestamp) || Number.MAX_SAFE_INTEGER,
    deletionCost: deletionCost(metadata.annotations?.[DELETION_COST_ANNOTATION]),
    mayHaveDeferred: mayBePutOff,
    settled: normal && !drained && !mayBePutOff && !opens && labels?.[SHORT_HASH_LABEL] !== undefined,
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

/** Milliseconds since 1970; 0 for what is missing or no time. */
function momentOf(text: string | undefined): number {
  return text === undefined ? 0 : Date.parse(text) || 0;
}

/** An int32 in Kubernetes' strict spelling; anything else ("+10", "008") counts as 0, as in a ReplicaSet. */
function deletionCost(text: string | undefined): number {
  if (text === undefined || !/^(0|-?[1-9][0-9]{0,9})$/.test(text)) return 0;
  const cost = Number(text);
  return Math.abs(cost) <= 2147483647 ? cost : 0;
}
