import type { KubeObject } from '../../schemas/wire/object.ts';
import { notOfSchedule } from '../children/records.ts';
import { isChildOfSchedule, wavesOfChild } from '../children/waves.ts';
import type { Creator, ObservedObjects } from '../kinds/kind.ts';
import type { Node } from '../node/node.ts';
import type { PodOnNode } from '../node/pod-on-node.ts';
import { planOfCreated } from '../plan/created.ts';
import type { EarlierPod, FailedUnit, RunUnits } from '../plan/units.ts';
import type { PodRow } from '../plan/pod-row.ts';
import { rolloutOfRun, rowOfNode } from '../plan/run-rollout.ts';
import type { Origin, RolloutView } from '../plan/rollout-view.ts';
import { locationOf } from '../pod/location.ts';
import { failureOf } from '../pod/failure.ts';
import type { Pod } from '../pod/types.ts';
import { harmedNode } from '../run/harmed-node.ts';
import { hasFinished, type RunRecord } from '../run/run-record.ts';
import { type StoredRun, storedRuns } from '../run/run-stored.ts';
import { recordIn } from '../run/run-writes.ts';
import { templateHash } from '../template/canonical.ts';
import { compareCodePoints } from '../values/canonical-json.ts';
import { remembered } from '../values/remembered.ts';
import { timeOf } from '../values/timestamp.ts';
import { classified, type JobPods } from './classify.ts';
import { podsOfRun, hashOfRunLabel, RUN_LABEL } from '../run/labels.ts';
import { JOB_DEFAULTS } from './defaults.ts';
import { normalizeBroadcastJob, type NormalBroadcastJob } from './normalize.ts';
import { broadcastJobLimits } from './limits.ts';
import { nodeOfPod } from '../node/placement.ts';
import { isEnded, statusOf } from './status.ts';
import { isUnfinished, type RunNodes, runNodesOf } from './run-nodes.ts';

/** A BroadcastJob with its live run: that of the template in its spec. */
export interface JobView {
  job: KubeObject;
  spec: NormalBroadcastJob;
  liveHash: string;
  pods: readonly Pod[];
  nodes: readonly Node[];
  podsOnNodes: readonly PodOnNode[];
  takenNames: ReadonlySet<string>;
  stored: readonly StoredRun[];
  /** The record of the live run. */
  record: RunRecord;
  /** The pods of the live run. */
  own: readonly Pod[];
  sorted: JobPods;
  runNodes: RunNodes;
  /** The schedule that the job names as its controller. */
  creator: Creator | undefined;
  now: number;
}

const liveHashOf = remembered((job: KubeObject): string => templateHash(normalizeBroadcastJob(job).template));

/** Reads what was observed of a job. */
export function jobViewOf(objects: ObservedObjects): JobView {
  const { target: job, pods, placement = [], podsOnNodes = [], runs = [], takenNames, now } = objects;
  const spec = normalizeBroadcastJob(job);
  const liveHash = liveHashOf(job);
  const stored = storedRuns(runs);
  const record = recordIn(stored, liveHash);
  const own = podsOfRun(pods, liveHash);
  const nodes = placement as readonly Node[];
  const runNodes = runNodesOf({ pods, nodes }, own, spec.template, record);
  const sorted = classified(own, spec);
  return {
    job,
    spec,
    liveHash,
    pods,
    nodes,
    podsOnNodes,
    takenNames,
    stored,
    record,
    own,
    sorted,
    runNodes,
    creator: objects.creator,
    now,
  };
}

/** What the rules of plans read of a job: one row for each node of the live run, and for each pod of an earlier one. */
export function jobRolloutOf(
  view: JobView,
  faults: Pick<RolloutView, 'unsupported' | 'invalid'>,
): RolloutView {
  const { job: target, spec, liveHash, stored, record, runNodes } = view;
  return rolloutOfRun({
    ...{ target, liveHash, stored, record, limits: broadcastJobLimits, paused: spec.paused },
    replicas: runNodes.desired.length,
    pods: rowsOf(view),
    units: runOf(view),
    origin: originOf(view),
    ...faults,
  });
}

