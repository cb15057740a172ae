import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import { canonicalJson, compareCodePoints } from './canonical-json.ts';
import { isListOf, isObject, isText } from './json-shape.ts';
import { listOf, objectOf } from './read.ts';

/** `metav1.LabelSelector`. */
export interface LabelSelector {
  matchLabels?: Record<string, string>;
  matchExpressions?: LabelSelectorRequirement[];
}

/** One line of `matchExpressions`; `operator` is In, NotIn, Exists or DoesNotExist. */
export interface LabelSelectorRequirement {
  key: string;
  operator: string;
  values?: string[];
}

/** An error in a selector, and its path below the selector. */
export interface SelectorProblem {
  path: string[];
  message: string;
}

type Labels = Readonly<Record<string, string>>;

/**
 * A test of labels. As in Kubernetes, an absent selector matches nothing, an empty one everything, and NotIn and
 * DoesNotExist match if the key is missing. An unknown operator matches nothing (see `validateSelector`).
 */
export function selectorPredicate(
  selector: LabelSelector | undefined,
): (labels: Labels | undefined) => boolean {
  if (selector === undefined) return () => false;
  const tests = requirements(selector).map(requirementTest);
  return (labels = {}) => tests.every((test) => test(labels));
}

function requirementTest({
  key,
  operator,
  values = [],
}: LabelSelectorRequirement): (labels: Labels) => boolean {
  const has = (labels: Labels): boolean => Object.hasOwn(labels, key);
  const wanted = new Set<string | undefined>(values);
  switch (operator) {
    case '=':
    case 'In':
      // What an object inherits is no text, so that no value equals it.
      return (labels) => wanted.has(labels[key]);
    case 'NotIn':
      return (labels) => !has(labels) || !wanted.has(labels[key]);
    case 'Exists':
      return has;
    case 'DoesNotExist':
      return (labels) => !has(labels);
    default:
      return () => false;
  }
}

/**
 * The string form that `status.labelSelector` and the API's `labelSelector` parameter take:
 * `app=web,tier in (a,b),!legacy`, sorted by key, values sorted. Empty and absent selectors give ''.
 */
export function formatSelector(selector: LabelSelector | undefined): string {
  return requirements(selector ?? {})
    .map(formatRequirement)
    .join(',');
}

/** Whether two selectors say the same, in whatever order. An absent one is another than an empty one. */
export function isSameSelector(one: LabelSelector | undefined, other: LabelSelector | undefined): boolean {
  return (one === undefined) === (other === undefined) && formatSelector(one) === formatSelector(other);
}

/**
 * Whether the API server takes one selector for another where it cannot change: as written, but that nothing and an empty list
 * or map are the same. The rule of our definitions is the same, and that of a Deployment accepts no less.
 *
 * @param one may be anything: an earlier state was not validated
 */
export function isStoredAlike(one: LabelSelector | undefined, other: LabelSelector | undefined): boolean {
  return canonicalJson(asStored(one ?? null)) === canonicalJson(asStored(other ?? null));
}

function asStored(selector: LabelSelector | null): Json {
  if (selector === null) return null;
  const { matchLabels, matchExpressions, ...rest } = withoutNulls(selector as JsonObject) as JsonObject;
  return { ...rest, matchLabels: matchLabels ?? {}, matchExpressions: matchExpressions ?? [] };
}

/** The server drops a null of a known field. */
function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(members.map(([key, member]) => [key, withoutNulls(member ?? null)]));
}

function formatRequirement({ key, operator, values }: LabelSelectorRequirement): string {
  const list = [...(values ?? [])].sort(compareCodePoints).join(',');
  switch (operator) {
    case '=':
      return `${key}=${list}`;
    case 'In':
      return `${key} in (${list})`;
    case 'NotIn':
      return `${key} notin (${list})`;
    case 'DoesNotExist':
      return `!${key}`;
    default:
      return key;
  }
}

/** Labels and expressions as one list, sorted by key. For one key the label comes before the expressions, in their order. */
export function requirements(selector: LabelSelector): LabelSelectorRequirement[] {
  const labels = Object.entries(selector.matchLabels ?? {});
  return [
    ...labels.map(([key, value]) => ({ key, operator: '=', values: [value] })),
    ...(selector.matchExpressions ?? []),
  ].sort((a, b) => compareCodePoints(a.key, b.key));
}

