import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import type { PullDecision } from '../pull/decide.ts';
import { parseDuration } from '../values/duration.ts';
import { countText } from '../values/text.ts';
import type { Progress } from './memory.ts';
import type { Phase } from './phases.ts';
import type { CheckRequest } from './rollout-context.ts';
import type { Units } from './units.ts';

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
  /** `without`: the units that it has not waited for, for use after a comma. */
  | { is: 'done'; without?: string }
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
      /** Nothing is in progress before this time of a schedule, milliseconds since 1970. */
      beginsAt?: number;
      /** Nothing is in progress, and no time ends that: somebody else makes the pod that it waits for. */
      lacksPods?: true;
      /** Images that are pulled to nodes, and the pods that do so. */
      pull?: PullDecision;
    };

/** What a rollout waits for, as one word. */
export type WaitingLabel = 'Pods' | 'Images' | 'Soak' | 'Check' | 'Approval' | 'Bound' | 'Schedule';

/** What a step waits for, as one word. A gate whose clock is stopped waits for its pods. */
export function waitingLabel(step: Step, judged: StepJudgment & { is: 'underway' }): WaitingLabel {
  if (judged.boundedBy !== undefined) return 'Bound';
  if (judged.beginsAt !== undefined) return 'Schedule';
  if (step.pull !== undefined) return 'Images';
  if (step.approve !== undefined) return 'Approval';
  if (judged.counting === undefined) return 'Pods';
  if (step.soak !== undefined) return 'Soak';
  return step.check === undefined ? 'Pods' : 'Check';
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

/**
 * The judgment of a step that waits for a person or for a time of a schedule. Its clock runs only towards its `timeout`: without
 * one it may wait for days, and a record of that time, written again and again, would say nothing.
 */
export function atRest(judged: StepJudgment): StepJudgment {
  if (judged.is !== 'underway' || judged.failsAt !== undefined) return judged;
  const { counting: _counting, ...rest } = judged;
  return rest;
}

/** The judgment of a step of a target without pods: it waits for the first one, and no clock runs. */
export function withoutPods(view: { units: Units }): StepJudgment {
  return { is: 'underway', waitingOn: firstPod(view), lacksPods: true };
}

/** What a target without pods waits for. One whose pods are created by others has no number of them. */
function firstPod({ units }: { units: Units }): string {
  switch (units.of) {
    case 'owned':
    case 'run':
    case 'ticks':
    case 'children':
      return 'a pod: replicas is 0';
    case 'nodes':
      return 'a pod: no node is to have one';
    case 'selected':
      return `a pod: no pod has its containers${missedText(units.missed)}`;
  }
}

/** What gives running pods the containers that they lack. */
function missedText(missed: number): string {
  if (missed === 0) return '';
  const [have, get] = missed === 1 ? ['has', 'gets'] : ['have', 'get'];
  return `; ${countText(missed, 'pod')} that it selects ${have} none, and ${get} them when recreated`;
}
