import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Action, Decision, EventDraft, Explanation } from '../decision.ts';
import type { Node } from '../node/node.ts';
import { endPulls } from '../pull/decide.ts';
import type { NodePull } from '../pull/work.ts';
import { objectOf } from '../values/read.ts';
import { soonest } from '../values/soonest.ts';
import { timeOf, timestamp } from '../values/timestamp.ts';
import { imageOf, type NormalPull, normalizePull } from './normalize.ts';
import { pullJobResource, THEIR_FINALIZER } from './resource.ts';
import {
  COMPLETED,
  conditionsWith,
  countedStatus,
  EXCEEDED,
  progressText,
  type Pulled,
  type PullCounts,
  type PullJobStatus,
  recordedPull,
} from './status.ts';
import { chosenIn, countsOf, hasImage, isEnded, keyOf, type ObservedPull, pullsOn } from './work.ts';

type Held = { reason: string; message: string } | undefined;

/** A job that never ends pulls again so long after it has pulled to every node (OpenKruise image-pull, rule 6a.8). */
const AGAIN_MS = 24 * 60 * 60_000;

/**
 * Decides about one job (OpenKruise image-pull, rules 6a and 6d). Its pods are the memory of what was pulled while it is not over; of
 * a job that never ends, its status between two days.
 */
export function decidePullJob(observed: ObservedPull, held: Held): Decision<PullJobStatus> {
  const { target, now } = observed;
  const job = normalizePull(target);
  const { completedAt, pulled, startedAt } = recordedPull(target);
  if (completedAt > 0 && !job.neverEnds) return ended(observed, job, completedAt);
  const since = { startedAt: startedAt > 0 ? startedAt : now, held };
  const isKnown = pulled !== undefined && pulled.key === keyOf(imageOf(target), job);
  // A new day begins without pods, so that whose turn it is says who has had one.
  const left = endPulls(observed.pulls?.pods ?? [], 'its nodes are pulled to anew');
  if (job.neverEnds && isKnown && (now < pulled.at + AGAIN_MS || left.length > 0)) {
    const decision = between(observed, job, pulled, since);
    const { requeueAt: _past, ...settled } = decision;
    return now < pulled.at + AGAIN_MS ? decision : { ...settled, actions: left };
  }
  return pulling(observed, job, since);
}

/** What is undone before a job that is being deleted goes: its pods go with it. */
export function releasedPullJob({ target }: Pick<ObservedPull, 'target'>): Action[] {
  const finalizers = target.metadata.finalizers ?? [];
  if (!finalizers.includes(THEIR_FINALIZER)) return [];
  const { name, uid = '', resourceVersion = '' } = target.metadata;
  const rest = finalizers.filter((each) => each !== THEIR_FINALIZER);
  const body = { metadata: { uid, resourceVersion, finalizers: rest } };
  const reason = 'no copy of a Secret exists for it';
  return [{ do: 'patch', kind: 'Target', resource: pullJobResource, verb: 'release', name, body, reason }];
}

interface Since {
  startedAt: number;
  held: Held;
}

/** Pulls to every node that has not got the image. */
function pulling(observed: ObservedPull, job: NormalPull, since: Since): Decision<PullJobStatus> {
  const { target, now } = observed;
  const chosen = chosenIn(observed, job);
  const found = pullsOn(observed, job, chosen.nodes);
  const counts = countsOf(found.nodes);
  const endsAt = job.deadline === undefined ? Infinity : since.startedAt + job.deadline * 1000;
  const { desired, succeeded, failedNodes } = counts;
  // In a cluster that has just begun, nothing would be pulled anywhere.
  const isDone = succeeded + failedNodes.length === desired && (desired > 0 || chosen.joining.length === 0);
  if (!job.neverEnds && (isDone || now >= endsAt)) {
    const names = found.nodes.flatMap((row) => (hasImage(row) ? [] : [row.node]));
    const last: PullCounts = { desired, succeeded, active: 0, failedNodes: names };
    const status: PullJobStatus = {
      startTime: timestamp(since.startedAt),
      completionTime: timestamp(now),
      ...countedStatus(last),
      message: isDone ? COMPLETED : EXCEEDED,
      ...conditionsWith(target, undefined, undefined, now),
    };
    // Its pods are deleted once it is on record what they were the memory of.
    return { actions: [], status, explanations: [], events: failuresIn(target, found.nodes) };
  }
  const today = job.neverEnds && isDayDone(found.nodes) ? recordOf(target, job, found.nodes, now) : undefined;
  return {
    // Pods are deleted once it is on record what they were the memory of.
    actions: today === undefined ? [...found.actions] : [],
    status: statusOf(target, counts, since, today, now),
    explanations: explained(found.nodes),
    events: failuresIn(target, found.nodes),
    ...soonest(today && now + AGAIN_MS, found.requeueAt, chosen.nextAt, endsAt),
  };
}

