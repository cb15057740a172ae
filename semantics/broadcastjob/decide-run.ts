import type { BroadcastJobStatus } from '../../schemas/generated/types/broadcastjob.ts';
import type { Decision } from '../decision.ts';
import { domainOf } from '../node/domains.ts';
import type { PodOnNode } from '../node/pod-on-node.ts';
import { isReady } from '../pod/readiness.ts';
import type { Pod } from '../pod/types.ts';
import { baselineOfNode, type NodeBaseline, nodeStates } from '../run/harm.ts';
import {
  hasStarted,
  markOf,
  type RunBound,
  type RunRecord,
  withAttempt,
  withBaselines,
  withNodes,
} from '../run/run-record.ts';
import { parallelismOf, type RunNode, startOrder, startsOf } from '../run/wave.ts';
import { timestamp } from '../values/timestamp.ts';
import { classified, type JobPods } from './classify.ts';
import type { JobObjects } from './decide.ts';
import { podsOfRun, runLabel } from '../run/labels.ts';
import { normalizeBroadcastJob, type NormalBroadcastJob } from './normalize.ts';
import { nodeOfPod } from '../node/placement.ts';
import { createPod, deletePod } from './pod-actions.ts';
import { isUnfinished, type RunNodes, runNodesOf } from './run-nodes.ts';
import { ended, isEnded, statusOf } from './status.ts';

export interface JobRunDecision extends Decision<BroadcastJobStatus> {
  /** The record to store first; nothing is done before it is. Undefined: it is as it was. */
  record?: RunRecord;
}

/** The objects that a run within the bound of a plan is decided on. */
export interface JobRunObjects extends JobObjects {
  /** Pods of any owner on the nodes: what is wrong with them before the run begins there is put on record. */
  podsOnNodes?: readonly PodOnNode[];
  /** Nodes whose pods were repeatedly lost just after their creation: they wait. Default: none. */
  deferred?: ReadonlySet<string>;
}

/**
 * What to do about one BroadcastJob within the bound of a plan. It differs from OpenKruise's way (`decideBroadcastJob`) in
 * what a bound is for:
 *
 * - A run is a template. Pods of an earlier run hold their nodes until they end, and are otherwise nothing to this one.
 * - A node on which it succeeded is on record, and never runs it again, whatever becomes of its pod.
 * - A pod is not deleted because its node is cordoned or tainted: a repair that is cut off may be worse than none. It is
 *   replaced on the same node if it is lost, or if someone deletes it after it has failed.
 * - A failed pod halts the run, unless the policy is Continue. It ends only when the plan does.
 * - Deadline and TTL do not apply: the steps of a plan have timeouts of their own, and its target is not deleted by the runtime.
 */
export function decideJobRun(objects: JobRunObjects, bound: RunBound): JobRunDecision {
  const { job, takenNames, now } = objects;
  const spec = normalizeBroadcastJob(job);
  const run = runLabel(bound.hash);
  const own = podsOfRun(objects.pods, bound.hash);
  const sorted = classified(own, spec);
  const again = sorted.failed.filter(({ metadata }) => bound.rerun.has(metadata.uid ?? ''));
  const failed = sorted.failed.filter((pod) => !again.includes(pod));
  const observed = observedRecord(own, sorted, again, bound);
  const nodes = runNodesOf(objects, own, spec.template, observed);
  const isHalted = failed.length > 0 && spec.onFailure !== 'Continue';
  const halts = haltOf(objects, spec, bound, isHalted);
  const busy = spec.isEndless ? unready(own, nodes) : nodes.active;
  const starts =
    halts === undefined
      ? startsIn(objects, { ...nodes, active: busy }, spec, { ...bound, record: observed })
      : [];
  const started = withNodes(observed, { started: starts });
  const begun = starts.filter((name) => !hasStarted(observed, name));
  const record = withBaselines(
    started,
    baselinesOf(objects, [...begun, ...outdated(nodes, observed, bound)]),
  );
  const counted = { sorted, desired: nodes.desired.length, isPaused: spec.paused || isHalted };
  const status = statusIn(objects, record, bound.outcome, counted);
  const starting = new Set(starts);
  const explanations = nodes.free
    .filter((name) => !starting.has(name))
    .map((name) => ({
      about: name,
      reason: `gets no pod yet: ${waitOf(name, objects) ?? halts ?? bound.reason}`,
    }));
  const ofRun = new Set(own);
  for (const pod of objects.pods)
    if (!ofRun.has(pod) && isUnfinished(pod))
      explanations.push({
        about: nodeOfPod(pod),
        reason: `gets no pod yet: pod ${pod.metadata.name} of an earlier run has not ended there`,
      });
  if (record !== bound.record) return { record, actions: [], status, explanations };
  const deletions = bound.isStarting
    ? again
        .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
        .map((pod) => deletePod(job, pod, `the run on node ${nodeOfPod(pod)} failed, and is repeated`))
    : [];
  const creations = starts.map((node) => createPod(job, spec.template, { node, taken: takenNames, run }));
  return {
    actions: [...deletions, ...creations],
    status:
      bound.outcome === undefined ? status : atEnd(status, bound.outcome, { before: statusOf(job), now }),
    explanations,
  };
}

