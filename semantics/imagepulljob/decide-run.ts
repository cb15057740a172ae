import type { Action, Decision, Explanation } from '../decision.ts';
import { domainOf } from '../node/domains.ts';
import type { Node } from '../node/node.ts';
import type { Pod } from '../pod/types.ts';
import { endPulls } from '../pull/decide.ts';
import { pullOf } from '../pull/pod.ts';
import { baselineOfNode, type NodeBaseline, nodeStates } from '../run/harm.ts';
import type { RunLimit } from '../run/limit.ts';
import {
  hasFinished,
  hasStarted,
  markOf,
  type RunRecord,
  withAttempt,
  withBaselines,
  withNodes,
} from '../run/run-record.ts';
import { deleteOldRuns } from '../run/run-stored.ts';
import { storeRun } from '../run/run-writes.ts';
import { parallelismOf, type RunNode, startOrder, startsOf } from '../run/wave.ts';
import { objectOf } from '../values/read.ts';
import { soonest } from '../values/soonest.ts';
import { timestamp } from '../values/timestamp.ts';
import { explained, failuresIn } from './decide.ts';
import { imageOf } from './normalize.ts';
import type { PullRunView } from './run-view.ts';
import {
  COMPLETED,
  conditionsWith,
  countedStatus,
  progressText,
  type Pulled,
  type PullCounts,
  type PullJobStatus,
  recordedPull,
} from './status.ts';
import { countsOf, hasImage, keyOf, pullsOn } from './work.ts';

type Held = { reason: string; message: string } | undefined;

/**
 * What to do about a job within the bound of a plan. It differs from one without (`decidePullJob`) in what a bound is for:
 *
 * - A run is an image. On which nodes it was started is on record before a pod is created, and so is where the image is: a node on
 *   record is never pulled to again, whatever becomes of the job.
 * - A node that does not get the image fails the step. A person resumes the run, or takes the node out of the selector.
 * - Deadline and TTL do not apply: the steps of a plan have timeouts of their own, and its target is not deleted by the runtime.
 *
 * @param keep hashes of the runs that plans lead to
 */
export function decidePullRun(
  view: PullRunView,
  limit: RunLimit,
  held: Held,
  keep: ReadonlySet<string>,
): Decision<PullJobStatus> {
  const { job, liveHash, stored, observed } = view;
  // What a plan for another image has started goes on as it is, and ends by the deadline in its pods.
  if (limit.hash !== liveHash)
    return { actions: [], status: statusIn(view, view.record, limit, held), explanations: [] };
  const again = againIn(view, limit);
  const pulling = view.open.filter(({ state }) => state === 'Pulling').map(({ node }) => node);
  const before = withNodes(withAttempt(view.record, limit.attempt, pulling), {
    finished: view.open.filter(hasImage).map(({ node }) => node),
  });
  const starts = limit.isStarting ? startsIn(view, before, limit) : [];
  const begun = starts.filter((name) => !hasStarted(before, name));
  const record = withBaselines(
    withNodes(before, { started: starts }),
    baselinesOf(view, [...begun, ...outdated(view, before, limit)]),
  );
  const status = statusIn(view, record, limit, held);
  const explanations = [...explained(view.open), ...waiting(view, record, limit)];
  const runs = { target: job, stored, takenNames: view.takenNames };
  const events = failuresIn(job, view.open);
  if (record !== view.record) return { actions: [storeRun(runs, record)], status, explanations, events };
  const pods = observed.pulls?.pods ?? [];
  const isOver = limit.outcome !== undefined;
  const found = isOver
    ? { actions: endPulls(pods, 'the run has ended'), requeueAt: undefined }
    : pullsIn(view, record, limit, again);
  const actions =
    found.actions.length > 0 ? found.actions : deleteOldRuns(stored, new Set([...keep, liveHash]));
  const next = soonest(found.requeueAt, isOver ? undefined : view.joinsAt);
  return { actions, status, explanations, events, ...next };
}

/** The failed pods whose nodes are pulled to once more. */
function againIn({ open, podOn }: PullRunView, { rerun, isStarting }: RunLimit): Pod[] {
  return open.flatMap(({ node, state }) => {
    const pod = podOn.get(node);
    return isStarting && state === 'Failed' && pod !== undefined && rerun.has(pod.metadata.uid ?? '')
      ? [pod]
      : [];
  });
}

/** The pods that are created and deleted now. */
function pullsIn(
  { observed, spec, chosen, podOn }: PullRunView,
  record: RunRecord,
  limit: RunLimit,
  again: readonly Pod[],
): { actions: Action[]; requeueAt: number | undefined } {
  const left = new Set(again.map((pod) => pullOf(pod).node));
  const isDone = (node: string): boolean => hasFinished(record, node);
  const done = [...podOn].flatMap(([node, pod]) => (isDone(node) ? [pod] : []));
  const gone = new Set([...again, ...done]);
  const wanted = chosen.filter(
    ({ metadata: { name } }) => hasStarted(record, name) && !isDone(name) && !left.has(name),
  );
  const parallelism = limit.isStarting ? atOnce(spec.parallelism, limit, chosen.length) : 0;
  const pods = (observed.pulls?.pods ?? []).filter((pod) => !gone.has(pod));
  const { actions, requeueAt } = pullsOn(observed, { ...spec, parallelism }, wanted, pods);
  return {
    actions: [
      ...endPulls(done, 'it is on record that the node has the image'),
      ...endPulls(again, 'the pull to its node failed, and is repeated'),
      ...actions,
    ],
    requeueAt,
  };
}

