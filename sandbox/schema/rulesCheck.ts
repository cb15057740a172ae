import { field, type FieldError } from '../../schemas/pods/fieldErrors.ts';
import { isFields, type Fields } from '../../schemas/pods/fields.ts';
import { patternOf } from './pattern.ts';
import { pathOf } from './rulePath.ts';
import { compileRule } from './rules.ts';
import type { StructuralSchema, ValidationRule } from './structural.ts';

const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

/** A schema node with rules, and its path. */
interface Part {
  schema: StructuralSchema;
  path: string;
  isRoot: boolean;
  /** The enclosing list without item identity, in which transition rules are impossible. */
  uncorrelatable: string | undefined;
}

/** All schema nodes, inner ones first, in the server's order. */
function* partsOf(part: Part): Generator<Part> {
  const { schema, path, uncorrelatable } = part;
  const { additionalProperties, properties = {}, items } = schema;
  if (typeof additionalProperties === 'object')
    yield* partsOf({
      schema: additionalProperties,
      path: `${path}.additionalProperties`,
      isRoot: false,
      uncorrelatable,
    });
  for (const name of Object.keys(properties).sort()) {
    const property = properties[name];
    if (property !== undefined)
      yield* partsOf({
        schema: property,
        path: `${path}.properties[${name}]`,
        isRoot: property['x-kubernetes-embedded-resource'] === true,
        uncorrelatable,
      });
  }
  if (items !== undefined) {
    const isMap = schema['x-kubernetes-list-type'] === 'map';
    yield* partsOf({
      schema: items,
      path: `${path}.items`,
      isRoot: items['x-kubernetes-embedded-resource'] === true,
      uncorrelatable: uncorrelatable ?? (isMap ? undefined : path),
    });
  }
  yield part;
}

/** Errors of a rule other than compile errors. */
function checkShape(rule: ValidationRule, schema: StructuralSchema, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { rule: text, message = '', messageExpression = '', fieldPath = '', reason } = rule;
  const [trimmed, reported] = [text.trim(), message.trim()];
  const hasBreaks = (each: string) => /[\r\n]/.test(each);
  if (trimmed === '') errors.push(field.required(`${path}.rule`, 'rule is not specified'));
  else if (message !== '' && reported === '')
    errors.push(field.invalid(`${path}.message`, message, 'must be non-empty if specified'));
  else if (hasBreaks(reported))
    errors.push(field.invalid(`${path}.message`, message, 'must not contain line breaks'));
  else if (hasBreaks(trimmed) && reported === '')
    errors.push(field.required(`${path}.message`, 'message must be specified if rule contains line breaks'));
  if (messageExpression !== '' && messageExpression.trim() === '')
    errors.push(
      field.required(`${path}.messageExpression`, 'messageExpression must be non-empty if specified'),
    );
  if (reason !== undefined && !reasons.includes(reason))
    errors.push(field.notSupported(`${path}.reason`, reason, reasons));
  const wrongPath = (detail: string) => errors.push(field.invalid(`${path}.fieldPath`, fieldPath, detail));
  if (fieldPath !== '' && fieldPath.trim() === '') wrongPath('must be non-empty if specified');
  if (hasBreaks(fieldPath)) wrongPath('must not contain line breaks');
  if (fieldPath !== '' && 'fault' in pathOf(fieldPath, schema)) wrongPath('must be a valid path');
  return errors;
}