/** The nodes on record whose baseline is from before a Resume or another attempt. */
function outdated({ onRecord }: RunNodes, { before }: RunRecord, { judgedFrom = 0 }: RunBound): string[] {
  return onRecord.filter((name) => {
    const at = before.get(markOf(name))?.at;
    return at !== undefined && at < judgedFrom;
  });
}

/** A run without end is done on a node as soon as its pod is ready there: only those that are not keep others from beginning. */
function unready(own: readonly Pod[], { active }: RunNodes): string[] {
  const ready = new Set(own.filter(isReady).map(nodeOfPod));
  return active.filter((node) => !ready.has(node));
}

/** Why a node waits that would run otherwise; undefined: it does not. */
function waitOf(node: string, { deferred }: JobRunObjects): string | undefined {
  return deferred?.has(node) === true ? 'its pods were repeatedly lost just after their creation' : undefined;
}

/** What is on record, with what the pods show. Pods that run again do not count as started once more. */
function observedRecord(
  own: readonly Pod[],
  { active, succeeded }: JobPods,
  again: readonly Pod[],
  { record, attempt }: RunBound,
): RunRecord {
  return withNodes(withAttempt(record, attempt, active.map(nodeOfPod)), {
    started: own.filter((pod) => !again.includes(pod)).map(nodeOfPod),
    finished: succeeded.map(nodeOfPod),
  });
}

/** What is wrong with nodes now, before the run begins there. */
function baselinesOf(
  { nodes, podsOnNodes = [], now }: JobRunObjects,
  names: readonly string[],
): ReadonlyMap<string, NodeBaseline> {
  const states = nodeStates(nodes, podsOnNodes, new Set(names));
  return new Map(states.map((state) => [state.name, baselineOfNode(state, now)]));
}

/** Why no further node begins; undefined: nothing keeps it from that. */
function haltOf(
  { job }: JobObjects,
  { paused }: NormalBroadcastJob,
  { isStarting, outcome, reason }: RunBound,
  isHalted: boolean,
): string | undefined {
  if (job.metadata.deletionTimestamp !== undefined) return 'the job is being deleted';
  if (paused) return 'the job is paused';
  if (isHalted) return 'a pod has failed';
  return isStarting && outcome === undefined ? undefined : reason;
}

function startsIn(
  { nodes, deferred }: JobRunObjects,
  { desired, free, active }: RunNodes,
  spec: NormalBroadcastJob,
  { record, allowed, parallelism, spread }: RunBound,
): string[] {
  const domains = new Map(
    spread === undefined
      ? []
      : nodes.map(({ metadata }) => [metadata.name, domainOf(metadata.labels, spread)] as const),
  );
  const runNode = (name: string): RunNode => ({ name, domain: domains.get(name) });
  return startsOf({
    waiting: startOrder(free.filter((name) => deferred?.has(name) !== true).map(runNode)),
    active: active.map(runNode),
    started: record.started.size,
    wasStarted: (node) => hasStarted(record, node),
    allowed,
    parallelism: parallelismOf(spec.parallelism, parallelism, desired.length),
    isSpread: spread !== undefined,
  });
}

/**
 * The counts of a run. It starts with its first node, and what the job says of an earlier run is dropped then. Nodes on which
 * it has succeeded count though their pods are gone.
 */
function statusIn(
  { job, now }: JobObjects,
  { started, finished }: RunRecord,
  outcome: RunBound['outcome'],
  { sorted, desired, isPaused }: { sorted: JobPods; desired: number; isPaused: boolean },
): BroadcastJobStatus {
  const before = statusOf(job);
  const isOfRun = outcome !== undefined || !isEnded(before);
  const startTime = (isOfRun ? before.startTime : undefined) ?? timestamp(now);
  return {
    ...(outcome === undefined ? {} : before),
    phase: isPaused ? 'paused' : 'running',
    ...(started.size === 0 ? {} : { startTime }),
    desired,
    active: sorted.active.length,
    succeeded: finished.size,
    failed: sorted.failed.length,
  };
}

/** The status once the plan has ended. The condition about it is set once, with its time; nodes that fit later do not count. */
function atEnd(
  status: BroadcastJobStatus,
  { type, message }: NonNullable<RunBound['outcome']>,
  { before, now }: { before: BroadcastJobStatus; now: number },
): BroadcastJobStatus {
  const phase = type === 'Complete' ? 'completed' : 'failed';
  const isSaid = status.conditions?.some((each) => each.type === type && each.status === 'True') === true;
  if (isSaid) return { ...status, phase, desired: before.desired ?? status.desired };
  return ended({ ...status, conditions: [] }, type, message, now);
}