function atOnce(target: number, { parallelism }: RunLimit, nodes: number): number {
  return parallelismOf(target, parallelism, nodes);
}

/** The nodes that begin now: as many as the step allows, and as may be pulled to at once. */
function startsIn({ job, spec, chosen, open }: PullRunView, record: RunRecord, limit: RunLimit): string[] {
  if (job.metadata.deletionTimestamp !== undefined) return [];
  const { allowed, spread } = limit;
  const names = new Map(chosen.map((node) => [node.metadata.name, node] as const));
  const runNode = (name: string): RunNode => ({
    name,
    domain: spread === undefined ? undefined : domainOf(names.get(name)?.metadata.labels, spread),
  });
  // One that waits for a place keeps no other from its turn.
  const active = open.filter(
    ({ node, state, isStuck }) =>
      hasStarted(record, node) && isStuck !== true && (state === 'Pulling' || state === 'Waiting'),
  );
  return startsOf({
    waiting: startOrder([...names.keys()].filter((name) => !hasStarted(record, name)).map(runNode)),
    active: active.map(({ node }) => runNode(node)),
    started: record.started.size,
    wasStarted: () => false,
    allowed,
    parallelism: atOnce(spec.parallelism, limit, chosen.length),
    isSpread: spread !== undefined,
  });
}

/** The nodes on record whose baseline is from before a Resume or another attempt. */
function outdated({ chosen }: PullRunView, record: RunRecord, { judgedFrom = 0 }: RunLimit): string[] {
  return chosen.flatMap(({ metadata: { name } }) => {
    const at = record.before.get(markOf(name))?.at;
    return at !== undefined && at < judgedFrom ? [name] : [];
  });
}

/** What is wrong with nodes now, before they are pulled to. */
function baselinesOf(
  { nodes, podsOnNodes, now }: PullRunView,
  names: readonly string[],
): ReadonlyMap<string, NodeBaseline> {
  const states = nodeStates(nodes, podsOnNodes, new Set(names));
  return new Map(states.map((state) => [state.name, baselineOfNode(state, now)]));
}

function waiting({ chosen }: PullRunView, record: RunRecord, { reason }: RunLimit): Explanation[] {
  return chosen.flatMap(({ metadata: { name } }) =>
    hasStarted(record, name) ? [] : [{ about: name, reason: `gets no pod yet: ${reason}` }],
  );
}

/** The status, with the counts of the live run. What it says of an earlier run is dropped once this one has begun somewhere. */
function statusIn(view: PullRunView, record: RunRecord, { outcome }: RunLimit, held: Held): PullJobStatus {
  const { job, chosen, open, now } = view;
  const { startedAt, completedAt } = recordedPull(job);
  const isOfRun = outcome !== undefined || completedAt === 0;
  const finished = chosen.filter(({ metadata }) => hasFinished(record, metadata.name));
  const counts: PullCounts = { ...countsOf(open), desired: chosen.length, succeeded: finished.length };
  const isStarted = record.started.size > 0;
  const at = isOfRun && startedAt > 0 ? startedAt : now;
  const base = {
    ...(isStarted && { startTime: timestamp(at) }),
    ...conditionsWith(job, held, pulledIn(view, finished), now),
  };
  if (outcome !== undefined && completedAt > 0) return { ...endedBefore(job), ...base };
  if (outcome === undefined) return { ...base, ...countedStatus(counts), message: progressText(counts) };
  const failedNodes = failedAtEnd(chosen, record, outcome.type === 'Failed');
  const last: PullCounts = { ...counts, active: 0, failedNodes };
  const message = outcome.type === 'Complete' ? COMPLETED : outcome.message;
  return { ...base, ...countedStatus(last), completionTime: timestamp(now), message };
}

/** What a job that never ends has pulled on the day of its plan: it goes on from there. */
function pulledIn({ job, spec, chosen, now }: PullRunView, finished: readonly Node[]): Pulled | undefined {
  if (!spec.neverEnds || chosen.length === 0 || finished.length < chosen.length) return undefined;
  const before = recordedPull(job).pulled;
  const key = keyOf(imageOf(job), spec);
  const nodes = finished.map(({ metadata }) => metadata.name);
  return before?.key === key ? { ...before, nodes } : { key, at: now, until: now, nodes };
}

/** Nodes that join after the end do not count. */
function endedBefore({ status }: PullRunView['job']): PullJobStatus {
  const { conditions: _conditions, pulledNodes: _nodes, ...kept } = objectOf(status);
  return kept as unknown as PullJobStatus;
}

function failedAtEnd(chosen: readonly Node[], record: RunRecord, hasFailed: boolean): string[] {
  if (!hasFailed) return [];
  return chosen.flatMap(({ metadata: { name } }) =>
    hasStarted(record, name) && !hasFinished(record, name) ? [name] : [],
  );
}
