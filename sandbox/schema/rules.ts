import { field, type FieldError } from '../../schemas/pods/fieldErrors.ts';
import { isFields } from '../../schemas/pods/fields.ts';
import { correlate, isUnchanged, itemBefore, type Before, type Compared } from './correlate.ts';
import { compileProgram, type Compiled, type Program } from './cel/program.ts';
import { schemaType, withEnvelope } from './cel/schemaType.ts';
import { EvaluationFault } from './cel/source.ts';
import { view } from './cel/view.ts';
import { optionalOf, type Value } from './cel/values.ts';
import { fieldSchema, type StructuralSchema, type ValidationRule } from './structural.ts';
import { pathOf } from './rulePath.ts';

/** A compiled rule. */
interface CompiledRule {
  rule: ValidationRule;
  compiled: Compiled;
  /** Undefined if there is none, or if it does not compile. */
  message: Program | undefined;
  /** `.name` relative to the rule's value. */
  path: string;
}

const compiledRules = new WeakMap<
  StructuralSchema,
  { root: readonly CompiledRule[]; part: readonly CompiledRule[] }
>();

/** Compiles the expressions of a rule. `isRoot`: whether the schema is that of a resource. */
export function compileRule(
  schema: StructuralSchema,
  rule: ValidationRule,
  isRoot: boolean,
): { compiled: Compiled; message: Compiled | undefined } {
  const self = schemaType(schema, 'selfType1', isRoot);
  if (self === undefined)
    return {
      compiled: { fault: 'failed to convert to declType for CEL validation rules' },
      message: undefined,
    };
  const { optionalOldSelf = false, messageExpression = '' } = rule;
  const compiled = compileProgram(rule.rule, self, { optionalOldSelf });
  if (messageExpression === '' || compiled.program === undefined) return { compiled, message: undefined };
  const message = compileProgram(messageExpression, self, { optionalOldSelf, wanted: 'string' });
  return { compiled, message };
}

function compileAll(schema: StructuralSchema, isRoot: boolean): CompiledRule[] {
  return (schema['x-kubernetes-validations'] ?? []).map((rule) => {
    const { compiled, message } = compileRule(schema, rule, isRoot);
    const path = rule.fieldPath === undefined ? undefined : pathOf(rule.fieldPath, schema);
    return {
      rule,
      compiled,
      message: message?.program,
      path: path === undefined || 'fault' in path ? '' : path.path,
    };
  });
}

/** The compiled rules of a schema, cached. */
function rulesOf(schema: StructuralSchema, isRoot: boolean): readonly CompiledRule[] {
  if (schema['x-kubernetes-validations'] === undefined) return [];
  let known = compiledRules.get(schema);
  if (known === undefined) {
    const part = compileAll(schema, schema['x-kubernetes-embedded-resource'] === true);
    compiledRules.set(schema, (known = { root: isRoot ? compileAll(schema, true) : part, part }));
  }
  return isRoot ? known.root : known.part;
}

/** The message of a rule: the author's text, else the expression. */
const ruleText = ({ message = '', rule }: ValidationRule) => (message === '' ? rule : message).trim();

function faultText(error: EvaluationFault, rule: ValidationRule): string {
  if (!error.message.startsWith('no such overload'))
    return `${error.message} evaluating rule: ${ruleText(rule)}`;
  const why = 'call arguments did not match a supported operator, function or macro signature for rule';
  return `'${error.message}': ${why}: ${ruleText(rule)}`;
}

const longestMessage = 5 * 1024;

/** The result of a message expression; undefined if it is not usable. */
function messageOf(
  program: Program | undefined,
  self: Value,
  oldSelf: Value | undefined,
): string | undefined {
  if (program === undefined) return undefined;
  try {
    const text = program.evaluate(self, oldSelf);
    const trimmed = typeof text === 'string' ? text.trim() : '';
    return trimmed === '' || trimmed.includes('\n') || Buffer.byteLength(trimmed) > longestMessage
      ? undefined
      : trimmed;
  } catch (error) {
    if (error instanceof EvaluationFault) return undefined;
    throw error;
  }
}

function refusal(
  { rule, message, path: below }: CompiledRule,
  schema: StructuralSchema,
  value: unknown,
  at: string,
  [self, oldSelf]: readonly [Value, Value | undefined],
): FieldError {
  const path = below === '' ? at : [...(at === '' ? [] : [at]), below].join('.');
  const fallback =
    rule.message === undefined || rule.message === '' ? `failed rule: ${ruleText(rule)}` : ruleText(rule);
  const detail = messageOf(message, self, oldSelf) ?? fallback;
  const isPlain = schema.type !== 'object' && schema.type !== 'array';
  switch (rule.reason) {
    case 'FieldValueForbidden':
      return field.forbidden(path || '<nil>', detail);
    case 'FieldValueRequired':
      return field.required(path || '<nil>', detail);
    case 'FieldValueDuplicate':
      return isPlain
        ? field.duplicate(path || '<nil>', value)
        : { field: path || '<nil>', reason: 'FieldValueDuplicate', message: 'Duplicate value' };
    case 'FieldValueInvalid':
    case undefined:
    default:
      return isPlain
        ? field.invalid(path || '<nil>', value, detail)
        : { field: path || '<nil>', reason: 'FieldValueInvalid', message: `Invalid value: ${detail}` };
  }
}

