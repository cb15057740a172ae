import type { PullDecision } from '../pull/decide.ts';
import { CLOCK_OBSERVE_MS } from './clocks.ts';
import type { Envelope } from './envelope.ts';
import { envelopeOf } from './envelope-of.ts';
import type { CreationBackoff } from './creation-backoff.ts';
import { type Accepted, type Progress, retainedRecords } from './memory.ts';
import { apply, judge } from './outcomes.ts';
import { CAPACITY_MS, ownFirst } from './capacity.ts';
import { planArrivalEndsAt } from './command-facts.ts';
import type { AdvanceInput, AwayRecord, ProgressClock } from './advance-input.ts';
import type { Counting } from './step.ts';
import type { CheckRequest, RefusedPod } from './rollout-context.ts';
import type { RolloutView } from './rollout-view.ts';
import { awayRecordedAt, recordAway } from './record-away.ts';
import { overdueAt, STALE_MS, staleAt } from './stale.ts';
import {
  type CommandAnswer,
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
import type { Blocked } from './blocked.ts';
import { withoutPartsOfWholes } from './parts-of-wholes.ts';
import { predecessorsTimeoutAt } from './predecessor.ts';
import { verdictOn } from './verdict.ts';
import { type StepJudgment, type WaitingLabel, waitingLabel } from './step.ts';
import { judgeStep } from './steps.ts';
import { growthOf } from './units.ts';
import { isHeld } from './window.ts';
import { narrowedText } from './window-facts.ts';

export interface Advance {
  /** The target is being deleted, and its records with it: nothing is decided. */
  targetDeleted: boolean;
  /** The active plan after this reconcile; undefined: none was ever accepted. */
  accepted: Accepted | undefined;
  blocked: Blocked | undefined;
  envelope: Envelope;
  writes: MemoryWrite[];
  transitions: PhaseTransition[];
  /** Commands answered in this reconcile. */
  answered: CommandAnswer[];
  /** Why a plan object that is present is not active, by its name. */
  pending: Map<string, Blocked>;
  /** What the step waits for, as the end of a sentence; '' where it waits for nothing. */
  waitingOn: string;
  /** The bound that the step has reached, if any. */
  boundedBy: string | undefined;
  /** What the step waits for, as one word; '' where it waits for nothing. */
  waitingLabel: WaitingLabel | '';
  /**
   * When the step is done, and when it fails, if nothing changes until then: milliseconds since 1970; undefined while its
   * clocks are stopped.
   */
  doneAt: number | undefined;
  failsAt: number | undefined;
  /** When something of the step begins, milliseconds since 1970, while nothing is in progress: the next time of a schedule. */
  beginsAt: number | undefined;
  /** Nothing is in progress until somebody else makes a pod. */
  lacksPods: boolean;
  /** The manifest allows more at a time than the plan that runs: what that keeps, and the command that lets it hold. */
  narrowed: { keeps: string; command: string } | undefined;
  /** The verdict on the live revision, as the end of a sentence; undefined: none applies. */
  verdict: string | undefined;
  /** Writes of pods that the server refuses, as in the context; those of the revision that the plan leads to come first. */
  refusals: readonly RefusedPod[];
  /** Pods or revisions that were repeatedly lost just after their creation. */
  creationBackoff: CreationBackoff | undefined;
  /** The named check whose result the step waits for. */
  check: CheckRequest | undefined;
  /** The pull of images that the step carries out; undefined: none is in progress, or it is blocked. */
  pull: PullDecision | undefined;
  progressClock: ProgressClock | undefined;
  requeueAt: number | undefined;
}

const MAX_TRANSITIONS = 32;
/** More commands are answered in the next reconcile, once these answers are recorded. */
const MAX_ANSWERS = 16;

/**
 * Decides where a rollout stands and what may be done (docs/reference/states.md). The function is pure and
 * level-triggered: it judges the rows of the table from the top, applies the outcome, and repeats until a row blocks or
 * none applies.
 *
 * @returns the envelope for the rules of the kind, and the changed records as `writes`; these must be written before the
 *   envelope is used
 */
export function advance(given: AdvanceInput): Advance {
  const input = { ...given, plans: given.plans.map((plan) => withoutPartsOfWholes(plan, given.view)) };
  const state = startingState(input);
  holdToLimits(state);
  const before = state.answered.length;
  const settle = (): void => {
    for (let transition = 0; transition < MAX_TRANSITIONS; transition++) {
      const found = judge(state.situation, state.pending);
      if (found === undefined || !apply(state, found) || state.answered.length - before >= MAX_ANSWERS) break;
    }
  };
  settle();
  completeWithoutPlan(state, input);
  const followed = followSize(state, input);
  if (followed !== undefined) setProgress(state, followed);
  return result(state, input, recordAway(state, input, settle));
}

/** A plan that an older runtime has accepted is held to the limits that this one sees first, in a manifest that is valid. */
function holdToLimits(state: State): void {
  const { accepted, view } = state.situation;
  if (view.invalid.length > 0) return;
  if (accepted === undefined || accepted.progress.recorded !== undefined || !isHeld(accepted.progress.phase))
    return;
  setProgress(state, { ...accepted.progress, recorded: view.limits.recorded() });
}

/**
 * In Auto without a plan, and while BreakGlass is in effect, the target is complete when every wanted pod, at least one, is
 * on the live revision and available. A plan to another revision ends there, so that it does not undo what BreakGlass has
 * completed.
 */
function completeWithoutPlan(state: State, { view, plans, policy, memory }: AdvanceInput): void {
  const { accepted } = state.situation;
  const isBreakGlass = state.blocked?.fact === 'breakGlass';
  const phase = accepted?.progress.phase;
  const underWay = phase !== undefined && (isUnderWay(phase) || phase === 'Reverting');
  const planned =
    underWay || plans.some((plan) => plan.spec.to.hash === view.liveHash && state.pending.has(plan.name));
  if (state.targetDeleted || state.writes.length > 0 || !(isBreakGlass || (policy === 'Auto' && !planned)))
    return;
  if (!view.rules().isWhole(view) || (view.stable === view.liveHash && view.retained === undefined)) return;
  // A revision with a verdict does not become stable only because all of its pods were available for a moment.
  if (verdictOn(retainedRecords(memory, accepted), view, liveContent(view)) !== undefined) return;
  const ended = phase === undefined || phase === 'Succeeded' || phase === 'Reverted';
  if (isBreakGlass && !ended && goalOf(accepted) !== view.liveHash) {
    const message = 'BreakGlass completed the target on another revision';
    endPlan(state, 'Aborted', 'person', 'BreakGlass', message, view.liveHash);
  }
  state.writes.push({ do: 'complete', hash: view.liveHash, retained: undefined });
}

/** Hash of the revision that a rollout takes the pods to. */
function goalOf(accepted: Accepted | undefined): string | undefined {
  return accepted?.progress.goal ?? accepted?.spec.to.hash;
}

function result(state: State, input: AdvanceInput, away: AwayRecord): Advance {
  const { view, policy, plans, context, now } = input;
  const { accepted } = state.situation;
  const { blocked, pending } = state;
  const phase = accepted?.progress.phase;
  let step: (StepJudgment & { is: 'underway' }) | undefined;
  let waitingOn = '';
  let label: WaitingLabel | '' = '';
  let counting: Counting | undefined;
  if (accepted !== undefined && isUnderWay(accepted.progress.phase) && blocked === undefined) {
    const judged = judgeStep(view, accepted, context, now);
    if (judged.is === 'underway') step = judged;
    const at = accepted.spec.steps[accepted.progress.step];
    if (step !== undefined && at !== undefined) label = waitingLabel(at, step);
    waitingOn = step?.waitingOn ?? '';
    counting = step?.counting;
  } else if (accepted !== undefined && blocked?.fact === 'capacity') {
    counting = 'capacity';
  } else if (accepted !== undefined && phase === 'Reverting') {
    waitingOn = view.rules(accepted.spec).backWaitsFor(view, accepted);
    if (waitingOn !== '') label = 'Pods';
  }
  const verdict = verdictOn(retainedRecords(input.memory, accepted), view, liveContent(view));
  const envelope = envelopeOf({ view, accepted, blocked, pending, policy, verdict, plans, now });
  const settling = policy === 'Auto' && plans.length > 0 ? envelope.settlesAt : undefined;
  const left = CAPACITY_MS - (accepted?.progress.capacityMs ?? 0);
  const { doneAt = Infinity, failsAt = counting === 'capacity' ? now + left : Infinity } = step ?? {};
  const times = [
    settling,
    counting === undefined ? undefined : Math.min(doneAt, failsAt, now + CLOCK_OBSERVE_MS),
    planArrivalEndsAt(state.situation),
    breakGlassExpiresAt(state, now),
    awayRecordedAt(away),
    context.creationBackoff?.requeueAt,
    step?.pull?.requeueAt,
    ...plans
      .filter((plan) => plan.spec.digest !== accepted?.spec.digest)
      .flatMap((plan) => [staleAt(plan, view), overdueAt(plan, view), predecessorsTimeoutAt(plan)]),
    phase !== undefined && isUnderWay(phase) && blocked?.fact === 'manifestElsewhere'
      ? view.liveSince + STALE_MS
      : undefined,
  ].filter((t) => t !== undefined && t > now) as number[];
  const progressClock = nextClock(state, input, counting, away);
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
    waitingLabel: label,
    doneAt: Number.isFinite(doneAt) ? doneAt : undefined,
    failsAt: Number.isFinite(failsAt) ? failsAt : undefined,
    beginsAt: step?.beginsAt,
    lacksPods: step?.lacksPods === true,
    boundedBy: step?.boundedBy,
    narrowed: blocked?.fact === 'breakGlass' ? undefined : narrowedText(view, accepted),
    verdict,
    refusals:
      accepted === undefined ? context.refusals : ownFirst(view, context.refusals, accepted.spec.to.hash),
    creationBackoff: context.creationBackoff,
    check: step?.check,
    pull: step?.pull,
    progressClock,
    requeueAt: times.length === 0 ? undefined : Math.min(...times),
  };
}

