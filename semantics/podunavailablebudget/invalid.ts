import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { InvalidField } from '../fields/problems.ts';
import { API_VERSION } from '../values/api-version.ts';
import { isObject } from '../values/json-shape.ts';
import { numberOf, objectOf } from '../values/read.ts';
import { type LabelSelector, validateSelector } from '../values/selector.ts';
import { annotatedOperations, annotatedTotal, isEmptySelector, OPERATIONS } from './normalize.ts';
import { OPERATIONS_ANNOTATION, TOTAL_ANNOTATION } from './resource.ts';

/**
 * Errors in a budget by itself: what OpenKruise's admission refuses (OpenKruise podunavailablebudget, sections 2 and 7), and
 * annotations that its conversion refuses. In the cluster such a budget is held, and lets no pod go that it covers.
 */
export function invalidBudget({ metadata, spec }: KubeObject): InvalidField[] {
  const fields = objectOf(spec);
  return [
    ...coverageFaults(fields),
    ...limitFaults(fields),
    ...ignoredFaults(fields['ignoredPodSelector']),
    ...annotationFaults(metadata.annotations ?? {}, fields),
  ];
}

function coverageFaults({ selector, targetRef }: JsonObject): InvalidField[] {
  const path = ['spec'];
  if (isObject(selector) === isObject(targetRef))
    return [{ path, rule: 'must have exactly one of selector and targetRef' }];
  if (isObject(selector)) {
    const own = selector as LabelSelector;
    if (isEmptySelector(own))
      return [{ path: [...path, 'selector'], rule: 'must not be empty: it would select every pod' }];
    return selectorFaults(own, [...path, 'selector']);
  }
  const reference = objectOf(targetRef);
  return ['apiVersion', 'kind', 'name']
    .filter((field) => typeof reference[field] !== 'string' || reference[field] === '')
    .map((field) => ({ path: [...path, 'targetRef', field], rule: 'must not be empty' }))
    .concat(
      typeof reference['apiVersion'] === 'string' &&
        reference['apiVersion'] !== '' &&
        !API_VERSION.test(reference['apiVersion'])
        ? [{ path: [...path, 'targetRef', 'apiVersion'], rule: 'must be a group and a version' }]
        : [],
    );
}

function limitFaults({ maxUnavailable, minAvailable }: JsonObject): InvalidField[] {
  const isSet = (value: unknown): boolean => value !== undefined && value !== null;
  if (isSet(maxUnavailable) === isSet(minAvailable))
    return [{ path: ['spec'], rule: 'must have exactly one of maxUnavailable and minAvailable' }];
  const field = isSet(maxUnavailable) ? 'maxUnavailable' : 'minAvailable';
  const value = maxUnavailable ?? minAvailable;
  return isLimit(value)
    ? []
    : [{ path: ['spec', field], rule: 'must be a count of at least 0, or a percentage of at most 100%' }];
}

function isLimit(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && value >= 0;
  return typeof value === 'string' && /^[0-9]+%$/.test(value) && Number(value.slice(0, -1)) <= 100;
}

function ignoredFaults(ignored: unknown): InvalidField[] {
  if (!isObject(ignored)) return [];
  const path = ['spec', 'ignoredPodSelector'];
  if (isEmptySelector(ignored)) return [{ path, rule: 'must not be empty: it would leave out every pod' }];
  return selectorFaults(ignored, path);
}

function selectorFaults(selector: LabelSelector, path: readonly string[]): InvalidField[] {
  return validateSelector(selector).map((each) => ({ path: [...path, ...each.path], rule: each.message }));
}

function annotationFaults(
  annotations: Readonly<Record<string, string>>,
  { protectTotalReplicas }: JsonObject,
): InvalidField[] {
  const at = (key: string): string[] => ['metadata', 'annotations', key];
  const known: readonly string[] = OPERATIONS;
  const unknown = annotatedOperations(annotations).find((each) => !known.includes(each));
  const found: InvalidField[] = [];
  if (unknown !== undefined)
    found.push({
      path: at(OPERATIONS_ANNOTATION),
      rule: `must be a list of ${OPERATIONS.join(', ')}, separated by commas`,
    });
  if (annotations[TOTAL_ANNOTATION] === undefined) return found;
  const total = annotatedTotal(annotations);
  const stated = numberOf(protectTotalReplicas);
  if (total === undefined || total < 1 || total > MOST_INT32)
    found.push({ path: at(TOTAL_ANNOTATION), rule: 'must be a number of at least 1' });
  else if (stated !== undefined && stated !== total)
    found.push({ path: at(TOTAL_ANNOTATION), rule: `must be ${stated}, as spec.protectTotalReplicas is` });
  return found;
}

const MOST_INT32 = 2_147_483_647;
