import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import type { PullDecision } from '../pull/decide.ts';
import { parseDuration } from '../values/duration.ts';
import type { Phase, Progress } from './memory.ts';
import type { CheckRequest } from './rollout-context.ts';
import type { RolloutView } from './rollout-view.ts';

type Verb = 'pull' | 'update' | 'run' | 'soak' | 'check' | 'approve';

/**
 * What a plan limits of a kind. `Rollout`: the template has revisions, and a plan limits how many units may be on the new one.
 * `Run`: something is executed once on each unit, and a plan limits on how many it may have been started.
 */
export type Shape = 'Rollout' | 'Run';

/** The verbs that these rules execute, by the shape of the kind. A plan with another verb is refused before it starts. */
export const EXECUTED_VERBS: Readonly<Record<Shape, readonly Verb[]>> = {
  Rollout: ['pull', 'update', 'soak', 'check', 'approve'],
  Run: ['run', 'soak', 'check', 'approve'],
};

/**
 * An update step without a timeout, or a check without a result, fails after this many milliseconds without progress. For an
 * update, `progressDeadlineSeconds` of the target comes first.
 */
export const PROGRESS_DEADLINE_MS = 10 * 60_000;

export function stepVerb(step: Step): Verb {
  if (step.update) return 'update';
  if (step.soak) return 'soak';
  if (step.approve) return 'approve';
  if (step.check) return 'check';
  return step.pull ? 'pull' : 'run';
}

/** The phase a plan is in while it executes a step. */
export function phaseOfStep(step: Step): Phase {
  const verb = stepVerb(step);
  if (verb === 'soak') return 'Soaking';
  if (verb === 'check') return 'Checking';
  return verb === 'approve' ? 'AwaitingApproval' : 'Running';
}

/**
 * What a clock counts: `step` the time of the step; `passing` also the time in which its check passes; `capacity` only
 * the time spent waiting for cluster capacity.
 */
export type Counting = 'step' | 'passing' | 'capacity';

export type StepJudgment =
  | { is: 'done' }
  | { is: 'failed'; reason: string; message: string }
  /**
   * In progress. `counting` undefined: the clocks are stopped. `boundedBy`: the step waits for nothing but this bound to be
   * lifted. `check`: the named check whose result it waits for.
   */
  | {
      is: 'underway';
      counting?: Counting;
      waitingOn: string;
      boundedBy?: string;
      /** When the step is done, and when it fails, if nothing changes until then: milliseconds since 1970. */
      doneAt?: number;
      failsAt?: number;
      check?: CheckRequest;
      /** Images that are pulled to nodes, and the pods that do so. */
      pull?: PullDecision;
    };

/** What a rollout waits for, as one word. */
export type WaitingLabel = 'Pods' | 'Images' | 'Soak' | 'Check' | 'Approval' | 'Bound';

/** What a step waits for, as one word. A gate whose clock is stopped waits for its pods. */
export function waitingLabel(step: Step, judged: StepJudgment & { is: 'underway' }): WaitingLabel {
  if (judged.boundedBy !== undefined) return 'Bound';
  if (step.pull !== undefined) return 'Images';
  if (judged.counting === undefined) return 'Pods';
  if (step.soak !== undefined) return 'Soak';
  if (step.check !== undefined) return 'Check';
  return step.approve === undefined ? 'Pods' : 'Approval';
}

/** The failure of a step whose `timeout` has passed; undefined: it has none, or there is time left. */
export function timedOut(step: Step, progress: Progress): StepJudgment | undefined {
  const timeout = step.timeout === undefined ? undefined : parseDuration(step.timeout);
  if (timeout === undefined || progress.clockMs < timeout) return undefined;
  return { is: 'failed', reason: 'Timeout', message: `${step.id} was not done within ${step.timeout ?? ''}` };
}

/**
 * The judgment of a step in progress whose clocks run.
 *
 * @param waitingOn what it waits for, as the end of a sentence
 * @param leftMs milliseconds until it fails, where it has no `timeout` of its own
 */
export function inProgress(
  waitingOn: string,
  step: Step,
  progress: Progress,
  now: number,
  leftMs = Infinity,
): StepJudgment & { is: 'underway' } {
  const timeout = step.timeout === undefined ? undefined : parseDuration(step.timeout);
  const left = timeout === undefined ? leftMs : timeout - progress.clockMs;
  return {
    is: 'underway',
    counting: 'step',
    waitingOn,
    ...(Number.isFinite(left) ? { failsAt: now + Math.max(left, 0) } : {}),
  };
}

/** What a target without pods waits for. One whose pods are created by others has no number of them. */
export function firstPod({ units }: Pick<RolloutView, 'units'>): string {
  switch (units.of) {
    case 'owned':
    case 'run':
    case 'ticks':
    case 'children':
      return 'a pod: replicas is 0';
    case 'nodes':
      return 'a pod: no node is to have one';
    case 'selected':
      return 'a pod: no pod has its containers';
  }
}
