import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { InvalidField } from '../fields/problems.ts';
import { IN_PLACE_READY } from '../pod/types.ts';
import { listOf, objectOf } from '../values/read.ts';
import { invalidPriorities } from '../workload/invalid-priorities.ts';

const STRATEGY = ['spec', 'updateStrategy'];
const ROLLING = [...STRATEGY, 'rollingUpdate'];

/** What OpenKruise's admission refuses beyond the schema (OpenKruise advanced-statefulset, sections 2 and 7). */
export function lintStatefulSet(manifest: KubeObject): InvalidField[] {
  const spec = objectOf(manifest['spec']);
  const strategy = objectOf(spec['updateStrategy']);
  const rolling = objectOf(strategy['rollingUpdate']);
  return [
    ...strategyFaults(strategy),
    ...orderFaults(spec, rolling),
    ...budgetFaults(spec, rolling),
    ...invalidPriorities(objectOf(objectOf(rolling['unorderedUpdate'])['priorityStrategy'])).map(
      ({ path, rule }) => ({ path: [...ROLLING, 'unorderedUpdate', ...path], rule }),
    ),
    ...gateFaults(objectOf(spec['template']), rolling),
  ];
}

function strategyFaults(strategy: JsonObject): InvalidField[] {
  const isUnused =
    strategy['type'] === 'OnDelete' && Object.keys(objectOf(strategy['rollingUpdate'])).length > 0;
  return isUnused ? [{ path: ROLLING, rule: 'must not be set with the type OnDelete' }] : [];
}

/** With OrderedReady one pod at a time is created or updated, and by ordinal. */
function orderFaults(spec: JsonObject, rolling: JsonObject): InvalidField[] {
  if (spec['podManagementPolicy'] === 'Parallel') return [];
  const found: InvalidField[] = [];
  const isOne = (value: unknown): boolean => value === undefined || value === null || value === 1;
  const rule = 'must be 1 with podManagementPolicy OrderedReady';
  if (!isOne(rolling['maxUnavailable'])) found.push({ path: [...ROLLING, 'maxUnavailable'], rule });
  if (!isOne(objectOf(spec['scaleStrategy'])['maxUnavailable']))
    found.push({ path: ['spec', 'scaleStrategy', 'maxUnavailable'], rule });
  if (rolling['unorderedUpdate'] !== undefined && rolling['unorderedUpdate'] !== null)
    found.push({ path: [...ROLLING, 'unorderedUpdate'], rule: 'needs podManagementPolicy Parallel' });
  return found;
}

function budgetFaults(spec: JsonObject, rolling: JsonObject): InvalidField[] {
  const isNone = (value: unknown): boolean =>
    value === 0 || (typeof value === 'string' && /^0+%$/.test(value));
  return [
    [objectOf(spec['scaleStrategy'])['maxUnavailable'], ['spec', 'scaleStrategy', 'maxUnavailable']] as const,
    [rolling['maxUnavailable'], [...ROLLING, 'maxUnavailable']] as const,
  ].flatMap(([value, path]) => (isNone(value) ? [{ path: [...path], rule: 'must be at least 1' }] : []));
}

/** The readiness gate is never added to the pods of this kind. */
function gateFaults(template: JsonObject, rolling: JsonObject): InvalidField[] {
  const policy = rolling['podUpdatePolicy'];
  if (policy !== 'InPlaceIfPossible' && policy !== 'InPlaceOnly') return [];
  const gates = listOf(objectOf(template['spec'])['readinessGates']);
  if (gates.some(({ conditionType }) => conditionType === IN_PLACE_READY)) return [];
  const rule = `must contain ${IN_PLACE_READY}, because podUpdatePolicy is ${policy}`;
  return [{ path: ['spec', 'template', 'spec', 'readinessGates'], rule }];
}
