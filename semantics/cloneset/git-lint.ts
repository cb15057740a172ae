import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { InvalidField } from '../kinds/fields.ts';
import { isObject, objectsIn } from '../values/json-shape.ts';
import { formatSelector, type LabelSelector, validateSelector } from '../values/selector.ts';

const STRATEGY = ['spec', 'updateStrategy'];

/**
 * What OpenKruise's admission refuses in the fields for the order of updates and for images that are pulled in advance
 * (OpenKruise cloneset, section 7; inplace-update, section 2). The two versions have these fields at different paths.
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
  const known = new Set<string>();
  return objectsIn(strategy).flatMap(({ key, value }, index) => {
    const term = JSON.stringify([key, value]);
    const isSecond = known.has(term);
    known.add(term);
    const path = ['scatterStrategy', String(index)];
    return isSecond ? [{ path, rule: 'names a label and value for the second time' }] : [];
  });
}

function pullFaults({ imagePreDownloadParallelism: parallelism }: JsonObject): InvalidField[] {
  if (typeof parallelism !== 'string' || !parallelism.endsWith('%')) return [];
  const path = ['inPlaceUpdateStrategy', 'imagePreDownloadParallelism'];
  return [{ path, rule: 'must be a count, not a percentage' }];
}

function membersOf(value: unknown): JsonObject {
  return isObject(value) ? (value as JsonObject) : {};
}
