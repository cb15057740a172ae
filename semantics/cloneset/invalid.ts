import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import {
  formatSelector,
  type LabelSelector,
  selectorPredicate,
  validateSelector,
} from '../values/selector.ts';
import type { NormalCloneSet } from './normalize.ts';

/** A field that no CloneSet may have so, and what is wrong with it. */
export interface InvalidField {
  /** From the object's root. */
  path: string[];
  /** Follows the path in a sentence: `must be …`. */
  rule: string;
}

/**
 * What OpenKruise's admission refuses and the schema of the definition cannot see (OpenKruise cloneset, section 7). The
 * compiler tells of it before it is merged; in the cluster such a target is held, and none of its pods is touched.
 */
export function invalidCloneSetFields({ selector, template }: NormalCloneSet): InvalidField[] {
  const found = selectorProblems(selector, labelsOf(template));
  const pod = (template['spec'] ?? {}) as JsonObject;
  const { restartPolicy } = pod;
  if (
    restartPolicy !== undefined &&
    restartPolicy !== null &&
    restartPolicy !== '' &&
    restartPolicy !== 'Always'
  )
    found.push({ path: ['spec', 'template', 'spec', 'restartPolicy'], rule: 'must be Always' });
  if (isNumber(pod['activeDeadlineSeconds']))
    found.push({ path: ['spec', 'template', 'spec', 'activeDeadlineSeconds'], rule: 'must not be set' });
  return found;
}

/** Where a selector and the labels of a template part: the label to change, if it is one, and the difference in words. */
export function selectorMismatch(
  selector: LabelSelector,
  labels: Readonly<Record<string, string>>,
): { label: string | undefined; difference: string } | undefined {
  if (selectorPredicate(selector)(labels)) return undefined;
  const { matchLabels = {} } = selector;
  const label = Object.keys(matchLabels).find(
    (key) => !Object.hasOwn(labels, key) || labels[key] !== matchLabels[key],
  );
  if (label === undefined) return { label, difference: formatSelector(selector) };
  const there = Object.hasOwn(labels, label) ? `"${labels[label]}"` : 'missing';
  return { label, difference: `${label} is ${there} there, "${matchLabels[label]}" here` };
}

/** The labels that pods of a template get. */
export function labelsOf(template: JsonObject): Record<string, string> {
  const { labels } = (template['metadata'] ?? {}) as JsonObject;
  return typeof labels === 'object' && labels !== null ? (labels as Record<string, string>) : {};
}

function selectorProblems(selector: LabelSelector, labels: Readonly<Record<string, string>>): InvalidField[] {
  const path = ['spec', 'selector'];
  const problems = validateSelector(selector).map((one) => ({
    path: [...path, ...one.path],
    rule: one.message,
  }));
  if (problems.length > 0) return problems;
  if (formatSelector(selector) === '')
    return [{ path, rule: 'must not be empty: it would select every pod of the namespace' }];
  const mismatch = selectorMismatch(selector, labels);
  return mismatch === undefined
    ? []
    : [{ path, rule: `does not match the labels of the template: ${mismatch.difference}` }];
}

function isNumber(value: Json | undefined): boolean {
  return typeof value === 'number';
}
