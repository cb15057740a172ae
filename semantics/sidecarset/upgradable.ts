import type { JsonObject } from '../../schemas/wire/json.ts';
import type { Condition } from '../../schemas/wire/object.ts';
import { condition } from '../pod/readiness.ts';
import { withResourceVersion } from '../pod/in-place.ts';
import type { Pod } from '../pod/types.ts';
import { compareCodePoints } from '../values/canonical-json.ts';
import { isObject, parsedJson } from '../values/json-shape.ts';
import { timestamp } from '../values/timestamp.ts';
import { UPGRADABLE_CONDITION } from './resource.ts';

/**
 * The status patch that records whether a set can update a pod in place, beside what other sets have recorded (OpenKruise
 * sidecarset, rule 5.4). Undefined: the pod has that record.
 */
export function upgradablePatch(
  pod: Pod,
  set: string,
  isUpgradable: boolean,
  now: number,
): JsonObject | undefined {
  const before = condition(pod, UPGRADABLE_CONDITION);
  const sets: Record<string, unknown> = { ...recordedIn(before), [set]: isUpgradable };
  const names = Object.keys(sets).sort(compareCodePoints);
  const message = JSON.stringify(Object.fromEntries(names.map((name) => [name, sets[name] === true])));
  const isTrue = names.every((name) => sets[name] === true);
  const status = isTrue ? 'True' : 'False';
  if (before?.status === status && before.message === message) return undefined;
  const since = before?.status === status ? before.lastTransitionTime : undefined;
  const next = {
    type: UPGRADABLE_CONDITION,
    status,
    reason: isTrue ? 'AllSidecarsetUpgradable' : 'UpdateImmutableField',
    message,
    lastTransitionTime: since ?? timestamp(now),
  };
  return withResourceVersion(pod, { status: { conditions: [next] } });
}

/**
 * Whether the record of a pod has to say that the set has brought it to its goal. A pod without any record needs none: it never
 * was behind, and the kubelet is about to write its status.
 *
 * @param isChanged the set has updated the pod
 */
export function lacksUpgradable(pod: Pod, set: string, isChanged: boolean): boolean {
  const before = condition(pod, UPGRADABLE_CONDITION);
  if (before === undefined) return false;
  const own = recordedIn(before)[set];
  return own === false || (isChanged && own !== true);
}

function recordedIn(before: Condition | undefined): Readonly<Record<string, unknown>> {
  const parsed = parsedJson(before?.message ?? '');
  return isObject(parsed) ? parsed : {};
}