/** The labels that every object has which a selector matches: those of which it names one value alone. */
export function requiredLabels(selector: LabelSelector): { key: string; value: string }[] {
  return requirements(selector).flatMap(({ key, operator, values = [] }) => {
    const [value] = values;
    const isOne = values.length === 1 && (operator === '=' || operator === 'In');
    return isOne && typeof value === 'string' ? [{ key, value }] : [];
  });
}

/** All violations of Kubernetes' rules for label selectors, in the order of the selector. An empty one has none. */
export function validateSelector(selector: LabelSelector): SelectorProblem[] {
  const problems: SelectorProblem[] = [];
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) {
    report(problems, ['matchLabels', key], labelKeyProblem(key));
    report(problems, ['matchLabels', key], labelValueProblem(value));
  }
  for (const [index, { key, operator, values }] of (selector.matchExpressions ?? []).entries()) {
    const path = ['matchExpressions', String(index)];
    report(problems, [...path, 'key'], labelKeyProblem(key));
    report(problems, [...path, 'operator'], operatorProblem(operator));
    report(problems, [...path, 'values'], valuesProblem(operator, values ?? []));
    for (const [at, value] of (values ?? []).entries()) {
      report(problems, [...path, 'values', String(at)], labelValueProblem(value));
    }
  }
  return problems;
}

function report(problems: SelectorProblem[], path: string[], message: string | undefined): void {
  if (message !== undefined) problems.push({ path, message });
}

function operatorProblem(operator: string): string | undefined {
  return ['In', 'NotIn', 'Exists', 'DoesNotExist'].includes(operator)
    ? undefined
    : 'must be In, NotIn, Exists or DoesNotExist';
}

function valuesProblem(operator: string, values: readonly string[]): string | undefined {
  if ((operator === 'In' || operator === 'NotIn') && values.length === 0)
    return `${operator} needs at least one value`;
  if ((operator === 'Exists' || operator === 'DoesNotExist') && values.length > 0)
    return `${operator} takes no values`;
  return undefined;
}

const namePart = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const prefixPart = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;

/** Why a key is not valid (`prefix/name`: a DNS name of at most 253 characters, a name of at most 63); undefined: it is. */
function labelKeyProblem(key: string): string | undefined {
  const slash = key.indexOf('/');
  const name = key.slice(slash + 1);
  const prefix = slash < 0 ? undefined : key.slice(0, slash);
  if (prefix !== undefined && (prefix.length > 253 || !prefixPart.test(prefix))) {
    return 'the part before "/" must be a lower-case DNS name of at most 253 characters';
  }
  if (name.length > 63 || !namePart.test(name)) {
    return 'the name must have 1 to 63 letters, digits, "-", "_" or ".", and begin and end with a letter or digit';
  }
  return undefined;
}

/**
 * Why a label value is not valid (empty, or like a name of at most 63 characters); undefined: it is.
 *
 * @param value of any type: definitions leave some selectors open
 */
function labelValueProblem(value: unknown): string | undefined {
  if (value === '' || (typeof value === 'string' && value.length <= 63 && namePart.test(value)))
    return undefined;
  return 'a label value has at most 63 letters, digits, "-", "_" or ".", and begins and ends with a letter or digit';
}

/** A selector without what does not fit the schema: that of a base state was never validated. Undefined: nothing is left. */
export function wellFormedSelector(selector: LabelSelector | undefined): LabelSelector | undefined {
  if (selector === undefined) return undefined;
  const labels = Object.entries(objectOf(selector.matchLabels)).filter(([, value]) => isText(value));
  const terms = listOf(selector.matchExpressions).filter(
    ({ key, operator, values = [] }) => isText(key) && isText(operator) && isListOf(isText)(values),
  );
  if (labels.length + terms.length === 0) return undefined;
  return {
    ...(labels.length > 0 && { matchLabels: Object.fromEntries(labels) as Record<string, string> }),
    ...(terms.length > 0 && { matchExpressions: terms as unknown as LabelSelectorRequirement[] }),
  };
}
