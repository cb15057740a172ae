import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { InvalidField } from '../kinds/fields.ts';
import { isObject, objectsIn } from '../values/json-shape.ts';
import { formatSelector, type LabelSelector, validateSelector } from '../values/selector.ts';

const STRATEGY = ['spec', 'updateStrategy'];

/**
 * What OpenKruise's admission refuses of the order of updates and of images that are pulled beforehand (OpenKruise
 * cloneset, section 7; inplace-update, section 2). Both versions keep it in a place of their own.
 */
export function lintCloneSet(manifest: KubeObject): InvalidField[] {
  const strategy = membersOf(membersOf(manifest['spec'])['updateStrategy']);
  return [
    ...strategyFaults(strategy, STRATEGY),
    ...strategyFaults(membersOf(strategy['rollingUpdate']), [...STRATEGY, 'rollingUpdate']),
  ];
}

function strategyFaults(strategy: JsonObject, at: readonly string[]): InvalidField[] {
  return [
    ...priorityFaults(membersOf(strategy['priorityStrategy'])),
    ...scatterFaults(strategy['scatterStrategy']),
    ...pullFaults(membersOf(strategy['inPlaceUpdateStrategy'])),
  ].map(({ path, rule }) => ({ path: [...at, ...path], rule }));
}

function priorityFaults({ orderPriority, weightPriority }: JsonObject): InvalidField[] {
  const weights = objectsIn(weightPriority);
  const found = weights.flatMap(({ matchSelector }, index): InvalidField[] => {
    const path = ['priorityStrategy', 'weightPriority', String(index), 'matchSelector'];
    const selector: LabelSelector = membersOf(matchSelector);
    const problems = validateSelector(selector);
    if (problems.length === 0 && formatSelector(selector) === '')
      return [{ path, rule: 'must not be empty' }];
    return problems.map((problem) => ({ path: [...path, ...problem.path], rule: problem.message }));
  });
  if (weights.length > 0 && objectsIn(orderPriority).length > 0)
    found.push({ path: ['priorityStrategy'], rule: 'takes orderPriority or weightPriority, not both' });
  return found;
}

function scatterFaults(strategy: unknown): InvalidField[] {
  const seen = new Set<string>();
  return objectsIn(strategy).flatMap(({ key, value }, index) => {
    const term = JSON.stringify([key, value]);
    const isSecond = seen.has(term);
    seen.add(term);
    const path = ['scatterStrategy', String(index)];
    return isSecond ? [{ path, rule: 'names a label and value for the second time' }] : [];
  });
}

function pullFaults({ imagePreDownloadParallelism: asked }: JsonObject): InvalidField[] {
  if (typeof asked !== 'string' || !asked.endsWith('%')) return [];
  const path = ['inPlaceUpdateStrategy', 'imagePreDownloadParallelism'];
  return [{ path, rule: 'must be a count, not a percentage' }];
}

function membersOf(value: unknown): JsonObject {
  return isObject(value) ? (value as JsonObject) : {};
}
