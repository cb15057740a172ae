import { fieldAt, isFields, sameValue } from '../store/value.ts';
import { field, type FieldError } from '../api/errors.ts';
import { fieldSchema, type StructuralSchema } from './structural.ts';
import type { Before } from './validate.ts';

/** The CEL that is evaluated: whether a field is what it was. Any other rule counts as kept. */
const comparison = /^\s*(self|oldSelf)((?:\.\w+)*)\s*(==|!=)\s*(self|oldSelf)((?:\.\w+)*)\s*$/;

interface Rule {
  rule: string;
  message?: string;
}

function isKept({ rule }: Rule, self: unknown, oldSelf: unknown): boolean {
  const match = comparison.exec(rule);
  if (match === null) return true;
  const [, left, leftPath = '', operator, right, rightPath = ''] = match;
  const at = (side: string | undefined, path: string) =>
    fieldAt(side === 'self' ? self : oldSelf, path.split('.').slice(1));
  return sameValue(at(left, leftPath), at(right, rightPath)) === (operator === '==');
}

function checkRules(schema: StructuralSchema, value: unknown, path: string, before: Before): FieldError[] {
  const errors: FieldError[] = [];
  for (const rule of schema['x-kubernetes-validations'] ?? []) {
    // A rule of what was holds from the first update on.
    if (before === undefined && rule.rule.includes('oldSelf')) continue;
    if (isKept(rule, value, before?.value)) continue;
    const message = rule.message ?? `failed rule: ${rule.rule}`;
    errors.push({
      ...field.invalid(path || '<nil>', null, ''),
      message: `Invalid value: ${message}`,
    });
  }
  return errors;
}

/**
 * What the transition rules (`x-kubernetes-validations`) of a schema forbid: fields that may not change. Lists are
 * not entered. `before` is what stood there before the update.
 */
export function checkTransitions(
  schema: StructuralSchema,
  value: unknown,
  before: Before,
  path = '',
): FieldError[] {
  const errors = checkRules(schema, value, path, before);
  if (!isFields(value)) return errors;
  const old = isFields(before?.value) ? before.value : undefined;
  for (const key of Object.keys(value)) {
    const property = fieldSchema(schema, key);
    if (property === undefined) continue;
    const was = old !== undefined && Object.hasOwn(old, key) ? { value: old[key] } : undefined;
    errors.push(...checkTransitions(property, value[key], was, path === '' ? key : `${path}.${key}`));
  }
  return errors;
}

/** Whether a schema has any rules (`x-kubernetes-validations`), at whatever depth. */
export function hasRules(schema: StructuralSchema): boolean {
  let known = withRules.get(schema);
  if (known === undefined) withRules.set(schema, (known = looksForRules(schema)));
  return known;
}

const withRules = new WeakMap<StructuralSchema, boolean>();

function looksForRules(schema: StructuralSchema): boolean {
  const { properties = {}, additionalProperties, items } = schema;
  const parts = [...Object.values(properties), items, additionalProperties];
  return (
    (schema['x-kubernetes-validations'] ?? []).length > 0 ||
    parts.some((part) => typeof part === 'object' && looksForRules(part))
  );
}
