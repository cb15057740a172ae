import type { BroadcastJobStatus } from '../../schemas/generated/types/broadcastjob.ts';
import type { Decision } from '../decision.ts';
import { candidateOf, misfit } from '../node/fit.ts';
import type { Node } from '../node/node.ts';
import type { Pod } from '../pod/types.ts';
import type { RunBound } from '../run/bound.ts';
import { hasFinished, hasStarted, type RunRecord, withNodes } from '../run/record.ts';
import { parallelismOf, type RunNode, startOrder, startsOf } from '../run/wave.ts';
import { timestamp } from '../values/timestamp.ts';
import { classified, type JobPods } from './classify.ts';
import type { JobObjects } from './decide.ts';
import { RUN_LABEL, runLabel } from './labels.ts';
import { normalizeBroadcastJob, type NormalBroadcastJob } from './normalize.ts';
import { nodeOfPod, podSpecOf } from './placement.ts';
import { createPod } from './pod-actions.ts';
import { ended, isEnded, statusOf } from './status.ts';

export interface JobRunDecision extends Decision<BroadcastJobStatus> {
  /** The record to store first; nothing is done before it is. Undefined: it is as it was. */
  record?: RunRecord;
}

/** The nodes of a run, by what it is to do there. */
interface RunNodes {
  /** Nodes that fit, or that the run was started on. */
  desired: string[];
  /** Of these, the nodes that it may be started on. */
  waiting: RunNode[];
  /** Nodes with an unfinished pod of this run or of an earlier one. */
  active: RunNode[];
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
export function decideJobRun(objects: JobObjects, bound: RunBound): JobRunDecision {
  const { job, takenNames, now } = objects;
  const spec = normalizeBroadcastJob(job);
  const run = runLabel(bound.record.hash);
  const own = objects.pods.filter(({ metadata }) => metadata.labels?.[RUN_LABEL] === run);
  const sorted = classified(own, spec);
  const observed = withNodes(bound.record, {
    started: own.map(nodeOfPod),
    finished: sorted.succeeded.map(nodeOfPod),
  });
  const present: RunBound = { ...bound, record: observed };
  const nodes = nodesOf(objects, own, spec, present);
  const isHalted = sorted.failed.length > 0 && spec.onFailure !== 'Continue';
  const halts = haltOf(objects, spec, bound, isHalted);
  const starts = halts === undefined ? startsIn(nodes, spec, present) : [];
  const record = withNodes(observed, { started: starts });
  const status = statusIn(objects, record, bound.outcome, {
    sorted,
    desired: nodes.desired.length,
    isPaused: spec.paused || isHalted,
  });
  const explanations = nodes.waiting
    .filter(({ name }) => !starts.includes(name))
    .map(({ name }) => ({ about: name, reason: `gets no pod yet: ${halts ?? bound.reason}` }));
  if (record !== bound.record) return { record, actions: [], status, explanations };
  const actions = starts.map((node) => createPod(job, spec.template, { node, taken: takenNames, run }));
  return {
    actions,
    status: bound.outcome === undefined ? status : atEnd(status, bound.outcome, now),
    explanations,
  };
}

function nodesOf(
  { pods, nodes }: JobObjects,
  own: readonly Pod[],
  { template }: NormalBroadcastJob,
  { record, spread }: RunBound,
): RunNodes {
  const domains = new Map(nodes.map((node) => [node.metadata.name, domainOf(node, spread)]));
  const withOwn = new Set(own.map(nodeOfPod));
  const active = pods.filter(isUnfinished).map(nodeOfPod);
  const busy = new Set(active);
  const candidate = candidateOf(podSpecOf(template));
  const fitting = nodes.filter((node) => misfit(candidate, node) === undefined).map(nameOf);
  const isFree = (node: string): boolean =>
    !withOwn.has(node) && !busy.has(node) && !hasFinished(record, node);
  const runNode = (name: string): RunNode => ({ name, domain: domains.get(name) });
  const desired = new Set([...fitting, ...nodes.map(nameOf).filter((name) => hasStarted(record, name))]);
  return {
    desired: [...desired],
    waiting: startOrder(fitting.filter(isFree).map(runNode)),
    active: active.map(runNode),
  };
}

/** A pod that is being deleted runs until it has ended. */
function isUnfinished({ status }: Pod): boolean {
  return status?.phase !== 'Succeeded' && status?.phase !== 'Failed';
}

function nameOf({ metadata }: Node): string {
  return metadata.name;
}

function domainOf({ metadata }: Node, spread: string | undefined): string | undefined {
  const labels = metadata.labels ?? {};
  return spread !== undefined && Object.hasOwn(labels, spread) ? labels[spread] : undefined;
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
  { desired, waiting, active }: RunNodes,
  spec: NormalBroadcastJob,
  { record, allowed, parallelism, spread }: RunBound,
): string[] {
  return startsOf({
    waiting,
    active,
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

/** The status once the plan has ended. The condition about it is set once, with its time. */
function atEnd(
  status: BroadcastJobStatus,
  { type, message }: NonNullable<RunBound['outcome']>,
  now: number,
): BroadcastJobStatus {
  const phase = type === 'Complete' ? 'completed' : 'failed';
  const isSaid = status.conditions?.some((each) => each.type === type && each.status === 'True') === true;
  return isSaid ? { ...status, phase } : ended({ ...status, conditions: [] }, type, message, now);
}
