import { namespaceOption, namespaceText } from '../command/kind-names.ts';
import type { RolloutPlan, Step } from '../../schemas/generated/types/rolloutplan.ts';
import { subsetsText } from '../../semantics/plan/step-subsets.ts';
import { UNLIMITED } from '../../semantics/run/wave.ts';
import { imagesText } from '../../compiler/render/earlier-text.ts';
import { forTerminal } from '../../compiler/text/escape.ts';
import { countsOf, podStatuses } from './pods.ts';
import { eventsOf, shownPhase, type StatusObjects, type TargetStatus, type Verdict } from './read.ts';
import { ageOf, type Drawing, fit, remainingTime, styleOf } from './table.ts';

const MOST = { pods: 30, events: 5 };

/**
 * `not done`: the rollout has ended before it. `stopped`: a command, a change in git or a fault of the plan stopped the rollout there; the
 * step itself did not fail.
 */
export type StepState = 'done' | 'now' | 'failed' | 'stopped' | 'to come' | 'not done';

/** Reasons of a revert without a failed step. */
const NO_FAILURE = new Set(['RevertAsked', 'WentBack']);

/** Phases in which no step is to come, and every approval is refused (docs/reference/rollout-commands.md, by phase). */
const OVER: ReadonlySet<string> = new Set(['Reverting', 'Aborted', 'Reverted', 'Succeeded']);

/** A step of the active plan. */
export interface StepStatus {
  id: string;
  state: StepState;
  /** What it does or waits for. */
  what: string;
  /** The command that approves the step; only for pending approvals. */
  command?: string;
}

/** One target as lines: its plan, steps, pods and latest Events. */
export function statusTree(status: TargetStatus, objects: StatusObjects, drawing: Drawing): string[] {
  const { paint, now } = drawing;
  const lines: string[] = [];
  const add = (text: string, style?: Parameters<typeof paint>[0]): void => {
    const line = fit(forTerminal(text), drawing.columns);
    lines.push(style === undefined ? line : paint(style, line));
  };
  const { namespace, kind, name, plan, phase } = status;
  add(
    `${kind}/${name} ${namespaceText(namespace)}: ${shownPhase(status)}`,
    styleOf(status.verdict, phase) ?? 'bold',
  );
  // The message may contain a command to copy: it is never cut.
  if (status.message !== '') lines.push(`  ${forTerminal(status.message)}`);
  if (status.waitingOn !== '' && status.message === '') add(`  waits for ${status.waitingOn}`);
  if (status.counts !== '') add(`  ${status.counts}`);
  if (plan !== undefined) {
    const attempt = plan.spec.attempt === undefined ? '' : `, attempt ${plan.spec.attempt}`;
    add('');
    const own = plan.status?.phase ?? phase;
    const ended = own === phase ? '' : `: ${own}`;
    add(`Plan ${plan.metadata.name}, ${plan.spec.digest}${attempt}${ended}`, 'bold');
    if (plan.status?.digest !== undefined && plan.status.digest !== plan.spec.digest)
      add(`  the active plan is another one: ${plan.status.digest}`, 'yellow');
    const steps = stepsOf(status, plan);
    const clock = clockText(status, now);
    const width = Math.max(...steps.map(({ id }) => id.length));
    for (const { id, state, what, command } of steps) {
      const style = state === 'failed' ? 'red' : state === 'now' ? 'cyan' : 'dim';
      add(`  ${state.padEnd(9)}${id.padEnd(width)}  ${what}${state === 'now' ? clock : ''}`, style);
      if (command !== undefined && state !== 'now') lines.push(`  ${''.padEnd(9)}${forTerminal(command)}`);
    }
  }
  const pods = podStatuses(status, objects, now);
  if (pods.length > 0) {
    add('');
    add(`Pods (${countsOf(pods)})`, 'bold');
    const width = Math.max(...pods.map((pod) => pod.name.length));
    for (const pod of pods.slice(0, MOST.pods)) {
      const isIncluded = pod.restarts === 0 || pod.state.includes(' restart');
      const restarts = isIncluded ? '' : `, restarts: ${pod.restarts}`;
      const revision = pod.is === 'run' ? '' : `${pod.is.padEnd(7)}  ${pod.revision}  `;
      const runs = pod.images === undefined ? '' : `, runs ${imagesText(pod.images)}`;
      const text = `  ${pod.name.padEnd(width)}  ${revision}${pod.state}${restarts}${runs}, ${ageOf(pod.created, now)}`;
      add(text, pod.available ? undefined : 'yellow');
    }
    if (pods.length > MOST.pods) add(`  … and ${pods.length - MOST.pods} more; -o json lists all`);
  }
  const events = eventsOf(status, objects.events).slice(0, MOST.events);
  if (events.length > 0) {
    add('');
    add('Events, newest first', 'bold');
    for (const { at, reason, message, count } of events)
      add(`  ${ageOf(at, now).padEnd(5)} ${reason}${count > 1 ? ` (${count} times)` : ''}: ${message}`);
  }
  return lines;
}

