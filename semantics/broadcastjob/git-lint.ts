import type { KubeObject } from '../../schemas/wire/object.ts';
import type { InvalidField } from '../kinds/fields.ts';
import { scaleIntOrPercent } from '../values/int-or-percent.ts';
import { normalizeBroadcastJob } from './normalize.ts';

/** What only the compiler reports: a job that can never start a pod, which OpenKruise accepts (OpenKruise broadcastjob, 10.9). */
export function lintBroadcastJob(manifest: KubeObject): InvalidField[] {
  const { parallelism } = normalizeBroadcastJob(manifest);
  if (scaleIntOrPercent(parallelism, 100, 'up') > 0) return [];
  return [{ path: ['spec', 'parallelism'], rule: 'must be at least 1, or no pod is ever created' }];
}
