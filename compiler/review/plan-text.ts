import type { PlanPredecessor, Step, Wave } from '../../schemas/generated/types/rolloutplan.ts';
import { nodesWith } from '../../semantics/plan/step-nodes.ts';
import { subsetsText } from '../../semantics/plan/step-subsets.ts';
import { parseDuration, formatDuration } from '../../semantics/values/duration.ts';
import { listed } from '../../semantics/values/listed.ts';
import type { IntOrPercent } from '../../semantics/values/int-or-percent.ts';
import { UNLIMITED } from '../../semantics/run/wave.ts';
import { gatesOf } from '../forecast/gates.ts';
import { namesText } from '../render/change-text.ts';
import { shorten } from '../text/escape.ts';
import type { StepsFrom } from '../plan/change.ts';

const MOST_CHARACTERS = 80;

/** What equal plans of several targets have in common. */
export interface CommonPlan {
  steps: readonly Step[];
  waves: readonly Wave[];
  stepsFrom: StepsFrom | undefined;
  /** Targets whose rollouts come first. */
  after: readonly PlanPredecessor[];
  /** The group of the rollout queue. */
  queue: string | undefined;
}

/**
 * A plan in one line, without what hangs on the size of a target: `2 at a time; batches 5%, 50%, 100%; soak 10m between batches;
 * approval after batch 1; a failed step goes back; rule 3 of kruise.yaml`.
 */
export function planText({ steps, waves, stepsFrom, after, queue }: CommonPlan): string {
  return [
    ...(steps.some(({ pull }) => pull !== undefined) ? ['images are pulled first'] : []),
    ...sequenceText(steps),
    ...(waves.length > 1 ? [`each time: ${sequenceText(waves).join('; ')}`] : []),
    gatesOf(steps).onFailure === 'Revert' ? 'a failed step goes back' : 'a failed step halts',
    ...(after.length === 0 ? [] : [`after ${namesText(after)}`]),
    ...(queue === undefined ? [] : [`group ${shorten(queue, MOST_CHARACTERS)} of the queue`]),
    ...originText(stepsFrom),
  ].join('; ');
}

/** The pace, the batches and the gates of the steps. */
function sequenceText(steps: readonly (Step | Wave)[]): string[] {
  const batches = steps.flatMap((step) => batchOf(step) ?? []);
  const paces = [...new Set(batches.map(({ pace }) => pace))].filter((pace) => pace !== '');
  const sizes = batches.map(({ size }) => size);
  return [
    ...(paces.length === 0 ? [] : [paces.join(', then ')]),
    ...(sizes.length > 1 ? [`batches ${sizes.join(', ')}`] : sizes.map((size) => `one batch to ${size}`)),
    ...gateTexts(steps, batches.length),
  ];
}

interface BatchText {
  size: string;
  /** How many units at a time; '' where the plan does not say it. */
  pace: string;
}

/** Undefined: the step updates nothing. */
function batchOf(step: Step | Wave): BatchText | undefined {
  if ('update' in step && step.update !== undefined) {
    const { to, atLeast = 1, nodes, spread, subsets, window = {} } = step.update;
    const { maxUnavailable, maxSurge } = window;
    const units = nodes === undefined ? subsets && subsetsText(subsets) : nodesWith(nodes);
    const of = units === undefined ? '' : ` of ${shorten(units, MOST_CHARACTERS)}`;
    return {
      size: `${to}${leastText(to, atLeast)}${of}${spreadText(spread)}`,
      pace: atATime(maxUnavailable, maxSurge),
    };
  }
  if (step.run === undefined) return undefined;
  const { to, atLeast = 1, parallelism, spread } = step.run;
  const isLimited = parallelism !== undefined && parallelism !== UNLIMITED;
  return {
    size: `${to}${leastText(to, atLeast)}${spreadText(spread)}`,
    pace: isLimited ? `${parallelism} at a time` : '',
  };
}

function leastText(to: IntOrPercent, atLeast: number): string {
  return typeof to === 'string' && to !== '100%' && atLeast !== 1 ? ` (at least ${atLeast})` : '';
}

function spreadText(spread: string | undefined): string {
  return spread === undefined ? '' : ` (one ${shorten(spread, MOST_CHARACTERS)} after the other)`;
}

function atATime(down: IntOrPercent | undefined, extra: IntOrPercent | undefined): string {
  const isNone = (limit: IntOrPercent | undefined): boolean =>
    limit === undefined || limit === 0 || limit === '0%';
  if (isNone(extra)) return isNone(down) ? '' : `${down} at a time`;
  return isNone(down) ? `${extra} extra at a time` : `${down} at a time, with up to ${extra} extra`;
}

/** The gates with the numbers of the batches that they follow, from 1; each text once. */
function gateTexts(steps: readonly (Step | Wave)[], batches: number): string[] {
  const after = new Map<string, number[]>();
  let batch = 0;
  for (const step of steps) {
    const gate = gateOf(step);
    if (batchOf(step) !== undefined) batch += 1;
    else if (gate !== undefined) after.set(gate, [...(after.get(gate) ?? []), batch]);
  }
  return [...after].map(([gate, numbers]) => `${gate} ${afterText([...new Set(numbers)], batches)}`);
}

function gateOf(step: Step | Wave): string | undefined {
  if (step.soak !== undefined) return `soak ${durationText(step.soak.for)}`;
  if (step.check !== undefined) {
    const { use, for: time } = step.check;
    return `check ${shorten(use, MOST_CHARACTERS)}${time === undefined ? '' : ` for ${durationText(time)}`}`;
  }
  return 'approve' in step && step.approve !== undefined ? 'approval' : undefined;
}

function durationText(text: string): string {
  const ms = parseDuration(text);
  return ms === undefined ? shorten(text, MOST_CHARACTERS) : formatDuration(ms);
}

function afterText(numbers: readonly number[], batches: number): string {
  if (numbers.includes(0)) return 'before the first batch';
  if (numbers.length > 1 && numbers.length === batches - 1 && !numbers.includes(batches))
    return 'between batches';
  return `after ${numbers.length === 1 ? 'batch' : 'batches'} ${listed(numbers.map(String), 'and')}`;
}

function originText(stepsFrom: CommonPlan['stepsFrom']): string[] {
  switch (stepsFrom) {
    case undefined:
      return [];
    case 'none':
      return ['no rule of kruise.yaml'];
    case 'no file':
      return ['no kruise.yaml'];
    case 'default':
      return ['the default of kruise.yaml'];
    default:
      return [`rule ${stepsFrom} of kruise.yaml`];
  }
}