/** A rule in message format: JSON as written by Go. */
function shown(rule: ValidationRule): string {
  const text = JSON.stringify({
    Rule: rule.rule,
    Message: rule.message ?? '',
    MessageExpression: rule.messageExpression ?? '',
    Reason: rule.reason ?? null,
    FieldPath: rule.fieldPath ?? '',
    OptionalOldSelf: rule.optionalOldSelf ?? null,
  });
  return text.replace(/[<>&]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`);
}

const broken = (path: string, rule: ValidationRule, detail: string): FieldError => ({
  field: path,
  reason: 'FieldValueInvalid',
  message: `Invalid value: ${shown(rule)}: ${detail}`,
});

function checkExpressions(rule: ValidationRule, part: Part, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { compiled, message } = compileRule(part.schema, rule, part.isRoot);
  if (compiled.program === undefined) errors.push(broken(`${path}.rule`, rule, compiled.fault));
  if (message !== undefined && message.program === undefined)
    errors.push(broken(`${path}.messageExpression`, rule, message.fault));
  if (compiled.program?.usesOldSelf === true) {
    if (part.uncorrelatable !== undefined)
      errors.push(
        field.invalid(
          `${path}.rule`,
          rule.rule,
          `oldSelf cannot be used on the uncorrelatable portion of the schema within ${part.uncorrelatable}`,
        ),
      );
  } else if (rule.optionalOldSelf !== undefined)
    errors.push(
      field.invalid(
        `${path}.optionalOldSelf`,
        rule.optionalOldSelf,
        'may not be set if oldSelf is not used in rule',
      ),
    );
  return errors;
}

function checkRules(schema: StructuralSchema, path: string): FieldError[] {
  const parts = [...partsOf({ schema, path, isRoot: true, uncorrelatable: undefined })];
  const each = (check: (rule: ValidationRule, part: Part, at: string) => FieldError[]) =>
    parts.flatMap((part) =>
      (part.schema['x-kubernetes-validations'] ?? []).flatMap((rule, index) =>
        check(rule, part, `${part.path}.x-kubernetes-validations[${index}]`),
      ),
    );
  const shapes = each((rule, part, at) => checkShape(rule, part.schema, at));
  return shapes.length > 0 ? shapes : each(checkExpressions);
}

/** The schemas directly below a schema, with their paths. */
function childrenOf(schema: Fields, path: string): [unknown, string][] {
  const { properties, additionalProperties, items, not } = schema;
  const named = isFields(properties) ? Object.entries(properties).sort(([a], [b]) => (a < b ? -1 : 1)) : [];
  return [
    ...named.map(([name, each]): [unknown, string] => [each, `${path}.properties[${name}]`]),
    [additionalProperties, `${path}.additionalProperties`],
    [items, `${path}.items`],
    ...['allOf', 'anyOf', 'oneOf'].flatMap((key) => {
      const list = schema[key];
      return Array.isArray(list)
        ? list.map((each: unknown, index): [unknown, string] => [each, `${path}.${key}[${index}]`])
        : [];
    }),
    [not, `${path}.not`],
  ];
}

/** What is wrong in a schema at any depth, apart from its rules: patterns, and lists of unknown items. */
function checkNode(schema: unknown, path: string): FieldError[] {
  if (!isFields(schema)) return [];
  const { pattern, type, items } = schema;
  const fault = typeof pattern === 'string' ? patternOf(pattern).fault : undefined;
  return [
    ...(fault === undefined
      ? []
      : [
          field.invalid(
            `${path}.pattern`,
            pattern,
            `must be a valid regular expression, but isn't: ${fault}`,
          ),
        ]),
    ...(type === 'array' && !isFields(items) ? [field.required(`${path}.items`, 'must be specified')] : []),
    ...childrenOf(schema, path).flatMap(([child, at]) => checkNode(child, at)),
  ];
}

/** Valid frozen schemas, which all worlds share. */
const checked = new WeakSet<object>();

/** Errors of a schema in a definition: its type, patterns and rules. `path`: its location. */
export function checkSchema(schema: StructuralSchema, path: string): FieldError[] {
  if (checked.has(schema)) return [];
  const { type } = schema;
  if (type !== 'object') {
    const detail = `must ${type === undefined ? 'not be empty' : 'be object'} at the root`;
    return [
      type === undefined
        ? field.required(`${path}.type`, detail)
        : field.invalid(`${path}.type`, type, detail),
    ];
  }
  const errors = checkNode(schema, path);
  const all = errors.length > 0 ? errors : checkRules(schema, path);
  if (all.length === 0 && Object.isFrozen(schema)) checked.add(schema);
  return all;
}
