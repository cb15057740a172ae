import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { canonicalJson } from '../values/canonical-json.ts';
import { isObject } from '../values/json-shape.ts';
import { numberOf } from '../values/read.ts';
import type { KindLimits, Window } from './window.ts';

/** What a target had when its plan was accepted, and what holds until the plan ends though the manifest changes. */
export interface Recorded {
  /** Its limits as written: those of a step that states none, field by field. */
  limits: Window;
  /**
   * The fields that say the order of its units, by their paths; a path that is missing was not set. Omitted: they are too large
   * to record, and the present ones hold.
   */
  order?: JsonObject;
  /** Seconds for which a unit must be ready to be available: the larger of these and the present ones hold. */
  minReadySeconds?: number;
}

/** The longest text of an order that is recorded, in characters: it lies in an annotation beside the baseline of the plan. */
const LONGEST_ORDER = 16_384;

/** What is recorded of a target when a plan of it is accepted. */
export function recordedOf(limits: KindLimits, target: KubeObject): Recorded {
  const set = limits.order.flatMap((path): [string, Json][] => {
    const value = valueAt(target, path);
    return value === undefined ? [] : [[path.join('.'), value]];
  });
  const order = Object.fromEntries(set);
  const at = limits.minReadySeconds(target);
  const seconds = at && numberOf(valueAt(target, at));
  return {
    limits: limits.windowFields(target),
    ...(JSON.stringify(order).length <= LONGEST_ORDER && { order }),
    ...(seconds !== undefined && { minReadySeconds: seconds }),
  };
}

/** Cached by object: an observed target is immutable, and is reconciled after every change of a pod. */
const known = new WeakMap<KubeObject, { recorded: Recorded; held: KubeObject }>();

/**
 * The target with the recorded order, and with the larger minReadySeconds: what its rules read while the plan runs. Its limits
 * stay: they are compared with those of the plan. The same object, where nothing differs.
 */
export function underRecorded(limits: KindLimits, target: KubeObject, recorded: Recorded): KubeObject {
  const before = known.get(target);
  if (before !== undefined && canonicalJson(before.recorded) === canonicalJson(recorded)) return before.held;
  const held = withRecorded(limits, target, recorded);
  known.set(target, { recorded, held });
  return held;
}

function withRecorded(
  { order: paths, minReadySeconds: pathIn }: KindLimits,
  target: KubeObject,
  { order, minReadySeconds }: Recorded,
): KubeObject {
  const at = pathIn(target);
  let held = target;
  if (order !== undefined)
    for (const path of paths) {
      const name = path.join('.');
      const value = Object.hasOwn(order, name) ? order[name] : undefined;
      if (!isSame(value, valueAt(target, path))) held = replacedAt(held, path, value);
    }
  if (
    at !== undefined &&
    minReadySeconds !== undefined &&
    minReadySeconds > (numberOf(valueAt(target, at)) ?? 0)
  )
    held = replacedAt(held, at, minReadySeconds);
  return held;
}

function isSame(a: Json | undefined, b: Json | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return canonicalJson(a) === canonicalJson(b);
}

function valueAt(object: KubeObject, path: readonly string[]): Json | undefined {
  let value: unknown = object;
  for (const key of path) value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return value === null ? undefined : (value as Json | undefined);
}

/** A copy with another value at a path of objects; undefined: without one. */
function replacedAt<Of extends object>(
  object: Of,
  [key = '', ...rest]: readonly string[],
  value: Json | undefined,
): Of {
  const { [key]: inner, ...others } = object as JsonObject;
  if (rest.length === 0) return (value === undefined ? others : { ...others, [key]: value }) as unknown as Of;
  return {
    ...others,
    [key]: replacedAt(isObject(inner) ? inner : {}, rest, value),
  } as unknown as Of;
}
