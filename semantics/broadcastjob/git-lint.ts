import type { KubeObject } from '../../schemas/wire/object.ts';
import type { InvalidField } from '../fields/problems.ts';
import { controllerOf } from '../owner.ts';
import { scaleIntOrPercent } from '../values/int-or-percent.ts';
import { normalizeBroadcastJob } from './normalize.ts';

/**
 * What only the compiler reports: a job that can never start a pod, which OpenKruise accepts (OpenKruise broadcastjob, 10.9),
 * and one in git with a controller. In the cluster those are the children of a schedule, which need no plan of their own.
 */
export function lintBroadcastJob(manifest: KubeObject): InvalidField[] {
  const found: InvalidField[] = [];
  if (controllerOf(manifest) !== undefined)
    found.push({
      path: ['metadata', 'ownerReferences'],
      rule: 'must not have a controller: only the runtime creates jobs that have one',
    });
  const { parallelism } = normalizeBroadcastJob(manifest);
  if (scaleIntOrPercent(parallelism, 100, 'up') <= 0)
    found.push({ path: ['spec', 'parallelism'], rule: 'must be at least 1, or no pod is ever created' });
  return found;
}