/** What of the manifest a plan leads to. */
function liveContent(view: RolloutView): { hash: string; claims: string | undefined } {
  return { hash: view.liveHash, claims: growthOf(view)?.hash };
}

function breakGlassExpiresAt({ situation: { breakGlass } }: State, now: number): number | undefined {
  // One millisecond later, so that the next reconcile finds it expired.
  return breakGlass === undefined ? undefined : Math.max(Date.parse(breakGlass.spec.expires ?? ''), now) + 1;
}

/**
 * Lets the frozen number of units follow the live one, as the rules of the units say, and the record of a way back the units that have
 * followed it.
 */
function followSize({ situation }: State, { inSyncSince, now }: AdvanceInput): Progress | undefined {
  const { accepted, view } = situation;
  if (accepted === undefined) return undefined;
  if (!isUnderWay(accepted.progress.phase)) return view.rules(accepted.spec).followBack(view, accepted);
  return view.rules(accepted.spec).follow(view, accepted, { inSyncSince, now });
}

/**
 * The clocks for the next reconcile. They are kept in memory, and written when enough time has passed, when a broken pod
 * has recovered, or together with other changes.
 */
function nextClock(
  state: State,
  { memory, now }: AdvanceInput,
  counting: Counting | undefined,
  away: AwayRecord,
): ProgressClock | undefined {
  const { accepted } = state.situation;
  if (accepted === undefined) return undefined;
  const { progress } = accepted;
  const stored = memory.find((m) => m.spec.digest === accepted.spec.digest)?.progress;
  const observed = observedMs(progress);
  const unwritten = observed - (stored?.step === progress.step ? observedMs(stored) : 0);
  const interval = Math.max(CLOCK_OBSERVE_MS, observed / 20);
  const hasRecovered =
    stored !== undefined &&
    (lacksOneOf(stored.baseline.unavailable, progress.baseline.unavailable) ||
      lacksOneOf(stored.excused, progress.excused));
  const underWay = isUnderWay(progress.phase) || progress.phase === 'Reverting';
  if (state.writes.length === 0 && (unwritten >= interval || (hasRecovered && underWay)))
    replaceWrite(state, { ...accepted, progress });
  const isRecorded = away.isAhead && state.writes.length > 0;
  return {
    digest: accepted.spec.digest,
    progress,
    at: now,
    counting,
    away: isRecorded ? { recordedAt: now, isAhead: false } : away,
  };
}

/** Whether a stored name is missing now. Others may have joined meanwhile, so that lengths say nothing. */
function lacksOneOf(stored: readonly string[] = [], now: readonly string[] = []): boolean {
  const names = new Set(now);
  return stored.some((name) => !names.has(name));
}

/** All the observed time of this step, in milliseconds. */
function observedMs({ clockMs, capacityMs = 0 }: Progress): number {
  return clockMs + capacityMs;
}
