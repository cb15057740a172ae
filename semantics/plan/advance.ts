import { CLOCK_OBSERVE_MS } from './clocks.ts';
import type { Envelope } from './envelope.ts';
import { envelopeOf } from './envelope-of.ts';
import type { CreationBackoff } from './creation-backoff.ts';
import { type Accepted, type Progress, retainedRecords } from './memory.ts';
import { apply, judge } from './outcomes.ts';
import { CAPACITY_MS } from './capacity.ts';
import { followsAt } from './command-facts.ts';
import type { AdvanceInput, CheckRequest, Counting, RefusedPod, ProgressClock } from './rollout-view.ts';
import { allowedAt } from './sizes.ts';
import { STALE_MS, staleAt } from './stale.ts';
import {
  type CommandAnswer,
  type Blocked,
  endPlan,
  inOrder,
  isUnderWay,
  type MemoryWrite,
  replaceWrite,
  setProgress,
  startingState,
  type State,
  type PhaseTransition,
} from './state.ts';
import { predecessorsTimeoutAt } from './predecessor.ts';
import { verdictOn } from './verdict.ts';
import { type StepJudgement, type WaitingLabel, waitingLabel } from './step.ts';
import { judgeStep, revertWaitsFor } from './steps.ts';

export interface Advance {
  /** The target is going, and its memory with it: nothing is decided. */
  targetDeleted: boolean;
  /** The plan in force after this look; undefined = none was ever accepted. */
  accepted: Accepted | undefined;
  blocked: Blocked | undefined;
  envelope: Envelope;
  writes: MemoryWrite[];
  transitions: PhaseTransition[];
  /** Commands answered in this look. */
  answered: CommandAnswer[];
  /** Why a plan object that is present is not in force, by its name. */
  pending: Map<string, Blocked>;
  /** What the step waits for, and the bound that holds it, if one does. */
  waitingOn: string;
  boundedBy: string | undefined;
  /** The same in a word; '' where nothing is waited for. */
  waitingLabel: WaitingLabel | '';
  /** When the step is done, and when it fails, if nothing happens meanwhile; undefined while its clocks stand. */
  doneAt: number | undefined;
  failsAt: number | undefined;
  /** What a verdict says of the live revision, where one stands. */
  verdict: string | undefined;
  /** A pod that is wanted and that the server refuses to make. */
  refused: RefusedPod | undefined;
  /** What of the target was lost just after it was made, again and again. */
  creationBackoff: CreationBackoff | undefined;
  /** The named check whose answer is waited for. */
  check: CheckRequest | undefined;
  progressClock: ProgressClock | undefined;
  requeueAt: number | undefined;
}

const CAPACITY_OF_A_LOOK = 32;
/** The rest is heard in the next look, when these are on record. */
const ANSWERS_OF_A_LOOK = 16;

/**
 * Where a rollout stands now and what may be done (plan, section 9): pure and level-triggered. The rows of the table
 * are judged from the top until one blocks or nothing more follows; what changed on the way is returned as writes,
 * which must be on record before the envelope is used.
 */
export function advance(input: AdvanceInput): Advance {
  const state = startingState(input);
  const before = state.answered.length;
  for (let turn = 0; turn < CAPACITY_OF_A_LOOK; turn++) {
    const found = judge(state.situation, state.pending);
    if (found === undefined || !apply(state, found) || state.answered.length - before >= ANSWERS_OF_A_LOOK)
      break;
  }
  completeWithoutPlan(state, input);
  followSize(state, input);
  return result(state, input);
}

/**
 * In Auto without a plan, and while the glass is broken, the target is complete when every wanted pod, at least one, is on
 * the live revision and available. What BreakGlass has completed is not undone by the plan it went past: a rollout that
 * led elsewhere has ended.
 */
function completeWithoutPlan(state: State, { view, plans, policy, memory }: AdvanceInput): void {
  const { accepted } = state.situation;
  const broken = state.blocked?.fact === 'breakGlass';
  const phase = accepted?.progress.phase;
  const underWay = phase !== undefined && (isUnderWay(phase) || phase === 'Reverting');
  const planned =
    underWay || plans.some((plan) => plan.spec.to.hash === view.liveHash && state.pending.has(plan.name));
  if (state.targetDeleted || state.writes.length > 0 || !(broken || (policy === 'Auto' && !planned))) return;
  const whole =
    view.replicas > 0 &&
    view.pods.length === view.replicas &&
    view.pods.every((pod) => pod.hash === view.liveHash && pod.available);
  if (!whole || (view.stable === view.liveHash && view.retained === undefined)) return;
  // What has failed is not what a target is made again at, because for a moment all of it was there.
  if (verdictOn(retainedRecords(memory, accepted), view, view.liveHash) !== undefined) return;
  const ended = phase === undefined || phase === 'Succeeded' || phase === 'Reverted';
  if (broken && !ended && goalOf(accepted) !== view.liveHash) {
    const message = 'BreakGlass completed the target on another revision';
    endPlan(state, 'Aborted', 'person', 'BreakGlass', message, view.liveHash);
  }
  state.writes.push({ do: 'complete', hash: view.liveHash, retained: undefined });
}

/** Where a rollout takes the pods, or would have. */
function goalOf(accepted: Accepted | undefined): string | undefined {
  return accepted?.progress.goal ?? accepted?.spec.to.hash;
}

