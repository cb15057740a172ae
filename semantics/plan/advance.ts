import { LOOK_MS } from './clocks.ts';
import type { Envelope } from './envelope.ts';
import { envelopeOf } from './envelope-of.ts';
import type { Accepted } from './memory.ts';
import { apply, judge } from './outcomes.ts';
import type { AdvanceInput, Ticker } from './rollout-view.ts';
import {
  type Answer,
  type Blocked,
  inOrder,
  isUnderWay,
  type MemoryWrite,
  replaceWrite,
  startingState,
  type State,
  type Turn,
} from './state.ts';
import { judgeStep, revertDone } from './steps.ts';

export interface Advance {
  /** The target is going, and its memory with it: nothing is decided. */
  gone: boolean;
  /** The plan in force after this look; undefined = none was ever accepted. */
  accepted: Accepted | undefined;
  blocked: Blocked | undefined;
  envelope: Envelope;
  writes: MemoryWrite[];
  turns: Turn[];
  /** Commands answered in this look. */
  answered: Answer[];
  /** Why a plan object that is present is not in force, by its name. */
  pending: Map<string, Blocked>;
  /** What the step waits for, and the bound that holds it, if one does. */
  waitingOn: string;
  boundedBy: string | undefined;
  ticker: Ticker | undefined;
  lookAgainAt: number | undefined;
}

const CAPACITY_OF_A_LOOK = 32;

/**
 * Where a roll-out stands now and what may be done (plan, section 9): pure and level-triggered. The rows of the table
 * are judged from the top until one blocks or nothing more follows; what changed on the way is returned as writes,
 * which must be on record before the envelope is used.
 */
export function advance(input: AdvanceInput): Advance {
  const state = startingState(input);
  for (let turn = 0; turn < CAPACITY_OF_A_LOOK; turn++) {
    const found = judge(state.situation, state.pending);
    if (found === undefined || !apply(state, found)) break;
  }
  completeWithoutPlan(state, input);
  return result(state, input);
}

/** In Auto without a plan the target is complete when every wanted pod, at least one, is on the live revision and available. */
function completeWithoutPlan(state: State, { view, plans, policy }: AdvanceInput): void {
  const phase = state.situation.accepted?.progress.phase;
  const planned =
    (phase !== undefined && (isUnderWay(phase) || phase === 'Reverting')) ||
    plans.some((plan) => plan.spec.to.hash === view.liveHash && state.pending.has(plan.name));
  if (policy !== 'Auto' || planned || state.gone || state.writes.length > 0) return;
  const whole =
    view.replicas > 0 &&
    view.pods.length === view.replicas &&
    view.pods.every((pod) => pod.hash === view.liveHash && pod.available);
  if (whole && (view.stable !== view.liveHash || view.held !== undefined)) {
    state.writes.push({ do: 'complete', hash: view.liveHash, held: undefined });
  }
}

function result(state: State, input: AdvanceInput): Advance {
  const { view, policy, now } = input;
  const { accepted } = state.situation;
  const { blocked } = state;
  let waitingOn = '';
  let boundedBy: string | undefined;
  let clock = false;
  let dueAt: number | undefined;
  if (accepted !== undefined && isUnderWay(accepted.progress.phase) && blocked === undefined) {
    const step = judgeStep(view, accepted, accepted.progress, now);
    if (step.is === 'underway') {
      ({ waitingOn, boundedBy, dueAt } = { boundedBy: undefined, dueAt: undefined, ...step });
      clock = step.clock;
    }
  } else if (accepted?.progress.phase === 'Reverting') {
    waitingOn = revertDone(view, accepted) ? '' : 'pods to go back';
  }
  const { pending } = state;
  const envelope = envelopeOf({ view, accepted, blocked, pending, policy, plans: input.plans, now });
  const settling = policy === 'Auto' && input.plans.length > 0 ? envelope.settlesAt : undefined;
  const ticker = nextTicker(state, input, clock);
  const times = [settling, clock ? Math.min(dueAt ?? Infinity, now + LOOK_MS) : undefined].filter(
    (t) => t !== undefined,
  );
  return {
    gone: state.gone,
    accepted,
    blocked,
    envelope: envelope.envelope,
    writes: inOrder(state.writes),
    turns: state.turns,
    answered: state.answered,
    pending: state.pending,
    waitingOn,
    boundedBy,
    ticker,
    lookAgainAt: times.length === 0 ? undefined : Math.min(...times),
  };
}

/** Clocks run on in memory; they are written when enough has passed, or with whatever else is written. */
function nextTicker(state: State, { view, memory, now }: AdvanceInput, running: boolean): Ticker | undefined {
  const { accepted } = state.situation;
  if (accepted === undefined) return undefined;
  let { progress } = accepted;
  const stored = memory.find((m) => m.spec.digest === accepted.spec.digest)?.progress;
  // Scale-in is followed down and kept, so that scaling out again does not widen the step (plan, section 4).
  // Emptiness says nothing about size: a target that is scaled to 0 comes back with the step as wide as it was.
  if (isUnderWay(progress.phase) && view.replicas > 0 && view.replicas < progress.frozenN) {
    progress = { ...progress, frozenN: view.replicas };
    replaceWrite(state, { ...accepted, progress });
  }
  const unwritten = progress.clockMs - (stored?.step === progress.step ? stored.clockMs : 0);
  const every = Math.max(LOOK_MS, progress.clockMs / 20);
  if (state.writes.length === 0 && unwritten >= every) replaceWrite(state, { ...accepted, progress });
  return { digest: accepted.spec.digest, progress, at: now, running };
}
