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
    return bounded(numberOf(groupKindOf(owner).group === 'batch' ? parallelism : replicas) ?? 1);
  }
  return bounded(replicasPaths.reduce((sum, path) => sum + (numberOf(valueAt(owner, path)) ?? 0), 0));
}

/** The largest number that a status may say. */
const MOST_PODS = 2 ** 31 - 1;

/** A number of pods, whatever a workload of users says; of one that is none, 0. */
function bounded(count: number): number {
  return Number.isNaN(count) ? 0 : Math.min(Math.max(count, 0), MOST_PODS);
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

/** Whether a cap is a part of the size of the workload. */
export function hasPercentages(subsets: readonly Subset[]): boolean {
  return subsets.some(({ cap }) => typeof cap === 'string');
}

/** The most pods of a subset; undefined: there is no cap. Percentages round up. */
export function capOf({ cap }: Subset, size: number): number | undefined {
  return cap === undefined ? undefined : bounded(scaleIntOrPercent(cap, size, 'up'));
}