/** A node that has no place for a pod does not keep the others from their next day. */
function isDayDone(rows: readonly NodePull[]): boolean {
  return rows.length > 0 && rows.every((row) => isEnded(row) || row.isStuck === true);
}

function recordOf(target: KubeObject, job: NormalPull, rows: readonly NodePull[], now: number): Pulled {
  const nodes = rows.flatMap((row) => (hasImage(row) ? [row.node] : [])).sort();
  return { key: keyOf(imageOf(target), job), at: now, until: now, nodes };
}

/** A job that never ends, while the day has not passed: only nodes that are not on record get the image. */
function between(
  observed: ObservedPull,
  job: NormalPull,
  pulled: Pulled,
  since: Since,
): Decision<PullJobStatus> {
  const { target, now } = observed;
  const chosen = chosenIn(observed, job);
  const { failedNodes } = recordedPull(target);
  const recorded = new Set([...pulled.nodes, ...failedNodes]);
  const isKnown = ({ metadata }: Node): boolean =>
    recorded.has(metadata.name) && timeOf(metadata.creationTimestamp) <= pulled.until;
  // The pods of nodes that are on record are deleted.
  const found = pullsOn(
    observed,
    job,
    chosen.nodes.filter((node) => !isKnown(node)),
  );
  const known = chosen.nodes.filter(isKnown).map(({ metadata }): NodePull => {
    const state = failedNodes.has(metadata.name) ? 'Failed' : 'Succeeded';
    return { node: metadata.name, state, attempt: 0 };
  });
  const rows = [...known, ...found.nodes];
  const counts = countsOf(rows);
  const isLonger = found.nodes.some(isEnded);
  const { nodes } = recordOf(target, job, rows, now);
  return {
    actions: isLonger ? [] : [...found.actions],
    status: statusOf(target, counts, since, { ...pulled, nodes, ...(isLonger && { until: now }) }, now),
    explanations: explained(found.nodes),
    events: failuresIn(target, found.nodes),
    ...soonest(pulled.at + AGAIN_MS, found.requeueAt, chosen.nextAt),
  };
}

/** What is left to do after the end: the pods go, and the job itself when its time is over. */
function ended(
  { target, pulls = { pods: [] }, now }: ObservedPull,
  { ttl }: NormalPull,
  completedAt: number,
): Decision<PullJobStatus> {
  const { conditions: _conditions, ...kept } = objectOf(target['status']);
  // A refusal of before is remembered for a while, and nothing is to be created any more.
  const status = {
    ...(kept as unknown as PullJobStatus),
    ...conditionsWith(target, undefined, undefined, now),
  };
  const decision = { status, explanations: [] };
  const left = [...endPulls(pulls.pods, 'the job has ended'), ...releasedPullJob({ target })];
  if (left.length > 0) return { ...decision, actions: left };
  if (ttl === undefined) return { ...decision, actions: [] };
  const expiresAt = completedAt + ttl * 1000;
  return now < expiresAt
    ? { ...decision, actions: [], requeueAt: expiresAt }
    : { ...decision, actions: [expire(target)] };
}

function expire({ metadata }: KubeObject): Action {
  const { name, uid = '', resourceVersion = '' } = metadata;
  return {
    ...{ do: 'delete', kind: 'Target', resource: pullJobResource, verb: 'delete after its TTL' },
    ...{ name, uid, resourceVersion, reason: 'it is over, and ttlSecondsAfterFinished have passed' },
  };
}

function statusOf(
  target: KubeObject,
  counts: PullCounts,
  { startedAt, held }: Since,
  pulled: Pulled | undefined,
  now: number,
): PullJobStatus {
  return {
    startTime: timestamp(startedAt),
    ...countedStatus(counts),
    message: progressText(counts),
    ...conditionsWith(target, held, pulled, now),
  };
}

/** One Event for the nodes that have failed since the last status: thousands may at once. */
export function failuresIn(target: KubeObject, rows: readonly NodePull[]): EventDraft[] {
  const { failedNodes } = recordedPull(target);
  const failed = rows.filter(({ node, state }) => state === 'Failed' && !failedNodes.has(node));
  const [first] = failed;
  if (first === undefined) return [];
  const more = failed.length === 1 ? '' : `, and ${failed.length - 1} more nodes`;
  const message = `${first.node}: ${first.problem ?? 'not pulled'}${more}`;
  return [{ type: 'Warning', reason: 'PullImageFailed', message }];
}

/** Why nodes that are pulled to wait. */
export function explained(rows: readonly NodePull[]): Explanation[] {
  return rows.flatMap(({ node, state, problem }) =>
    state === 'Pulling' && problem !== undefined ? [{ about: node, reason: `waits: ${problem}` }] : [],
  );
}
