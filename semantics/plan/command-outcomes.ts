import { atStep, freshProgress, nextSeq } from './accept.ts';
import { excusing } from './baseline.ts';
import { pausedBy, thePlan } from './command-facts.ts';
import { type Accepted, type Progress, previouslyAccepted } from './memory.ts';
import type { Phase } from './phases.ts';
import type { Command } from './advance-input.ts';
import { downAccepted } from './nodes-down.ts';
import type { PlanObject } from './plan-object.ts';
import { judgedFromNow, rerunOf } from './rerun.ts';
import { remediationCommand } from './remediation-command.ts';
import type { FactDetails, JudgedFact } from './situation.ts';
import { type CommandAnswer, endPlan, replaceWrite, setProgress, type State, startRevert } from './state.ts';
import { type Column, columnOf, type FactName, type Outcome } from './table.ts';

/** Executes or refuses a command and answers it once; the record has the uid of the command. */
export function processCommand(state: State, { fact, outcome, found, object }: JudgedFact): void {
  const { command } = found;
  if (command === undefined) return;
  const { accepted } = state.situation;
  // A command about a plan object that waits is recorded until that plan is accepted.
  const waiting =
    object ?? found.plan ?? (accepted === undefined ? thePlan(state.situation.plans) : undefined);
  if (outcome === 'refuse') {
    refuse(state, fact, found, command, waiting === undefined ? accepted?.progress.phase : undefined);
    return;
  }
  if (outcome === 'grant') {
    const { message } = found;
    answerCommand(state, command, 'Accepted', message);
    if (fact === 'breakGlassAsked') state.transitions.push({ reason: 'BreakGlass', message, warning: true });
    return;
  }
  const answered = `${found.message}${stillPaused(state, fact, waiting ?? accepted)}`;
  if (waiting !== undefined) {
    answer(state, command, 'Accepted', answered);
    recordBeforeAcceptance(state, waiting, outcome, found, command);
    return;
  }
  answerCommand(state, command, 'Accepted', answered);
  if (state.situation.accepted !== undefined)
    effects[outcome]?.(state, state.situation.accepted.progress, command, found.message);
}

/** Added to the answer to an approval of a paused rollout, as the end of a sentence; '' if it is not paused. */
function stillPaused({ situation }: State, fact: FactName, plan: Pick<Accepted, 'spec'> | undefined): string {
  if (fact !== 'approveAsked' || plan === undefined || pausedBy(situation) === undefined) return '';
  return `; it is still paused: ${remediationCommand('resume', situation.view, plan)}`;
}

function refuse(
  state: State,
  fact: FactName,
  { message }: FactDetails,
  command: Command,
  phase: Phase = 'Pending',
) {
  const { view } = state.situation;
  const { action, step, by = 'a user' } = command.spec;
  const what = `${action}${step === undefined ? '' : ` of ${step}`} by ${by}`;
  const hasOwnMessage =
    fact === 'commandElsewhere' || fact === 'commandImpossible' || fact === 'commandExpired';
  const why = hasOwnMessage
    ? message
    : action === 'Resume'
      ? `${view.kind}/${view.name} is ${phase}, not paused: there is nothing to resume`
      : `it has no effect while the rollout is ${phase}: ${refusalReason(action, columnOf(phase))}`;
  answerCommand(state, command, fact === 'commandExpired' ? 'Expired' : 'Refused', `${what}: ${why}`);
}

/** Why a command has no effect in this phase, and what to do instead. */
function refusalReason(action: Exclude<Command['spec']['action'], 'Resume'>, column: Column): string {
  if (column === 'Succeeded')
    return action === 'Revert' || action === 'Abort'
      ? 'every step is done; to move the pods back, revert the commit in git'
      : 'every step is done';
  switch (action) {
    case 'Revert':
      return 'no pod was updated; to drop the change, revert the commit in git';
    case 'Approve':
      return column === 'Reverting' ? 'a revert needs no approval' : 'it starts no step until it is resumed';
    case 'Pause':
      return 'it updates no pods in this phase';
    case 'Abort':
    case 'BreakGlass':
      return 'it has ended';
  }
}

type Effect = (state: State, progress: Progress, command: Command, message: string) => void;

/** The effect of each outcome on the active plan. */
const effects: Partial<Record<Outcome, Effect>> = {
  keep: (state, progress, command, message) =>
    setProgress(
      state,
      { ...approved(progress, command), ...downApproved(state.situation, progress, command) },
      { reason: 'Approved', message, warning: false },
    ),
  abort: (state, _progress, _command, message) => endPlan(state, 'Aborted', 'person', 'Aborted', message),
  revert: (state, progress, _command, message) => {
    setProgress(state, withoutPause(progress));
    startRevert(state, state.situation.view.stable, 'person', 'RevertAsked', message);
  },
  pause: (state, progress, command, message) =>
    setProgress(
      state,
      { ...progress, paused: paused(command) },
      { reason: 'Paused', message, warning: false },
    ),
  unpause: (state, progress, _command, message) =>
    setProgress(
      state,
      { ...withoutPause(progress), ...downAccepted(state.situation.view, progress) },
      { reason: 'Resumed', message, warning: false },
    ),
  resume: (state, _progress, _command, message) => resume(state, message),
};