/**
 * A job that a schedule has created goes through the waves that it was created with, or runs by its own strategy. One that only
 * says so begins nowhere; where it has ended, nothing can begin, and its status stays.
 */
function originOf({ job, spec, liveHash, creator }: JobView): Origin {
  if (!isChildOfSchedule(job)) return { by: 'user' };
  const unproven = notOfSchedule(job, creator, JOB_DEFAULTS);
  const isOver = !spec.isEndless && isEnded(statusOf(job));
  if (unproven !== undefined)
    return isOver ? { by: 'target', plan: undefined } : { by: 'unproven', why: unproven };
  const waves = wavesOfChild(job);
  return { by: 'target', plan: waves && planOfCreated(job, liveHash, waves) };
}

function runOf(view: JobView): RunUnits {
  const { spec, nodes, stored, record, sorted, runNodes } = view;
  return {
    of: 'run',
    runs: new Map(stored.map((each) => [each.record.hash, each.record.completed])),
    existing: nodes.length,
    started: record.started.size,
    finished: record.finished.size,
    waiting: runNodes.unstarted,
    failed: sorted.failed.map(failedUnit).sort((a, b) => compareCodePoints(a.unit, b.unit)),
    earlier: earlierPods(view),
    toleratesFailure: spec.onFailure === 'Continue',
    isEndless: spec.isEndless,
    arePulls: false,
    harm: (since, tolerated) =>
      harmedNode(
        { ...view, namespace: view.job.metadata.namespace ?? '' },
        runNodes.onRecord,
        since,
        tolerated,
      ),
  };
}

/** The pods of other runs that have not ended, by node. */
function earlierPods({
  pods,
  stored,
  liveHash,
}: Pick<JobView, 'pods' | 'stored' | 'liveHash'>): EarlierPod[] {
  const found = pods.flatMap((pod): EarlierPod[] => {
    const { name, labels, deletionTimestamp } = pod.metadata;
    const label = labels?.[RUN_LABEL];
    const hash = label === undefined ? undefined : hashOfRunLabel(label);
    if (hash === liveHash || !isUnfinished(pod)) return [];
    const run = stored.find(({ record }) => record.hash === hash)?.object.metadata.name ?? hash;
    return [{ unit: nodeOfPod(pod), pod: name, run, isLeaving: deletionTimestamp !== undefined }];
  });
  return found.sort((a, b) => compareCodePoints(a.unit, b.unit));
}

function rowsOf({ spec, liveHash, pods, own, record, runNodes }: JobView): PodRow[] {
  const withPod = new Set(own.map(nodeOfPod));
  const isOver = (node: string): boolean => hasFinished(record, node);
  const lost = runNodes.onRecord
    .filter((node) => !withPod.has(node))
    .map((node) => ({ ...rowOfNode(node), hash: liveHash, available: isOver(node) }));
  const rows = pods.flatMap((pod) => {
    const run = pod.metadata.labels?.[RUN_LABEL];
    if (run === undefined) return [];
    const hash = hashOfRunLabel(run);
    const isDone =
      pod.status?.phase === 'Succeeded' ||
      (hash === liveHash && isOver(nodeOfPod(pod))) ||
      (spec.isEndless && isReady(pod));
    return [podRow(pod, hash, isDone)];
  });
  return [...rows, ...lost];
}

function isReady({ status }: Pod): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;
}

function podRow(pod: Pod, hash: string, available: boolean): PodRow {
  const { uid = '', name, creationTimestamp } = pod.metadata;
  return {
    ...locationOf(pod),
    uid,
    unit: nodeOfPod(pod),
    name,
    hash,
    available,
    restarts: 0,
    createdAt: timeOf(creationTimestamp),
    updatedAt: 0,
  };
}

function failedUnit(pod: Pod): FailedUnit {
  const { uid = '', name } = pod.metadata;
  return { unit: nodeOfPod(pod), pod: name, uid, problem: problemOf(pod) };
}

/** Why a run on a node has failed: the pod's own problem, or the number of its restarts. */
function problemOf(pod: Pod): string {
  return failureOf(pod) ?? 'its containers have restarted more often than restartLimit allows';
}
