import type { JsonObject } from '../../schemas/wire/json.ts';
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
  const parsed = parsedJson(before?.message ?? '');
  const sets: Record<string, unknown> = { ...(isObject(parsed) ? parsed : {}), [set]: isUpgradable };
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