/** Who approves the step that waits accepts what is down. Of an outage after an early approval, nobody knew. */
function downApproved(
  { view, accepted }: State['situation'],
  progress: Progress,
  { spec: { step } }: Command,
): Pick<Progress, 'down'> {
  return accepted?.spec.steps[progress.step]?.id === step ? downAccepted(view, progress) : {};
}

/** Continues at the failed step, with its clocks at zero. */
function resume(state: State, message: string): void {
  const { accepted, view, now } = state.situation;
  if (accepted === undefined) return;
  const { progress, spec } = accepted;
  const excused = excusing(view, spec.to.hash, progress);
  const again = {
    ...atStep(state, progress, progress.step),
    ...excused,
    ...downAccepted(view, { ...progress, ...excused }),
    ...rerunOf(view, spec.to.hash),
    ...judgedFromNow(view, now),
  };
  setProgress(state, again, { reason: 'Resumed', message, warning: false });
}

/** Records a command about a plan that is not active yet, in a record whose phase is Pending. */
function recordBeforeAcceptance(
  state: State,
  plan: PlanObject,
  outcome: JudgedFact['outcome'],
  found: FactDetails,
  command: Command,
): void {
  const { message } = found;
  const { view, memory } = state.situation;
  if (outcome === 'abort') {
    // A verdict before the plan started: it becomes the active plan, in phase Aborted, and all pods stay on stable.
    const { seq, ...fresh } = freshProgress(state, nextSeq(state), plan.spec.to.hash, []);
    const progress: Progress = {
      ...fresh,
      seq,
      phase: 'Aborted',
      cause: 'person',
      reason: 'Aborted',
      message,
      goal: view.stable,
      consumed: consumed(state, fresh.consumed, command.uid),
    };
    state.writes.push({ do: 'accept', spec: plan.spec, progress });
    state.situation = { ...state.situation, accepted: unwritten(plan, progress) };
    state.transitions.push({ reason: 'Aborted', message, warning: true });
    return;
  }
  const known = previouslyAccepted(memory, plan.spec.digest);
  const before: Progress = known?.progress ?? {
    ...freshProgress(state, nextSeq(state), plan.spec.to.hash, []),
    phase: 'Pending',
    consumed: [],
  };
  const progress: Progress = {
    ...withCommand(before, outcome, command),
    consumed: consumed(state, before.consumed, command.uid),
  };
  const record = { ...(known ?? unwritten(plan, progress)), progress };
  if (known === undefined) state.writes.push({ do: 'accept', spec: plan.spec, progress });
  else replaceWrite(state, record);
  state.situation = {
    ...state.situation,
    memory: [...memory.filter((m) => m !== known), record],
  };
  const reasons: Partial<Record<JudgedFact['outcome'], string>> = { keep: 'Approved', pause: 'Paused' };
  state.transitions.push({ reason: reasons[outcome] ?? 'Resumed', message, warning: false });
}

function withCommand(progress: Progress, outcome: JudgedFact['outcome'], command: Command): Progress {
  if (outcome === 'keep') return approved(progress, command);
  return outcome === 'pause' ? { ...progress, paused: paused(command) } : withoutPause(progress);
}

function approved(progress: Progress, { spec: { step } }: Command): Progress {
  if (step === undefined) return progress;
  return { ...progress, approved: [...new Set([...progress.approved, step])].sort() };
}

function paused({ spec: { by, reason } }: Command): NonNullable<Progress['paused']> {
  return { by: by ?? 'a user', ...(reason === undefined ? {} : { reason }) };
}

function withoutPause({ paused: _paused, ...progress }: Progress): Progress {
  return progress;
}

function unwritten(plan: PlanObject, progress: Progress) {
  const object = { apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata: { name: '' } };
  return { name: '', spec: plan.spec, progress, object };
}

/** The last twenty uids, and those of all commands whose objects show no answer yet, so that none is executed twice. */
function consumed({ unanswered }: State, before: readonly string[], entry: string): string[] {
  const all = [...before, entry];
  return all.filter((each, i) => i >= all.length - 20 || unanswered.has(each.replace('!', '')));
}

/** Answers a command, removes it from the open ones, and records its uid in the active plan. */
export function answerCommand(
  state: State,
  command: Command,
  result: CommandAnswer['result'],
  message: string,
): void {
  answer(state, command, result, message);
  if (result !== 'Accepted') state.transitions.push({ reason: `Command${result}`, message, warning: true });
  const { accepted } = state.situation;
  if (accepted === undefined) return;
  const entry = result === 'Accepted' ? command.uid : `!${command.uid}`;
  setProgress(state, { ...accepted.progress, consumed: consumed(state, accepted.progress.consumed, entry) });
}

function answer(
  state: State,
  { uid, name }: Command,
  result: CommandAnswer['result'],
  message: string,
): void {
  state.answered.push({ uid, name, result, message });
  const commands = state.situation.commands.filter((c) => c.uid !== uid);
  state.situation = { ...state.situation, commands };
}
