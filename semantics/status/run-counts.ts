import type { KubeObject } from '../../schemas/wire/object.ts';
import type { RunCounts } from '../kinds/status-facts.ts';
import { numberOf, objectOf } from '../values/read.ts';

/** The numbers of a run, by the fields that the statuses of OpenKruise's jobs share: desired, active, succeeded, failed. */
export function runCounts(target: KubeObject): RunCounts {
  const status = objectOf(target['status']);
  const count = (field: string): number => numberOf(status[field]) ?? 0;
  return {
    of: 'run',
    wanted: numberOf(status['desired']),
    active: count('active'),
    succeeded: count('succeeded'),
    failed: count('failed'),
  };
}
