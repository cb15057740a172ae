import { field, type FieldError } from '../../schemas/pods/fieldErrors.ts';
import { isFields, type Fields } from '../../schemas/pods/fields.ts';
import {
  fieldsOf,
  isSet,
  isMissing,
  items,
  labelKey,
  listOf,
  notNegative,
  oneOf,
  textOf,
} from '../../schemas/pods/fieldChecks.ts';

const actions = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const statuses = ['False', 'True', 'Unknown'];
const operators = ['In', 'NotIn'];

/** Formats a list like Go. */
function quoted(values: readonly string[]): string {
  return `valid values: [${values.map((value) => JSON.stringify(value)).join(' ')}]`;
}

function someOf(path: string, value: unknown, choices: readonly string[]): FieldError[] {
  return isMissing(value) ? [field.required(path, quoted(choices))] : oneOf(path, value, choices);
}

/** A required-field error without a value. */
function wrong(path: string, detail: string): FieldError {
  return { field: path, reason: 'FieldValueInvalid', message: `Invalid value: ${detail}` };
}

function checkExitCodes(codes: Fields, path: string, containers: readonly string[]): FieldError[] {
  const { operator, containerName, values } = codes;
  const list = listOf(values);
  const errors = someOf(`${path}.operator`, operator, operators);
  const at = `${path}.values`;
  if (isSet(containerName) && !containers.includes(textOf(containerName)))
    errors.push(
      field.invalid(
        `${path}.containerName`,
        containerName,
        'must be one of the container or initContainer names in the pod template',
      ),
    );
  if (list.length === 0)
    errors.push(field.invalid(at, isSet(values) ? [] : null, 'at least one value is required'));
  else if (list.length > 255) errors.push(field.tooMany(at, list.length, 255));
  const seen = new Set<unknown>();
  for (const [index, value] of list.entries()) {
    if (operator === 'In' && value === 0)
      errors.push(field.invalid(`${at}[${index}]`, value, 'must not be 0 for the In operator'));
    if (seen.has(value)) errors.push(field.duplicate(`${at}[${index}]`, value));
    seen.add(value);
  }
  if (list.some((value, index) => index > 0 && Number(list[index - 1]) > Number(value)))
    errors.push(field.invalid(at, list, 'must be ordered'));
  return errors;
}

function checkRule(rule: Fields, path: string, spec: Fields, containers: readonly string[]): FieldError[] {
  const { action, onExitCodes } = rule;
  const conditions = items(rule['onPodConditions']);
  const errors =
    action === 'FailIndex'
      ? isSet(spec['backoffLimitPerIndex'])
        ? []
        : [field.invalid(`${path}.action`, action, 'requires the backoffLimitPerIndex to be set')]
      : someOf(`${path}.action`, action, actions);
  if (isFields(onExitCodes)) errors.push(...checkExitCodes(onExitCodes, `${path}.onExitCodes`, containers));
  for (const [index, { type, status }] of conditions.entries())
    errors.push(
      ...labelKey(`${path}.onPodConditions[${index}].type`, type),
      ...someOf(`${path}.onPodConditions[${index}].status`, status, statuses),
    );
  const both = isFields(onExitCodes) && conditions.length > 0;
  if (both) errors.push(wrong(path, 'specifying both OnExitCodes and OnPodConditions is not supported'));
  if (!isFields(onExitCodes) && conditions.length === 0)
    errors.push(wrong(path, 'specifying one of OnExitCodes and OnPodConditions is required'));
  return errors;
}

/** The pod failure policy of a Job. */
export function checkFailurePolicy(spec: Fields, path: string): FieldError[] {
  const { podFailurePolicy: policy } = spec;
  if (!isFields(policy)) return [];
  const pod = fieldsOf(fieldsOf(spec['template'])['spec']);
  const containers = [...items(pod['containers']), ...items(pod['initContainers'])].map(({ name }) =>
    textOf(name),
  );
  const rules = items(policy['rules']);
  return [
    ...(rules.length > 20 ? [field.tooMany(`${path}.rules`, rules.length, 20)] : []),
    ...rules.flatMap((rule, index) => checkRule(rule, `${path}.rules[${index}]`, spec, containers)),
  ];
}

/** Counts the indexes of a text such as `0,2-5`; returns an error if it is malformed. */
function countIndexes(text: string, completions: number): number | string {
  if (text === '') return 0;
  let last: number | undefined;
  let total = 0;
  for (const interval of text.split(',')) {
    const limits = interval.split('-');
    if (limits.length > 2)
      return `the fragment ${JSON.stringify(interval)} violates the requirement that an index interval can have at most two parts separated by '-'`;
    const numbers: number[] = [];
    for (const limit of limits) {
      if (!/^[+-]?\d+$/.test(limit))
        return `cannot convert string to integer for index: ${JSON.stringify(limit)}`;
      if (Number(limit) >= completions) return `too large index: ${JSON.stringify(limit)}`;
      numbers.push(Number(limit));
    }
    const [low = 0, high = low] = numbers;
    if (limits.length > 1 && low >= high) return `non-increasing order, previous: ${low}, current: ${high}`;
    if (last !== undefined && last >= low) return `non-increasing order, previous: ${last}, current: ${low}`;
    total += high - low + 1;
    last = high;
  }
  return total;
}

function checkSuccess(rule: Fields, path: string, completions: number): FieldError[] {
  const { succeededCount: count, succeededIndexes: indexes } = rule;
  if (!isSet(count) && !isSet(indexes))
    return [field.required(path, 'at least one of succeededCount or succeededIndexes must be specified')];
  const errors: FieldError[] = [];
  const named = isSet(indexes) ? countIndexes(textOf(indexes), completions) : 0;
  if (typeof named === 'string')
    errors.push(
      field.invalid(`${path}.succeededIndexes`, indexes, `error parsing succeededIndexes: ${named}`),
    );
  if (typeof count !== 'number') return errors;
  const total = typeof named === 'number' ? named : 0;
  const at = `${path}.succeededCount`;
  errors.push(...notNegative(at, count));
  const atMost = (most: number, what: string) => {
    if (count > most) errors.push(field.invalid(at, count, `must be less than or equal to ${most} ${what}`));
  };
  atMost(completions, '(the number of specified completions)');
  if (isSet(indexes)) atMost(total, '(the number of indexes in the specified succeededIndexes field)');
  return errors;
}

/** The success policy of a Job. */
export function checkSuccessPolicy(spec: Fields, path: string): FieldError[] {
  const { successPolicy: policy, completionMode, completions } = spec;
  if (!isFields(policy)) return [];
  const rules = items(policy['rules']);
  if (completionMode !== 'Indexed') {
    const shown = rules.map(({ succeededIndexes = null, succeededCount = null }) => ({
      SucceededIndexes: succeededIndexes,
      SucceededCount: succeededCount,
    }));
    const value = { Rules: isSet(policy['rules']) ? shown : null };
    return [field.invalid(path, value, 'requires indexed completion mode')];
  }
  const most = typeof completions === 'number' ? completions : 0;
  return [
    ...(rules.length === 0
      ? [
          field.required(
            `${path}.rules`,
            'at least one rules must be specified when the successPolicy is specified',
          ),
        ]
      : []),
    ...(rules.length > 20 ? [field.tooMany(`${path}.rules`, rules.length, 20)] : []),
    ...rules.flatMap((rule, index) => checkSuccess(rule, `${path}.rules[${index}]`, most)),
  ];
}