function result(state: State, input: AdvanceInput): Advance {
  const { view, policy, plans, context, now } = input;
  const { accepted } = state.situation;
  const { blocked, pending } = state;
  const phase = accepted?.progress.phase;
  let step: (StepJudgement & { is: 'underway' }) | undefined;
  let waitingOn = '';
  let word: WaitingLabel | '' = '';
  let counting: Counting | undefined;
  if (accepted !== undefined && isUnderWay(accepted.progress.phase) && blocked === undefined) {
    const judged = judgeStep(view, accepted, context, now);
    if (judged.is === 'underway') step = judged;
    const at = accepted.spec.steps[accepted.progress.step];
    if (step !== undefined && at !== undefined) word = waitingLabel(at, step);
    waitingOn = step?.waitingOn ?? '';
    counting = step?.counting;
  } else if (accepted !== undefined && blocked?.fact === 'capacity') {
    counting = 'capacity';
  } else if (accepted !== undefined && phase === 'Reverting') {
    waitingOn = revertWaitsFor(view, accepted);
    if (waitingOn !== '') word = 'Pods';
  }
  const verdict = verdictOn(retainedRecords(input.memory, accepted), view, view.liveHash);
  const envelope = envelopeOf({ view, accepted, blocked, pending, policy, verdict, plans, now });
  const settling = policy === 'Auto' && plans.length > 0 ? envelope.settlesAt : undefined;
  const left = CAPACITY_MS - (accepted?.progress.capacityMs ?? 0);
  const { doneAt = Infinity, failsAt = counting === 'capacity' ? now + left : Infinity } = step ?? {};
  const times = [
    settling,
    counting === undefined ? undefined : Math.min(doneAt, failsAt, now + CLOCK_OBSERVE_MS),
    followsAt(state.situation),
    glassExpiresAt(state, now),
    context.creationBackoff?.requeueAt,
    ...plans
      .filter((plan) => plan.spec.digest !== accepted?.spec.digest)
      .flatMap((plan) => [staleAt(plan, view), predecessorsTimeoutAt(plan)]),
    phase !== undefined && isUnderWay(phase) && blocked?.fact === 'manifestElsewhere'
      ? view.liveSince + STALE_MS
      : undefined,
  ].filter((t) => t !== undefined && t > now) as number[];
  const progressClock = nextTicker(state, input, counting);
  return {
    targetDeleted: state.targetDeleted,
    accepted,
    blocked,
    envelope: envelope.envelope,
    writes: inOrder(state.writes, accepted?.spec.digest),
    transitions: state.transitions,
    answered: state.answered,
    pending,
    waitingOn,
    waitingLabel: word,
    doneAt: Number.isFinite(doneAt) ? doneAt : undefined,
    failsAt: Number.isFinite(failsAt) ? failsAt : undefined,
    boundedBy: step?.boundedBy,
    verdict,
    refused: context.refused,
    creationBackoff: context.creationBackoff,
    check: step?.check,
    progressClock,
    requeueAt: times.length === 0 ? undefined : Math.min(...times),
  };
}

function glassExpiresAt({ situation: { breakGlass } }: State, now: number): number | undefined {
  // An expiry is compared with the look's own time: a look at that very moment would still find it in force.
  return breakGlass === undefined ? undefined : Math.max(Date.parse(breakGlass.spec.expires ?? ''), now) + 1;
}

/**
 * Scale-in is followed down and kept, so that scaling out again does not widen the step (plan, section 4); but a step that
 * allowed a pod allows one. Emptiness says nothing about size: a target that is scaled to 0 comes back with the step as
 * wide as it was, and a step that began at 0 begins when there is something to take.
 */
function followSize(state: State, { view }: AdvanceInput): void {
  const { accepted } = state.situation;
  if (accepted === undefined || !isUnderWay(accepted.progress.phase) || view.replicas === 0) return;
  const { progress } = accepted;
  if (progress.frozenN > 0 && view.replicas >= progress.frozenN) return;
  const allowed = (n: number): number =>
    allowedAt(view, { ...accepted, progress: { ...progress, frozenN: n } }, progress.step);
  let frozenN = view.replicas;
  if (allowed(progress.frozenN) > 0) while (frozenN < progress.frozenN && allowed(frozenN) === 0) frozenN++;
  if (frozenN !== progress.frozenN) setProgress(state, { ...progress, frozenN });
}

/** Clocks run on in memory; they are written when enough has passed, or with whatever else is written. */
function nextTicker(
  state: State,
  { memory, now }: AdvanceInput,
  counting: Counting | undefined,
): ProgressClock | undefined {
  const { accepted } = state.situation;
  if (accepted === undefined) return undefined;
  const { progress } = accepted;
  const stored = memory.find((m) => m.spec.digest === accepted.spec.digest)?.progress;
  const observed = observedMs(progress);
  const unwritten = observed - (stored?.step === progress.step ? observedMs(stored) : 0);
  const every = Math.max(CLOCK_OBSERVE_MS, observed / 20);
  const mended =
    stored !== undefined &&
    (stored.baseline.unavailable.length > progress.baseline.unavailable.length ||
      (stored.excused?.length ?? 0) > (progress.excused?.length ?? 0));
  const underWay = isUnderWay(progress.phase) || progress.phase === 'Reverting';
  if (state.writes.length === 0 && (unwritten >= every || (mended && underWay)))
    replaceWrite(state, { ...accepted, progress });
  return { digest: accepted.spec.digest, progress, at: now, counting };
}

/** All the time that this step was observed. */
function observedMs({ clockMs, capacityMs = 0 }: Progress): number {
  return clockMs + capacityMs;
}
