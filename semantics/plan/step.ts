import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import { parseDuration } from '../values/duration.ts';
import type { Phase, Progress } from './memory.ts';
import type { CheckRequest, Counting } from './rollout-view.ts';

/** The verbs that these semantics execute; a plan with another is refused as a whole before it starts. */
export const EXECUTED_VERBS = ['update', 'soak', 'check', 'approve'] as const;

/** An update step without a timeout, or a check without an answer, fails after this long; an update unless the target says otherwise. */
export const PROGRESS_DEADLINE_MS = 10 * 60_000;

export function stepVerb(step: Step): 'pull' | 'update' | 'run' | 'soak' | 'check' | 'approve' {
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

export type StepJudgement =
  | { is: 'done' }
  | { is: 'failed'; reason: string; message: string }
  /**
   * Under way. `counting` undefined: the clocks stand. `boundedBy`: nothing to wait for but a bound. `check`: the answer
   * that is waited for.
   */
  | {
      is: 'underway';
      counting?: Counting;
      waitingOn: string;
      boundedBy?: string;
      /** When it is done, and when it has failed, if nothing happens meanwhile: milliseconds since 1970. */
      doneAt?: number;
      failsAt?: number;
      check?: CheckRequest;
    };

/** What a rollout waits for, in a word. */
export type WaitingLabel = 'Pods' | 'Soak' | 'Check' | 'Approval' | 'Bound';

/** The word for what a step waits for: a gate whose clock stands waits for its pods. */
export function waitingLabel(step: Step, judged: StepJudgement & { is: 'underway' }): WaitingLabel {
  if (judged.boundedBy !== undefined) return 'Bound';
  if (judged.counting === undefined) return 'Pods';
  if (step.soak !== undefined) return 'Soak';
  if (step.check !== undefined) return 'Check';
  return step.approve === undefined ? 'Pods' : 'Approval';
}

export function timedOut(step: Step, progress: Progress): StepJudgement | undefined {
  const timeout = step.timeout === undefined ? undefined : parseDuration(step.timeout);
  if (timeout === undefined || progress.clockMs < timeout) return undefined;
  return { is: 'failed', reason: 'Timeout', message: `${step.id} was not done within ${step.timeout ?? ''}` };
}

export function inProgress(
  waitingOn: string,
  step: Step,
  progress: Progress,
  now: number,
  leftMs = Infinity,
): StepJudgement & { is: 'underway' } {
  const timeout = step.timeout === undefined ? undefined : parseDuration(step.timeout);
  const left = timeout === undefined ? leftMs : timeout - progress.clockMs;
  return {
    is: 'underway',
    counting: 'step',
    waitingOn,
    ...(Number.isFinite(left) ? { failsAt: now + Math.max(left, 0) } : {}),
  };
}
