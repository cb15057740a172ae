import { describe, expect, test } from 'vitest';
import { checkRules, compileRule } from '../../schema/rules.ts';
import type { StructuralSchema, ValidationRule } from '../../schema/structural.ts';
import { readRows } from '../rows.ts';
import { schema, self } from './expression-self.ts';

/** An expression, and the message without marker lines of one that fails to compile or to run. */
type Row = ['holds' | 'fails' | 'has no value' | 'does not compile', string, string];

const rows = readRows<Row>('expressions');
const rowsWhich = (outcome: Row[0]) => rows.filter(([each]) => each === outcome).map(([, ...row]) => row);

/** The result of a rule on `self` at a field `t`, as the real server was queried. */
function told(rule: ValidationRule): string[] {
  const ruled: StructuralSchema = { ...schema, 'x-kubernetes-validations': [rule] };
  const root = { type: 'object', properties: { t: ruled } };
  return checkRules(root, { t: self }).map(({ field, message }) => `${field}: ${message}`);
}

/** The compiler's message without the source lines. */
function refused(rule: ValidationRule): string | undefined {
  const { fault } = compileRule(schema, rule, false).compiled;
  return fault
    ?.replace(/^compilation failed: /, '')
    .replaceAll('selfType1', 'selfType')
    .split('\n')
    .filter((line) => !line.startsWith(' | '))
    .map((line) => line.replace(/^ERROR: <input>:/, ''))
    .join('\n');
}

describe('expressions', () => {
  test.each(rowsWhich('holds'))('holds: %s', (rule) => {
    expect([refused({ rule }), ...told({ rule })]).toEqual([undefined]);
  });

  test.each(rowsWhich('fails'))('does not hold: %s', (rule) => {
    expect(told({ rule })).toEqual([`t: Invalid value: failed rule: ${rule}`]);
  });

  test.each(rowsWhich('has no value'))('has no value: %s', (rule, fault) => {
    const why = `'${fault}': call arguments did not match a supported operator, function or macro signature for rule: ${rule}`;
    const detail = fault.startsWith('no such overload') ? why : `${fault} evaluating rule: ${rule}`;
    expect(told({ rule })).toEqual([`t: Invalid value: "object": ${detail}`]);
  });

  test.each(rowsWhich('does not compile'))('does not compile: %s', (rule, fault) => {
    expect(refused({ rule })).toBe(fault);
  });

  test('show where they are wrong', () => {
    const { compiled } = compileRule(schema, { rule: "self.str == 'ö' &&\n  self.nothing == 1" }, false);
    expect(compiled.fault).toBe(
      "compilation failed: ERROR: <input>:2:7: undefined field 'nothing'\n |   self.nothing == 1\n | ......^",
    );
  });
});

describe('what a broken rule is called', () => {
  const rule = 'self.int == 4';
  const cases: [Partial<ValidationRule>, string][] = [
    [{ message: '  no good ' }, 't: Invalid value: no good'],
    [{ message: 'm', messageExpression: "self.bool ? 'yes' : 'no'" }, 't: Invalid value: yes'],
    [{ message: 'm', messageExpression: "self.labels['zz']" }, 't: Invalid value: m'],
    [{ message: 'm', messageExpression: "''" }, 't: Invalid value: m'],
    [{ message: 'm', messageExpression: "'a\\nb'" }, 't: Invalid value: m'],
    [{ message: 'm', reason: 'FieldValueForbidden' }, 't: Forbidden: m'],
    [{ reason: 'FieldValueRequired' }, `t: Required value: failed rule: ${rule}`],
    [{ message: 'm', reason: 'FieldValueDuplicate' }, 't: Duplicate value'],
    [{ fieldPath: '.int' }, `t.int: Invalid value: failed rule: ${rule}`],
    [{ fieldPath: ".labels['app']" }, `t.labels[app]: Invalid value: failed rule: ${rule}`],
  ];
  test.each(cases)('%j', (parts, message) => {
    expect(told({ rule, ...parts })).toEqual([message]);
  });
});
