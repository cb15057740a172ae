import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { listOf, objectOf, textOf } from '../values/read.ts';
import { HELD_CONDITION, PODS_FAILING } from './held-condition.ts';
import type { PodRow } from './pod-row.ts';
import { failureNote } from './problem.ts';
import type { RolloutView } from './rollout-view.ts';
import type { FailingPods } from './units.ts';

/**
 * The message of a child for its pods that have restarted after their update and are not available, while it goes to another revision:
 * how many these are, and the first by name. Its root judges it by that: a status does not tell a pod that fails from one that replaces
 * another. Undefined: there are none.
 */
export function failingText({ pods, origin }: RolloutView): string | undefined {
  if (origin.by !== 'root' || origin.share.goal === origin.share.stable) return undefined;
  const failing = pods.filter(
    ({ hash, available, restartedWhenAvailable: restarted, foreignCause: foreign }) =>
      hash === origin.share.goal && !available && restarted === true && foreign !== true,
  );
  const first = failing.reduce<PodRow | undefined>(
    (least, pod) => (least === undefined || pod.name < least.name ? pod : least),
    undefined,
  );
  if (first === undefined) return undefined;
  const { length } = failing;
  return length === 1
    ? `pod ${first.name} restarted after its update${failureNote(first)}`
    : `${length} pods restarted after their update, ${first.name}${failureNote(first)} among them`;
}

/** What such a message says: no field of a status has the number. */
export function readFailing(message: string): FailingPods {
  return { pods: Number(/^([0-9]{1,6}) pods /.exec(message)?.[1] ?? '1'), message };
}

/** Which pods of a child of OpenKruise fail, as its status says; undefined: it says nothing of that. */
export function failingIn({ status }: KubeObject): FailingPods | undefined {
  const conditions: readonly JsonObject[] = listOf(objectOf(status)['conditions']);
  const held = conditions.find((each) => each['type'] === HELD_CONDITION && each['status'] === 'True');
  return held?.['reason'] === PODS_FAILING ? readFailing(textOf(held['message'])) : undefined;
}
