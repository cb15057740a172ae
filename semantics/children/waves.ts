import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { OPENKRUISE_GROUP, SCHEDULES } from '../kinds/openkruise.ts';
import { controllerOf, groupKindOf } from '../owner.ts';
import { canonicalJson } from '../values/canonical-json.ts';
import { isListOf, isObject, isText, parsedJson } from '../values/json-shape.ts';

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

/** Whether a schedule controls the object: an object of a kind that creates others at its times. */
export function isChildOfSchedule(object: KubeObject): boolean {
  const owner = controllerOf(object);
  if (owner === undefined) return false;
  const { group, kind } = groupKindOf(owner);
  return group === OPENKRUISE_GROUP && SCHEDULES.has(kind);
}

/**
 * The waves of an object that a schedule has created; undefined: it has none. The annotation counts only where a schedule
 * controls the object: a manifest must not bring waves without a plan.
 */
export function wavesOfChild(object: KubeObject): readonly Step[] | undefined {
  return isChildOfSchedule(object) ? readWaves(object.metadata.annotations?.[WAVES_ANNOTATION]) : undefined;
}
