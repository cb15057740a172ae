import type { KubeObject } from '../../schemas/wire/object.ts';
import { groupKindOf } from '../owner.ts';
import { scaleIntOrPercent } from '../values/int-or-percent.ts';
import { isObject } from '../values/json-shape.ts';
import { numberOf, objectOf } from '../values/read.ts';
import type { NormalSpread, Subset } from './normalize.ts';

/** A path is no longer than this, so that no text of users makes a long walk. */
export const MOST_STEPS = 32;

/**
 * How many pods there are to be (OpenKruise workloadspread, section 3): what the target says, or the sum of the numbers at the paths. A
 * path that leads to no number counts 0.
 *
 * @param owner the target; undefined: it does not exist, and has no pods
 */
export function workloadSize(owner: KubeObject | undefined, { replicasPaths }: NormalSpread): number {
  if (owner === undefined) return 0;
  if (replicasPaths.length === 0) {
    const { replicas, parallelism } = objectOf(owner['spec']);
    return numberOf(groupKindOf(owner).group === 'batch' ? parallelism : replicas) ?? 1;
  }
  return replicasPaths.reduce((sum, path) => sum + (numberOf(valueAt(owner, path)) ?? 0), 0);
}

/** The value at a path such as `spec.parts.0.replicas`. */
function valueAt(owner: KubeObject, path: string): unknown {
  const steps = path.split('.', MOST_STEPS + 1);
  if (steps.length > MOST_STEPS) return undefined;
  let value: unknown = owner;
  for (const step of steps) {
    if (Array.isArray(value)) value = /^[0-9]{1,6}$/.test(step) ? value[Number(step)] : undefined;
    else value = isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  }
  return value;
}

/** The most pods of a subset; undefined: there is no cap. Percentages round up. */
export function capOf({ cap }: Subset, size: number): number | undefined {
  return cap === undefined ? undefined : Math.max(scaleIntOrPercent(cap, size, 'up'), 0);
}
