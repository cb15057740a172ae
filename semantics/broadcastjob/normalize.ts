import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { UNLIMITED } from '../run/wave.ts';
import type { IntOrPercent } from '../values/int-or-percent.ts';
import { intOrPercentOf, numberOf, objectOf } from '../values/read.ts';

/** What a failed pod means for the others. */
export type FailurePolicy = 'FailFast' | 'Continue' | 'Pause';

/** A BroadcastJob as the rules read it, of either served version, with defaults. */
export interface NormalBroadcastJob {
  template: JsonObject;
  /** How many pods may be active at once. */
  parallelism: IntOrPercent;
  /** completionPolicy Never: it does not complete, and nodes that join later get a pod. */
  isEndless: boolean;
  /** Seconds from its start after which it fails; undefined: it has no deadline. */
  activeDeadlineSeconds: number | undefined;
  /** Seconds after its end after which it is deleted; undefined: never. */
  ttlSecondsAfterFinished: number | undefined;
  onFailure: FailurePolicy;
  /** With restartPolicy OnFailure: a pod with more restarts counts as failed. */
  restartLimit: number;
  paused: boolean;
}

/**
 * Reads either served version (OpenKruise broadcastjob, section 2): both have the same fields. The object must be valid
 * against the schema; a field of another type is read as absent.
 */
export function normalizeBroadcastJob(object: KubeObject): NormalBroadcastJob {
  const spec = objectOf(object['spec']);
  const completion = objectOf(spec['completionPolicy']);
  const failure = objectOf(spec['failurePolicy']);
  const isEndless = completion['type'] === 'Never';
  return {
    template: objectOf(spec['template']),
    parallelism: intOrPercentOf(spec['parallelism']) ?? UNLIMITED,
    isEndless,
    activeDeadlineSeconds: isEndless ? undefined : numberOf(completion['activeDeadlineSeconds']),
    ttlSecondsAfterFinished: isEndless ? undefined : numberOf(completion['ttlSecondsAfterFinished']),
    onFailure: failurePolicy(failure['type']),
    restartLimit: numberOf(failure['restartLimit']) ?? 0,
    paused: spec['paused'] === true,
  };
}

function failurePolicy(type: unknown): FailurePolicy {
  return type === 'Continue' || type === 'Pause' ? type : 'FailFast';
}