/** The current position of a check. */
interface Position {
  path: string;
  before: Before;
  /** The values that decide whether an error is new; for an item without counterpart, its list. */
  compared: Compared;
  isRoot: boolean;
  warn: ((text: string) => void) | undefined;
}

function checkHere(schema: StructuralSchema, value: unknown, position: Position): FieldError[] {
  const rules = rulesOf(schema, position.isRoot);
  if (rules.length === 0) return [];
  const errors: FieldError[] = [];
  const at = position.path || '<nil>';
  const broken = (detail: string) => errors.push(field.invalid(at, schema.type ?? '', detail));
  const seen: { self?: Value; old?: Value | undefined } = {};
  const { before } = position;
  const hasOld = before !== undefined && before.value !== null && before.value !== undefined;
  const own = position.isRoot ? withEnvelope(schema) : schema;
  for (const each of rules) {
    const { rule, compiled } = each;
    if (rule.rule.trim() === '') continue;
    if (compiled.program === undefined) {
      broken(`rule compile error: ${compiled.fault}`);
      continue;
    }
    const { program } = compiled;
    const isOptional = rule.optionalOldSelf === true;
    // Transition rules apply to updates only.
    if (program.usesOldSelf && !hasOld && !isOptional) continue;
    try {
      const self = (seen.self ??= view(own, value));
      const old = hasOld && program.usesOldSelf ? (seen.old ??= view(own, before.value)) : undefined;
      if (program.evaluate(self, isOptional ? optionalOf(old) : old) === true) continue;
      const error = refusal(each, schema, value, position.path, [self, old]);
      if (program.usesOldSelf || !isUnchanged(position.compared)) errors.push(error);
      else position.warn?.(`${error.field}: ${error.message}`);
    } catch (error) {
      if (!(error instanceof EvaluationFault)) throw error;
      broken(faultText(error, rule));
    }
  }
  return errors;
}

function checkPart(schema: StructuralSchema, value: unknown, position: Position): FieldError[] {
  if (value === null || value === undefined || !hasRules(schema)) return [];
  const errors = checkHere(schema, value, position);
  const { path, before, compared } = position;
  const enter = (part: StructuralSchema, own: unknown, at: string, old: Before, uncompared = false): void => {
    const known = correlate(compared, old, part, own);
    errors.push(
      ...checkPart(part, own, {
        path: at,
        before: old,
        compared: uncompared ? { schema: part, value: own, before: undefined } : known,
        isRoot: false,
        warn: position.warn,
      }),
    );
  };
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items === undefined || !hasRules(items)) return errors;
    for (const [index, item] of (value as unknown[]).entries())
      enter(items, item, `${path}[${index}]`, itemBefore(schema, item, before));
    return errors;
  }
  if (!isFields(value)) return errors;
  const old = isFields(before?.value) ? before.value : undefined;
  for (const key of Object.keys(value)) {
    const part = fieldSchema(schema, key);
    if (part === undefined || !hasRules(part)) continue;
    const isNamed = schema.properties !== undefined && Object.hasOwn(schema.properties, key);
    const name = path === '' ? key : `${path}.${key}`;
    const was = old !== undefined && Object.hasOwn(old, key) ? { value: old[key] } : undefined;
    enter(
      part,
      value[key],
      isNamed ? name : `${path}[${key}]`,
      was,
      position.isRoot && (key === 'apiVersion' || key === 'kind'),
    );
  }
  return errors;
}

/**
 * Evaluates the CEL rules (`x-kubernetes-validations`) of a custom resource and returns errors in the API server's
 * wording. `before` is the object before an update: transition rules compare with it, and violations that it
 * already had are reported to `warn` instead.
 */
export function checkRules(
  schema: StructuralSchema,
  object: unknown,
  before?: Before,
  warn?: (text: string) => void,
): FieldError[] {
  return checkPart(schema, object, {
    path: '',
    before,
    compared: { schema, value: object, before },
    isRoot: true,
    warn,
  });
}

const withRules = new WeakMap<StructuralSchema, boolean>();

/** Whether a schema has rules (`x-kubernetes-validations`) at any depth. */
export function hasRules(schema: StructuralSchema): boolean {
  let known = withRules.get(schema);
  if (known === undefined) withRules.set(schema, (known = containsRules(schema)));
  return known;
}

function containsRules(schema: StructuralSchema): boolean {
  const { properties = {}, additionalProperties, items } = schema;
  const parts = [...Object.values(properties), items, additionalProperties];
  return (
    (schema['x-kubernetes-validations'] ?? []).length > 0 ||
    parts.some((part) => typeof part === 'object' && hasRules(part))
  );
}
