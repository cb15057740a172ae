import type { Condition, KubeObject } from '../../schemas/wire/object.ts';
import { MISSED_CONDITION } from '../plan/held-condition.ts';
import { isActive } from '../pod/readiness.ts';
import type { Pod } from '../pod/types.ts';
import { countText } from '../values/text.ts';
import { timeOf } from '../values/timestamp.ts';
import { isGated } from './gated.ts';
import { recordedBy } from './matched.ts';
import { spreadBy } from './members.ts';
import { normalizeSpread } from './normalize.ts';

/**
 * Whether nobody has placed a pod that was to be placed as it was created: no webhook was asked, or it could not write, or the server has
 * refused the place. One for which no subset had room is none of them, nor one of a subset that is gone.
 */
export function isMissed(object: KubeObject, pod: Pod): boolean {
  const by = recordedBy(pod, object);
  if (by === 'refused' || by === 'node') return true;
  const { creationTimestamp } = pod.metadata;
  return (
    by === undefined &&
    normalizeSpread(object).way === 'webhook' &&
    timeOf(creationTimestamp) > timeOf(object.metadata.creationTimestamp) &&
    !isGated(pod)
  );
}

/** The condition that counts such pods and names one; undefined: there is none. */
export function missedCondition(object: KubeObject, pods: readonly Pod[]): Condition | undefined {
  const isOwn = spreadBy(object);
  // Most are on record: that is asked first, as it costs least.
  const missed = pods.filter((pod) => isMissed(object, pod) && isActive(pod) && isOwn(pod));
  const [first] = missed.map(({ metadata }) => metadata.name).sort();
  if (first === undefined) return undefined;
  const were = missed.length === 1 ? 'was' : 'were';
  return {
    type: MISSED_CONDITION,
    status: 'True',
    reason: 'NotPlaced',
    message:
      `${countText(missed.length, 'pod')} ${were} created without a subset, such as ${first}: no webhook was asked, or the place was refused. ` +
      'See whether kruise run --admission --spreads runs, and recreate the pods',
  };
}
