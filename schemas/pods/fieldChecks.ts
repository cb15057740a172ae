import { field, type FieldError } from './fieldErrors.ts';
import { labelValueFaults, nameFaults, qualifiedNameFaults, type NameRule } from './names.ts';
import { isFields, type Fields } from './fields.ts';

/** The objects in a list. */
export function items(list: unknown): Fields[] {
  return Array.isArray(list) ? (list as unknown[]).filter(isFields) : [];
}

/** A list of scalars; empty where there is none. */
export function listOf(list: unknown): unknown[] {
  return Array.isArray(list) ? (list as unknown[]) : [];
}

/** An object; empty where there is none. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

/** The entries of a map by key. */
export function entriesOf(map: unknown): [string, unknown][] {
  return isFields(map) ? Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)) : [];
}

/** A text; empty where there is none. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Like in Go, an empty string is unset. */
export function isMissing(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

export function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function invalid(path: string, value: unknown, faults: readonly string[]): FieldError[] {
  return faults.map((fault) => field.invalid(path, value, fault));
}

/** A required field. */
export function required(path: string, value: unknown, detail = ''): FieldError[] {
  return isMissing(value) ? [field.required(path, detail)] : [];
}

/** An optional number that is not negative. */
export function notNegative(path: string, value: unknown): FieldError[] {
  return typeof value === 'number' && value < 0
    ? [field.invalid(path, value, 'must be greater than or equal to 0')]
    : [];
}

/** An optional number from `least` to `most`. */
export function within(path: string, value: unknown, least: number, most: number): FieldError[] {
  return typeof value !== 'number' || (value >= least && value <= most)
    ? []
    : [field.invalid(path, value, `must be between ${least} and ${most}, inclusive`)];
}

/** An optional enum value. Absent values are valid; empty ones are not. */
export function oneOf(path: string, value: unknown, choices: readonly string[]): FieldError[] {
  return !isSet(value) || choices.includes(textOf(value)) ? [] : [field.notSupported(path, value, choices)];
}

/** A required enum value. */
export function someOf(path: string, value: unknown, choices: readonly string[]): FieldError[] {
  return isMissing(value) ? [field.required(path)] : oneOf(path, value, choices);
}

/** An optional name; absent or empty is valid. */
export function named(path: string, value: unknown, rule: NameRule): FieldError[] {
  return isMissing(value) ? [] : invalid(path, value, nameFaults(String(value), rule));
}

/** A required name. */
export function requiredName(path: string, value: unknown, rule: NameRule): FieldError[] {
  return isMissing(value) ? [field.required(path)] : named(path, value, rule);
}

/** A label key. */
export function labelKey(path: string, key: unknown): FieldError[] {
  return invalid(path, textOf(key), qualifiedNameFaults(textOf(key)));
}

/** A label value. */
export function labelValue(path: string, value: unknown): FieldError[] {
  return invalid(path, textOf(value), labelValueFaults(textOf(value)));
}

/** Label keys and values. */
export function checkLabels(path: string, labels: unknown): FieldError[] {
  return entriesOf(labels).flatMap(([key, value]) => [...labelKey(path, key), ...labelValue(path, value)]);
}

function checkRequirement({ key, operator, values }: Fields, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const given = listOf(values);
  if (operator === 'In' || operator === 'NotIn') {
    if (given.length === 0)
      errors.push(field.required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (given.length > 0)
      errors.push(
        field.forbidden(
          `${path}.values`,
          "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
        ),
      );
  } else errors.push(field.invalid(`${path}.operator`, textOf(operator), 'not a valid selector operator'));
  return [
    ...errors,
    ...labelKey(`${path}.key`, key),
    ...given.flatMap((value, index) => labelValue(`${path}.values[${index}]`, value)),
  ];
}

/** All validation errors of an optional label selector. */
export function checkLabelSelector(path: string, selector: unknown): FieldError[] {
  if (!isFields(selector)) return [];
  return [
    ...checkLabels(`${path}.matchLabels`, selector['matchLabels']),
    ...items(selector['matchExpressions']).flatMap((each, index) =>
      checkRequirement(each, `${path}.matchExpressions[${index}]`),
    ),
  ];
}

const selectorOperators = ['In', 'NotIn', 'Exists', 'DoesNotExist'];

/** Whether the selector can be parsed; an invalid one is not compared. */
export function isUsable(selector: unknown): boolean {
  const { matchLabels, matchExpressions } = fieldsOf(selector);
  return (
    checkLabels('', matchLabels).length === 0 &&
    items(matchExpressions).every(
      (each) =>
        selectorOperators.includes(textOf(each['operator'])) && checkRequirement(each, '').length === 0,
    )
  );
}

/** A path without `..` segments. */
export function noParentSegments(path: string, value: unknown): FieldError[] {
  return textOf(value).split('/').includes('..') ? [field.invalid(path, value, "must not contain '..'")] : [];
}

/** A relative path without `..` segments. */
export function relativePath(path: string, value: unknown): FieldError[] {
  const absolute = textOf(value).startsWith('/')
    ? [field.invalid(path, value, 'must be a relative path')]
    : [];
  return [...absolute, ...noParentSegments(path, value)];
}

/** The same, and not a name reserved by volumes. */
export function relativeUnreservedPath(path: string, value: unknown): FieldError[] {
  const text = textOf(value);
  const reserved =
    text.startsWith('..') && !text.startsWith('../')
      ? [field.invalid(path, value, "must not start with '..'")]
      : [];
  return [...relativePath(path, text), ...reserved];
}

/** A file mode. */
export function fileMode(path: string, mode: unknown): FieldError[] {
  return typeof mode === 'number' && (mode > 0o777 || mode < 0)
    ? [field.invalid(path, mode, 'must be a number between 0 and 0777 (octal), both inclusive')]
    : [];
}

/** A text of limited length in bytes. */
export function notTooLong(path: string, value: unknown, limit: number): FieldError[] {
  return Buffer.byteLength(textOf(value)) > limit ? [field.tooLong(path, limit)] : [];
}
