import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { InvalidField } from '../fields/problems.ts';
import { scaleIntOrPercent } from '../values/int-or-percent.ts';
import { isObject } from '../values/json-shape.ts';
import { intOrPercentOf, objectOf } from '../values/read.ts';
import { type LabelSelector, validateSelector } from '../values/selector.ts';
import { invalidTargetMetadata, invalidWorkloadFields } from '../workload/invalid.ts';
import { isSet, limitsWritten, normalizeDaemonSet } from './normalize.ts';

const ROLLING = ['spec', 'updateStrategy', 'rollingUpdate'];

/**
 * Errors in a DaemonSet that its schema cannot express: what OpenKruise's admission refuses (OpenKruise advanced-daemonset,
 * section 7). In the cluster such a target is held.
 */
export function invalidDaemonSet(target: KubeObject): InvalidField[] {
  const spec = objectOf(target['spec']);
  const update = objectOf(spec['updateStrategy']);
  const rolling = objectOf(update['rollingUpdate']);
  return [
    ...invalidTargetMetadata(target),
    ...invalidWorkloadFields(normalizeDaemonSet(target)),
    ...hookFaults(objectOf(spec['lifecycle'])),
    ...percentFaults(rolling),
    ...selectorFaults(rolling['selector']),
    ...(update['type'] === 'OnDelete' ? [] : strategyFaults(rolling)),
  ];
}

function hookFaults(lifecycle: JsonObject): InvalidField[] {
  return isObject(lifecycle['inPlaceUpdate'])
    ? [
        {
          path: ['spec', 'lifecycle', 'inPlaceUpdate'],
          rule: 'must not be set: the pods of a DaemonSet have no such hook',
        },
      ]
    : [];
}

function percentFaults(rolling: JsonObject): InvalidField[] {
  return ['maxUnavailable', 'maxSurge', 'partition'].flatMap((field): InvalidField[] => {
    const value = intOrPercentOf(rolling[field]);
    return typeof value === 'string' && scaleIntOrPercent(value, 100, 'up') > 100
      ? [{ path: [...ROLLING, field], rule: 'must be at most 100%' }]
      : [];
  });
}

function selectorFaults(selector: unknown): InvalidField[] {
  if (!isObject(selector)) return [];
  return validateSelector(objectOf(selector) as LabelSelector).map(({ path, message }) => ({
    path: [...ROLLING, 'selector', ...path],
    rule: message,
  }));
}

/** Exactly one of the two limits is set, and a pod that stays needs no second one. */
function strategyFaults(rolling: JsonObject): InvalidField[] {
  const { maxUnavailable, maxSurge } = limitsWritten(rolling);
  const hasSurge = isSet(maxSurge);
  const path = [...ROLLING, 'maxSurge'];
  if (rolling['rollingUpdateType'] === 'InPlaceIfPossible' && hasSurge)
    return [{ path, rule: 'must be 0 with InPlaceIfPossible: a pod that stays needs no second one' }];
  if (hasSurge && isSet(maxUnavailable))
    return [{ path, rule: 'must be 0 where maxUnavailable is not: the two exclude each other' }];
  if (!hasSurge && !isSet(maxUnavailable))
    return [{ path: [...ROLLING, 'maxUnavailable'], rule: 'must be at least 1 where maxSurge is 0' }];
  return [];
}
