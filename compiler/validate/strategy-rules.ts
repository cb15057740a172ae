import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { formatSelector, type LabelSelector, validateSelector } from '../../semantics/values/selector.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Locate } from './schema-errors.ts';
import { formatPath, valueAt } from './schema-errors.ts';

/** Both places in which a strategy keeps its fields: v1alpha1's, and v1beta1's. */
const PLACES = [
  ['spec', 'updateStrategy'],
  ['spec', 'updateStrategy', 'rollingUpdate'],
];

/**
 * What OpenKruise's admission says of the order of updates and of images that are pulled beforehand (OpenKruise
 * cloneset, section 7; inplace-update, section 2). The object has passed the schema.
 */
export function strategyRules(object: KubeObject, locate: Locate): Diagnostic[] {
  return PLACES.flatMap((at) => {
    const fault = (path: readonly string[], rule: string): Diagnostic => {
      const whole = [...at, ...path];
      return diagnostic('KR2005', { field: formatPath(whole), rule }, locate(whole, 'value'));
    };
    return [
      ...priorityRules(valueAt(object, [...at, 'priorityStrategy']), fault),
      ...scatterRules(valueAt(object, [...at, 'scatterStrategy']), fault),
      ...pullRules(valueAt(object, [...at, 'inPlaceUpdateStrategy']), fault),
    ];
  });
}

type Fault = (path: readonly string[], rule: string) => Diagnostic;

function priorityRules(value: unknown, fault: Fault): Diagnostic[] {
  const { orderPriority, weightPriority } = (value ?? {}) as JsonObject;
  const weights = (weightPriority ?? []) as JsonObject[];
  const found = weights.flatMap(({ matchSelector }, index) => {
    const path = ['priorityStrategy', 'weightPriority', String(index), 'matchSelector'];
    const selector = (matchSelector ?? {}) as LabelSelector;
    const problems = validateSelector(selector);
    if (problems.length === 0 && formatSelector(selector) === '') return [fault(path, 'must not be empty')];
    return problems.map((problem) => fault([...path, ...problem.path], problem.message));
  });
  if (weights.length > 0 && ((orderPriority ?? []) as Json[]).length > 0)
    found.push(fault(['priorityStrategy'], 'takes orderPriority or weightPriority, not both'));
  return found;
}

function scatterRules(value: unknown, fault: Fault): Diagnostic[] {
  const terms = ((value ?? []) as JsonObject[]).map((term) => JSON.stringify([term['key'], term['value']]));
  const seen = new Set<string>();
  return terms.flatMap((term, index) => {
    const isSecond = seen.has(term);
    seen.add(term);
    return isSecond
      ? [fault(['scatterStrategy', String(index)], 'names a label and value for the second time')]
      : [];
  });
}

function pullRules(value: unknown, fault: Fault): Diagnostic[] {
  const { imagePreDownloadParallelism: asked } = (value ?? {}) as JsonObject;
  if (typeof asked !== 'string' || !asked.endsWith('%')) return [];
  return [
    fault(['inPlaceUpdateStrategy', 'imagePreDownloadParallelism'], 'must be a count, not a percentage'),
  ];
}
