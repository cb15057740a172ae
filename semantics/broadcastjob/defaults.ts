import type { JsonObject } from '../../schemas/wire/json.ts';

/**
 * Values of a job's spec that mean the same as their absence; the API server fills them in. They are frozen: hashes and records
 * of what a schedule creates stand for a spec without them.
 */
export const JOB_DEFAULTS: JsonObject = {
  parallelism: 2147483647,
  completionPolicy: { type: 'Always' },
  failurePolicy: { type: 'FailFast', restartLimit: 0 },
  paused: false,
};
