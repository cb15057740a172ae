import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { OPENKRUISE_GROUP } from '../kinds/openkruise.ts';
import { controllerOf, groupKindOf } from '../owner.ts';
import { canonicalJson } from '../values/canonical-json.ts';
import { isListOf, isObject, isText, parsedJson } from '../values/json-shape.ts';
import { formatDuration, parseDuration } from '../values/duration.ts';
import { readSchedule } from '../schedule/grammar.ts';
import { nextTime } from '../schedule/next.ts';
import type { NormalCronJob } from './normalize.ts';

/**
 * The waves that every child of a template goes through, as JSON: a list of steps of a plan. It stands on the revision of the
 * template, and is copied to each child when that is created, so that a later change does not meet a child half-way.
 */
export const WAVES_ANNOTATION = 'plan.kruise.io/waves';

/** The verbs of waves: nobody approves a tick. */
const VERBS: readonly (keyof Step)[] = ['run', 'soak', 'check'];

/** The steps as they are stored. */
export function wavesText(steps: readonly Step[]): string {
  return canonicalJson(steps);
}

/** Parses stored waves; undefined: the text was not written by `wavesText`, or has a step that waves do not have. */
export function readWaves(text: string | undefined): readonly Step[] | undefined {
  const steps = parsedJson(text ?? '');
  if (!isListOf(isStep)(steps)) return undefined;
  const waves = steps as readonly Step[];
  return waves.length > 0 && wavesText(waves) === text ? waves : undefined;
}

function isStep(value: unknown): boolean {
  return isObject(value) && isText(value['id']) && verbOf(value as unknown as Step) !== undefined;
}

function verbOf(step: Step): keyof Step | undefined {
  return VERBS.find((verb) => isObject(step[verb]));
}

/** Whether an AdvancedCronJob controls the object. */
export function isChildOfSchedule(object: KubeObject): boolean {
  const owner = controllerOf(object);
  if (owner === undefined) return false;
  const { group, kind } = groupKindOf(owner);
  return group === OPENKRUISE_GROUP && kind === 'AdvancedCronJob';
}

/**
 * The waves of a BroadcastJob that a schedule has created; undefined: it has none. The annotation counts only where an
 * AdvancedCronJob controls the object: a manifest must not bring waves without a plan.
 */
export function wavesOfChild(object: KubeObject): readonly Step[] | undefined {
  return isChildOfSchedule(object) ? readWaves(object.metadata.annotations?.[WAVES_ANNOTATION]) : undefined;
}

/** An error in the waves of a plan. */
export interface WaveFault {
  /** The step that it is about; undefined: all together. */
  step: string | undefined;
  /** A sentence, and what to do. */
  message: string;
}

/**
 * What is wrong with the waves of a plan. Without a person nobody approves; and waves that are longer than the time between
 * two ticks would overlap, unless the policy is Forbid.
 */
export function waveFaults(
  steps: readonly Step[],
  spec: Pick<NormalCronJob, 'schedule' | 'timeZone' | 'concurrency'>,
): WaveFault[] {
  const found: WaveFault[] = steps
    .filter((step) => step.approve !== undefined)
    .map(({ id }) => ({
      step: id,
      message: `step ${id} waits for an approval at every tick. Remove it, or use a check`,
    }));
  const period = shortestPeriod(spec);
  const longest = waitingMs(steps);
  if (spec.concurrency !== 'Forbid' && period !== undefined && longest >= period)
    found.push({
      step: undefined,
      message: `the soaks and checks alone take ${formatDuration(longest)}, and ticks come every ${formatDuration(period)}. Set the policy Forbid, or make the waves shorter`,
    });
  return found;
}

/** The time that the gates take at least, milliseconds. */
function waitingMs(steps: readonly Step[]): number {
  return steps.reduce((sum, { soak, check }) => sum + (parseDuration(soak?.for ?? check?.for ?? '') ?? 0), 0);
}

/** Between these the times of a schedule are compared, and so many of them. Two of them are a 29 February. */
const FROM = Date.UTC(2024, 0, 1);
const UNTIL = Date.UTC(2029, 0, 1);
const COMPARED = 200;

/** The shortest time between two ticks, of the first two hundred in five years, milliseconds; undefined: there are not two. */
export function shortestPeriod({
  schedule,
  timeZone,
}: Pick<NormalCronJob, 'schedule' | 'timeZone'>): number | undefined {
  const read = readSchedule(schedule, timeZone);
  if ('rule' in read) return undefined;
  let before = nextTime(read, FROM, UNTIL);
  let shortest: number | undefined;
  for (let n = 1; n < COMPARED && before !== undefined; n++) {
    const next = nextTime(read, before, UNTIL);
    if (next !== undefined) shortest = Math.min(shortest ?? Infinity, next - before);
    before = next;
  }
  return shortest;
}
