import { namespaceOption, namespaceText } from '../command/kind-names.ts';
import { manifestOf } from './target-object.ts';
import type { RolloutPlan, Step } from '../../schemas/generated/types/rolloutplan.ts';
import { kindOf } from '../../semantics/kinds/registry.ts';
import { groupKindOf } from '../../semantics/owner.ts';
import { locationOf } from '../../semantics/pod/location.ts';
import { condition, isAvailable, isReady } from '../../semantics/pod/readiness.ts';
import { REVISION_LABEL, type Pod } from '../../semantics/pod/types.ts';
import { forTerminal } from '../../compiler/text/escape.ts';
import { byText } from '../../compiler/text/order.ts';
import { eventsOf, podsOf, type StatusObjects, type TargetStatus, type Verdict } from './read.ts';
import { ageOf, type Drawing, fit, remainingTime, styleOf } from './table.ts';

const MOST = { pods: 30, events: 5 };

/** `stopped`: a command or a change in git ended the rollout there; the step itself did not fail. */
export type StepState = 'done' | 'now' | 'failed' | 'stopped' | 'to come';

/** Reasons of a revert without a failed step. */
const NO_FAILURE = new Set(['RevertAsked', 'WentBack']);

/** A step of the active plan. */
export interface StepStatus {
  id: string;
  state: StepState;
  /** What it does or waits for. */
  what: string;
  /** The command that approves the step; only for pending approvals. */
  command?: string;
}

/** A pod of the target. */
export interface PodStatus {
  name: string;
  revision: string;
  /** The pod's revision: that of the manifest, the stable one, or another one. */
  is: 'updated' | 'old' | 'other';
  available: boolean;
  state: string;
  restarts: number;
  created: string;
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
    `${kind}/${name} ${namespaceText(namespace)}: ${phase || 'no plan'}`,
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
      const text = `  ${pod.name.padEnd(width)}  ${pod.is.padEnd(7)}  ${pod.revision}  ${pod.state}${restarts}, ${ageOf(pod.created, now)}`;
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
    const isOpen = step.approve !== undefined && !isApproved && (state === 'to come' || state === 'now');
    const command = `kruise approve ${kind}/${name}${namespaceOption(namespace)} --step ${step.id} --digest ${spec.digest}`;
    const what = `${whatOf(step)}${isApproved && state !== 'done' ? ', approved in advance' : ''}`;
    return { id: step.id, state, what, ...(isOpen && { command }) };
  });
}

/** The remaining times of the step in progress: until it is done, and until it fails. */
function clockText({ until, deadline }: TargetStatus, now: number): string {
  const parts = [
    ...(until === '' ? [] : [`${remainingTime(until, now)} left`]),
    ...(deadline === '' ? [] : [`fails in ${remainingTime(deadline, now)} unless done`]),
  ];
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

function stateOf(index: number, at: number, { status }: RolloutPlan, verdict: Verdict): StepState {
  const { phase = 'Pending', conditions = [] } = status ?? {};
  if (phase === 'Succeeded') return 'done';
  if (at === -1 || index > at) return 'to come';
  if (index < at) return 'done';
  const isBack = phase === 'Reverting' || phase === 'Reverted';
  const isStopped = isBack && conditions.some(({ reason = '' }) => NO_FAILURE.has(reason));
  if (phase === 'Aborted' || isStopped) return 'stopped';
  return isBack || verdict === 'failed' ? 'failed' : 'now';
}

function whatOf(step: Step): string {
  const limit = step.timeout === undefined ? '' : `, within ${step.timeout}`;
  if (step.update !== undefined) {
    const { to, atLeast, window } = step.update;
    const least = atLeast === undefined ? '' : `, at least ${atLeast}`;
    const unavailable =
      window?.maxUnavailable === undefined ? '' : `, at most ${window.maxUnavailable} unavailable`;
    const surge = window?.maxSurge === undefined ? '' : `, at most ${window.maxSurge} extra`;
    return `update to ${to}${least}${unavailable}${surge}${limit}`;
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
  const most = parallelism === undefined ? '' : `, ${parallelism} at a time`;
  const domain = spread === undefined ? '' : `, one ${spread} at a time`;
  return `run on ${to}${least}${most}${domain}${limit}`;
}

/**
 * The pods of a target: those that are not available first, then the newest. Pods that the kind numbers come by ordinal: they
 * are updated in that order, and keep their names.
 */
export function podStatuses(status: TargetStatus, objects: StatusObjects, now: number): PodStatus[] {
  const { object } = status;
  const minReady = (object && manifestOf(object)?.minReadySeconds) ?? 0;
  const update = shortRevision(object?.status?.updateRevision);
  const current = shortRevision(object?.status?.currentRevision);
  const isNumbered = object !== undefined && kindOf(groupKindOf(object))?.git.named !== undefined;
  return podsOf(status, objects.pods)
    .map((pod): PodStatus => {
      const revision = shortRevision(pod.metadata.labels?.[REVISION_LABEL]);
      const available = isAvailable(pod, minReady, now);
      const is = revision === update ? 'updated' : revision === current ? 'old' : 'other';
      const restarts = (pod.status?.containerStatuses ?? []).map(({ restartCount = 0 }) => restartCount);
      return {
        name: pod.metadata.name,
        revision,
        is,
        available,
        state: available ? 'available' : whyNotAvailable(pod),
        restarts: restarts.reduce((sum, count) => sum + count, 0),
        created: pod.metadata.creationTimestamp ?? '',
      };
    })
    .sort(
      (a, b) =>
        Number(a.available) - Number(b.available) ||
        // Names of one target differ by their numbers alone: the longer one has the higher number.
        (isNumbered ? a.name.length - b.name.length : byText(b.created, a.created)) ||
        byText(a.name, b.name),
    );
}

/** The hash in a revision's name. */
function shortRevision(name = ''): string {
  return name.slice(name.lastIndexOf('-') + 1);
}

function whyNotAvailable(pod: Pod): string {
  if (pod.metadata.deletionTimestamp !== undefined) return 'is being deleted';
  const { unschedulable, problem } = locationOf(pod);
  if (unschedulable !== undefined) return `unschedulable: ${unschedulable}`;
  if (problem !== undefined) return `not available: ${problem}`;
  if (isReady(pod)) return 'ready, not yet available';
  const gate = pod.spec.readinessGates?.find(
    ({ conditionType }) => condition(pod, conditionType)?.status !== 'True',
  );
  if (gate !== undefined) return `not ready: ${gate.conditionType} is not True`;
  const { reason, message } = condition(pod, 'Ready') ?? {};
  const why = message ?? reason;
  return `${pod.status?.phase ?? 'Pending'}, not ready${why === undefined ? '' : `: ${why}`}`;
}

function countsOf(pods: readonly PodStatus[]): string {
  const kinds = ['updated', 'old', 'other'] as const;
  const counts = kinds
    .map((kind) => [pods.filter(({ is }) => is === kind).length, kind] as const)
    .filter(([count]) => count > 0)
    .map(([count, kind]) => `${count} ${kind}`);
  const broken = pods.filter(({ available }) => !available).length;
  return [...counts, ...(broken === 0 ? [] : [`${broken} not available`])].join(', ');
}