/** The steps of a plan; none of them is done while another plan is active. */
export function stepsOf({ namespace, kind, name, verdict }: TargetStatus, plan: RolloutPlan): StepStatus[] {
  const { spec, status } = plan;
  const isActive = status?.digest === spec.digest && status.step !== undefined;
  const at = isActive ? spec.steps.findIndex(({ id }) => id === status.step) : -1;
  return spec.steps.map((step, index) => {
    const state = stateOf(index, at, plan, verdict);
    const isApproved = step.approve !== undefined && status?.approved?.includes(step.id) === true;
    const isPending = step.approve !== undefined && !isApproved && (state === 'to come' || state === 'now');
    const isOpen = isPending && !OVER.has(status?.phase ?? '');
    const command = `kruise approve ${kind}/${name}${namespaceOption(namespace)} --step ${step.id} --digest ${spec.digest}`;
    const what = `${whatOf(step)}${isApproved && state !== 'done' ? ', approved in advance' : ''}`;
    return { id: step.id, state, what, ...(isOpen && { command }) };
  });
}

/** The remaining times of the step in progress: until it is done or something of it begins, and until it fails. */
function clockText({ until, deadline, waitingOn }: TargetStatus, now: number): string {
  const span = remainingTime(until, now);
  const parts = [
    ...(until === '' ? [] : [waitingOn === 'Schedule' ? `next time in ${span}` : `${span} left`]),
    ...(deadline === '' ? [] : [`fails in ${remainingTime(deadline, now)} unless done`]),
  ];
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

function stateOf(index: number, at: number, { status }: RolloutPlan, verdict: Verdict): StepState {
  const { phase = 'Pending', conditions = [] } = status ?? {};
  if (phase === 'Succeeded') return 'done';
  if (at === -1 || index > at) return at !== -1 && OVER.has(phase) ? 'not done' : 'to come';
  if (index < at) return 'done';
  const isBack = phase === 'Reverting' || phase === 'Reverted';
  const isStopped = isBack && conditions.some(({ reason = '' }) => NO_FAILURE.has(reason));
  if (phase === 'Aborted' || isStopped) return 'stopped';
  if (isBack) return 'failed';
  if (verdict !== 'failed') return 'now';
  // What else stalls a plan is about the plan, such as one that was edited.
  return phase === 'Halted' ? 'failed' : 'stopped';
}

/** What a step does, in the words of its plan. */
export function whatOf(step: Step): string {
  const limit = step.timeout === undefined ? '' : `, within ${step.timeout}`;
  if (step.update !== undefined) {
    const { to, atLeast, subsets, window } = step.update;
    const of = subsets === undefined ? '' : ` of ${subsetsText(subsets)}`;
    const least = atLeast === undefined ? '' : `, at least ${atLeast}`;
    const unavailable =
      window?.maxUnavailable === undefined ? '' : `, at most ${window.maxUnavailable} unavailable`;
    const surge =
      window?.maxSurge === undefined || window.maxSurge === 0 ? '' : `, at most ${window.maxSurge} extra`;
    return `update to ${to}${of}${least}${unavailable}${surge}${limit}`;
  }
  if (step.soak !== undefined) return `soak for ${step.soak.for}${limit}`;
  if (step.check !== undefined) {
    const time = step.check.for === undefined ? '' : ` for ${step.check.for}`;
    return `check ${step.check.use}${time}${limit}`;
  }
  if (step.approve !== undefined) return `wait for approval${limit}`;
  if (step.pull !== undefined) return `pull ${step.pull.images.join(', ')}${limit}`;
  if (step.run === undefined) return `run${limit}`;
  const { to, atLeast, parallelism, spread } = step.run;
  const least = atLeast === undefined ? '' : `, at least ${atLeast}`;
  const most = parallelism === undefined || parallelism === UNLIMITED ? '' : `, ${parallelism} at a time`;
  const domain = spread === undefined ? '' : `, one ${spread} at a time`;
  return `run on ${to}${least}${most}${domain}${limit}`;
}
