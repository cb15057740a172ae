import { createHash } from 'node:crypto';
import type { PullStatus, Step } from '../../schemas/generated/types/rolloutplan.ts';
import { decidePulls, type PullDecision } from '../pull/decide.ts';
import type { NodePull } from '../pull/work.ts';
import { nodesFor } from '../pull/nodes.ts';
import { withoutStop } from './capacity.ts';
import type { Accepted } from './memory.ts';
import type { RolloutContext } from './rollout-context.ts';
import type { RolloutView } from './rollout-view.ts';
import { inProgress, PROGRESS_DEADLINE_MS, type StepJudgment, timedOut } from './step.ts';
import { ownPods } from './units.ts';

/** How many pods are tried on one node: one, and three more, as a job of OpenKruise that pulls does by default (`backoffLimit`). */
const ATTEMPTS = 4;
/** Milliseconds that one attempt may take, the default `timeoutSeconds` of such a job. */
const ATTEMPT_MS = 10 * 60_000;

/**
 * A pull step is done when every node that the pods of the new revision may run on has the images. It fails as soon as one
 * node has failed in every attempt: a pod there could not start either. Nodes that join meanwhile count, and nodes that
 * leave, or are cordoned, do not. Only images of the template are pulled, whatever the plan says.
 */
export function judgePull(
  view: RolloutView,
  accepted: Accepted,
  step: Step,
  { pulls }: Pick<RolloutContext, 'pulls'>,
  now: number,
): StepJudgment {
  const { progress } = accepted;
  const nodes = pulls.nodes();
  if (nodes === 'pending') return { is: 'underway', waitingOn: 'the list of nodes' };
  if ('refused' in nodes) return withoutNodes(step, accepted, nodes.refused, now);
  const { owner } = pulls;
  const own = ownPods(view.units);
  if (own === undefined || owner === undefined || nodes.length === 0) return { is: 'done' };
  const { podSpec } = own;
  const images = step.pull?.images ?? [];
  const { containers, initContainers = [] } = podSpec;
  const inTemplate = new Set([...containers, ...initContainers].map(({ image }) => image));
  const foreign = images.find((image) => !inTemplate.has(image));
  if (foreign !== undefined) {
    const message = `${step.id}: ${foreign} is no image of the template, and nothing else is pulled`;
    return { is: 'failed', reason: 'PullFailed', message };
  }
  const decision = decidePulls(
    {
      owner,
      key: keyOf(accepted, step),
      images,
      podSpec,
      nodes: nodesFor(podSpec, nodes),
      parallelism: step.pull?.parallelism ?? 1,
      attempts: ATTEMPTS,
      attemptMs: ATTEMPT_MS,
      isRefused: pulls.refused !== undefined,
    },
    pulls.pods,
    now,
  );
  const done = decision.nodes.filter(({ state }) => state === 'Present' || state === 'Succeeded').length;
  const have = `${done} of ${decision.nodes.length} nodes have the images`;
  const failed = decision.nodes.filter(({ state }) => state === 'Failed');
  const [first] = failed;
  if (first !== undefined) {
    const more = failed.length === 1 ? '' : ` and ${failed.length - 1} more`;
    const message = `${step.id}: ${first.node}${more} failed ${timesText(first.attempt)} (${first.problem ?? ''}); ${have}`;
    return { is: 'failed', reason: 'PullFailed', message };
  }
  if (done === decision.nodes.length) return { is: 'done' };
  const refusal =
    pulls.refused === undefined ? '' : `. The server refuses a pod: ${withoutStop(pulls.refused)}`;
  const problem = `${problemText(decision.nodes)}${refusal}`;
  if (refusal !== '' && progress.idleMs >= PROGRESS_DEADLINE_MS && !isInProgress(decision.nodes)) {
    return { is: 'failed', reason: 'PullRefused', message: `${step.id}: ${have}${problem}` };
  }
  const timeout = timedOut(step, progress);
  if (timeout?.is === 'failed') return { ...timeout, message: `${timeout.message}: ${have}${problem}` };
  return { ...inProgress(`images: ${have}${problem}`, step, progress, now), pull: decision };
}

/** The runtime may not list nodes: the step fails after ten minutes, unless it gets the right. */
function withoutNodes(step: Step, { progress }: Accepted, refusal: string, now: number): StepJudgment {
  const why = `the right to list nodes: ${refusal}`;
  const timeout = timedOut(step, progress);
  if (timeout !== undefined) return timeout;
  if (progress.idleMs >= PROGRESS_DEADLINE_MS)
    return { is: 'failed', reason: 'NodesForbidden', message: `${step.id} waited for 10m for ${why}` };
  return inProgress(why, step, progress, now, PROGRESS_DEADLINE_MS - progress.idleMs);
}

/** The label value of the pods of one step of one plan. */
function keyOf({ spec }: Accepted, { id }: Step): string {
  return createHash('sha256').update(`${spec.digest}/${id}`).digest('hex').slice(0, 16);
}

function isInProgress(nodes: readonly NodePull[]): boolean {
  return nodes.some(({ state }) => state === 'Pulling');
}

function timesText(attempt: number): string {
  return attempt === 1 ? 'once' : `${attempt} times`;
}

/** The first node by name whose pull has a problem, as an addition in parentheses; '' if there is none. */
function problemText(nodes: readonly NodePull[]): string {
  const [first] = nodes.filter(({ state, problem }) => state === 'Pulling' && problem !== undefined);
  if (first === undefined) return '';
  return ` (${first.node}, attempt ${first.attempt} of ${ATTEMPTS}: ${first.problem ?? ''})`;
}

/** The most nodes that a status lists one by one. */
const MOST_NODES = 20;

/** What the status of a plan says about a pull: failed nodes first, then those with a pull in progress. */
export function pullStatus({ nodes }: PullDecision): PullStatus {
  const of = (...states: NodePull['state'][]): NodePull[] =>
    nodes.filter(({ state }) => states.includes(state));
  const inProgressNow = of('Pulling');
  return {
    nodes: nodes.length,
    done: of('Present', 'Succeeded').length,
    pulling: inProgressNow.length,
    waiting: of('Waiting').length,
    failed: of('Failed').length,
    listed: [...of('Failed'), ...inProgressNow].slice(0, MOST_NODES).map(({ node, attempt, problem }) => ({
      node,
      attempt,
      ...(problem === undefined ? {} : { problem }),
    })),
  };
}
