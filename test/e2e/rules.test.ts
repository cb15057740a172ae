import { expect } from 'vitest';
import { until } from '../until.ts';
import { suite, type Kubectl } from './suite.ts';

const group = (k: Kubectl) => `${k.namespace}.example.com`;

/** A definition of Gauges whose `spec` has these properties, with rules for all of it. */
function definition(k: Kubectl, properties: string, rules = '[]'): string {
  return `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: gauges.${group(k)} }
spec:
  group: ${group(k)}
  scope: Namespaced
  names: { plural: gauges, singular: gauge, kind: Gauge }
  versions:
    - name: v1
      served: true
      storage: true
      subresources: { status: {} }
      schema:
        openAPIV3Schema:
          type: object
          properties:
            status: { type: object, properties: { seen: { type: integer } } }
            spec:
              type: object
              x-kubernetes-validations: ${rules}
              properties: ${properties}
`;
}

const gauge = (k: Kubectl, spec: string, name = 'g') =>
  `apiVersion: ${group(k)}/v1\nkind: Gauge\nmetadata: { name: ${name} }\nspec: ${spec}\n`;

/** Plays a case with Gauges of a definition, which is gone afterwards. */
async function withGauges(k: Kubectl, text: string, play: () => Promise<void>): Promise<void> {
  expect(await k.run('apply -f -', text)).toBe(
    `customresourcedefinition.apiextensions.k8s.io/gauges.NAMESPACE.example.com created`,
  );
  try {
    // By the short name kubectl takes the group of the case before from its cache.
    await until('the definition applies', async () => (await k.raw(`get gauges.${group(k)}`)).code === 0);
    await play();
  } finally {
    await k.run(`delete crd gauges.${group(k)}`);
  }
}

const range = `{ min: { type: integer }, max: { type: integer }, share: { x-kubernetes-int-or-string: true },
  mode: { type: string, maxLength: 20 }, factor: { type: number },
  tags: { type: object, maxProperties: 5, additionalProperties: { type: string, maxLength: 20, x-kubernetes-validations: [{ rule: "self != 'bad'" }] } },
  ports: { type: array, maxItems: 5, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [name],
    items: { type: object, required: [name], properties: { name: { type: string, maxLength: 10 }, port: { type: integer, x-kubernetes-validations: [{ rule: self == oldSelf, message: a port stays }, { rule: self < 100 }] } } } } }`;

const rules = `
                - { rule: 'self.min <= self.max', message: min is above max }
                - { rule: '!has(self.factor) || self.factor < self.max', messageExpression: "self.max > 1 ? 'factor is not below the maximum' : 'there is no room for a factor'", fieldPath: .factor, reason: FieldValueForbidden }
                - { rule: "!has(self.share) || (type(self.share) == string ? self.share.matches('^[0-9]+%$') : self.share > 0)", message: share is wrong }
                - { rule: "!has(self.mode) || self.mode == oldSelf.?mode.orValue(self.mode)", optionalOldSelf: true, message: mode stays }
                - { rule: "!has(self.mode) || self.mode != 'strict' || self.tags['owner'] != ''" }`;

suite('rules', (test) => {
  test('on values', async (k) => {
    await withGauges(k, definition(k, range, rules), async () => {
      const create = async (spec: string) => k.run('create -f -', gauge(k, spec));
      expect(await create('{ min: 3, max: 2 }')).toMatchInlineSnapshot(`
        [stderr]
        The Gauge "g" is invalid: spec: Invalid value: min is above max
        [exit 1]
      `);
      expect(await create('{ min: 1, max: 2, factor: 2.5 }')).toMatchInlineSnapshot(`
        [stderr]
        The Gauge "g" is invalid: spec.factor: Forbidden: factor is not below the maximum
        [exit 1]
      `);
      expect(await create('{ min: 1, max: 2, share: 50 percent }')).toMatchInlineSnapshot(`
        [stderr]
        The Gauge "g" is invalid: spec: Invalid value: share is wrong
        [exit 1]
      `);
      expect(await create('{ min: 1, max: 2, share: 0 }')).toMatchInlineSnapshot(`
        [stderr]
        The Gauge "g" is invalid: spec: Invalid value: share is wrong
        [exit 1]
      `);
      expect(await create('{ min: 1, max: 2, mode: strict }')).toMatchInlineSnapshot(`
        [stderr]
        The Gauge "g" is invalid: spec: Invalid value: "object": no such key: tags evaluating rule: !has(self.mode) || self.mode != 'strict' || self.tags['owner'] != ''
        [exit 1]
      `);
      expect(await create('{ min: 1 }')).toMatchInlineSnapshot(`
        [stderr]
        The Gauge "g" is invalid: spec: Invalid value: "object": no such key: max evaluating rule: min is above max
        [exit 1]
      `);
      expect(await create('{ min: 1, max: 2, tags: { a: bad } }')).toMatchInlineSnapshot(`
        [stderr]
        The Gauge "g" is invalid: spec.tags[a]: Invalid value: "bad": failed rule: self != 'bad'
        [exit 1]
      `);
      expect(await create('{ min: 1, max: 2, ports: [{ name: a, port: 100 }] }')).toMatchInlineSnapshot(`
        [stderr]
        The Gauge "g" is invalid: spec.ports[0].port: Invalid value: 100: failed rule: self < 100
        [exit 1]
      `);
      expect(await create('{ min: 3, max: 2, mode: 7 }')).toMatchInlineSnapshot(`
        [stderr]
        The Gauge "g" is invalid:
        * <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation
        * spec.mode: Invalid value: "integer": spec.mode in body must be of type string: "integer"
        [exit 1]
      `);
      expect(await create('{ min: 3, max: 2, factor: 9, share: 0 }')).toMatchInlineSnapshot(`
        [stderr]
        The Gauge "g" is invalid:
        * spec.factor: Forbidden: factor is not below the maximum
        * spec: Invalid value: min is above max
        * spec: Invalid value: share is wrong
        [exit 1]
      `);
      expect(
        await create('{ min: 1, max: 2, share: 50%, factor: 1, mode: strict, tags: { owner: me } }'),
      ).toMatchInlineSnapshot(`gauge.NAMESPACE.example.com/g created`);
    });
  });

  test('on old values', async (k) => {
    await withGauges(k, definition(k, range, rules), async () => {
      await k.run(
        'create -f -',
        gauge(k, '{ min: 1, max: 2, mode: a, ports: [{ name: a, port: 1 }, { name: b, port: 2 }] }'),
      );
      const change = async (spec: string) => k.run(`patch gauge g --type=merge -p '{"spec":${spec}}'`);
      expect(await change('{"mode":"b"}')).toMatchInlineSnapshot(`
        [stderr]
        The Gauge "g" is invalid: spec: Invalid value: mode stays
        [exit 1]
      `);
      expect(await change('{"ports":[{"name":"a","port":3}]}')).toMatchInlineSnapshot(`
        [stderr]
        The Gauge "g" is invalid: spec.ports[0].port: Invalid value: 3: a port stays
        [exit 1]
      `);
      expect(
        await change('{"ports":[{"name":"b","port":2},{"name":"c","port":9},{"name":"a","port":1}]}'),
      ).toMatchInlineSnapshot(`gauge.NAMESPACE.example.com/g patched`);
      expect(await change('{"ports":[{"name":"c","port":9}],"mode":null}')).toMatchInlineSnapshot(
        `gauge.NAMESPACE.example.com/g patched`,
      );
      expect(await change('{"mode":"b"}')).toMatchInlineSnapshot(`gauge.NAMESPACE.example.com/g patched`);
    });
  });

  test('added later accept stored values', async (k) => {
    const plain =
      '{ a: { type: string, maxLength: 9 }, b: { type: string, maxLength: 9 }, inner: { type: object, properties: { x: { type: integer } } } }';
    const strict = `{ a: { type: string, maxLength: 9, x-kubernetes-validations: [{ rule: "self == 'good'" }] }, b: { type: string, maxLength: 9 }, inner: { type: object, x-kubernetes-validations: [{ rule: self.x > 1 }], properties: { x: { type: integer } } } }`;
    await withGauges(k, definition(k, plain), async () => {
      await k.run('create -f -', gauge(k, '{ a: old, inner: { x: 2 } }'));
      await k.run('create -f -', gauge(k, '{ a: good, inner: {} }', 'h'));
      await k.run('apply -f -', definition(k, strict));
      await until(
        'the definition applies',
        async () => (await k.raw('create --dry-run=server -f -', gauge(k, '{ a: x }', 'i'))).code !== 0,
      );
      const change = async (body: string, name = 'g') =>
        k.run(`patch gauge ${name} --type=merge -p '${body}'`);
      expect(await change('{"metadata":{"labels":{"x":"y"}}}')).toMatchInlineSnapshot(`
        gauge.NAMESPACE.example.com/g patched
        [stderr]
        Warning: spec.a: Invalid value: "old": failed rule: self == 'good'
      `);
      expect(await change('{"spec":{"b":"new"}}')).toMatchInlineSnapshot(`
        gauge.NAMESPACE.example.com/g patched
        [stderr]
        Warning: spec.a: Invalid value: "old": failed rule: self == 'good'
      `);
      expect(await change('{"spec":{"a":"new"}}')).toMatchInlineSnapshot(`
        [stderr]
        The Gauge "g" is invalid: spec.a: Invalid value: "new": failed rule: self == 'good'
        [exit 1]
      `);
      expect(await change('{"spec":{"a":"good","inner":{"x":3}}}')).toMatchInlineSnapshot(
        `gauge.NAMESPACE.example.com/g patched`,
      );
      expect(await change('{"spec":{"inner":{"x":0}}}')).toMatchInlineSnapshot(`
        [stderr]
        The Gauge "g" is invalid: spec.inner: Invalid value: failed rule: self.x > 1
        [exit 1]
      `);
      expect(await change('{"metadata":{"labels":{"x":"y"}}}', 'h')).toMatchInlineSnapshot(`
        [stderr]
        The Gauge "h" is invalid: spec.inner: Invalid value: "object": no such key: x evaluating rule: self.x > 1
        [exit 1]
      `);
      expect(
        await k.run(`patch gauge g --subresource=status --type=merge -p '{"status":{"seen":1}}'`),
      ).toMatchInlineSnapshot(`gauge.NAMESPACE.example.com/g patched`);
    });
  });

  test('that do not compile are rejected with their definition', async (k) => {
    const define = async (schema: string) => k.run('create -f -', definition(k, `{ a: ${schema} }`));
    const ruled = async (rule: string) =>
      define(`{ type: object, properties: { x: { type: integer } }, x-kubernetes-validations: [${rule}] }`);
    expect(await ruled('{ rule: self.x == self.y }')).toMatchInlineSnapshot(`
      [stderr]
      The CustomResourceDefinition "gauges.NAMESPACE.example.com" is invalid: spec.validation.openAPIV3Schema.properties[spec].properties[a].x-kubernetes-validations[0].rule: Invalid value: {"Rule":"self.x == self.y","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: ERROR: <input>:1:15: undefined field 'y'
       | self.x == self.y
       | ..............^
      [exit 1]
    `);
    expect(await ruled('{ rule: "self.x == " }')).toMatchInlineSnapshot(`
      [stderr]
      The CustomResourceDefinition "gauges.NAMESPACE.example.com" is invalid: spec.validation.openAPIV3Schema.properties[spec].properties[a].x-kubernetes-validations[0].rule: Invalid value: {"Rule":"self.x == ","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: ERROR: <input>:1:11: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}
       | self.x ==
       | ..........^
      [exit 1]
    `);
    expect(await ruled('{ rule: "self.x > \'1\' && foo" }')).toMatchInlineSnapshot(`
      [stderr]
      The CustomResourceDefinition "gauges.NAMESPACE.example.com" is invalid: spec.validation.openAPIV3Schema.properties[spec].properties[a].x-kubernetes-validations[0].rule: Invalid value: {"Rule":"self.x \\u003e '1' \\u0026\\u0026 foo","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: ERROR: <input>:1:8: found no matching overload for '_>_' applied to '(int, string)'
       | self.x > '1' && foo
       | .......^
      ERROR: <input>:1:17: undeclared reference to 'foo' (in container '')
       | self.x > '1' && foo
       | ................^
      [exit 1]
    `);
    expect(await ruled('{ rule: self.x }')).toMatchInlineSnapshot(`
      [stderr]
      The CustomResourceDefinition "gauges.NAMESPACE.example.com" is invalid: spec.validation.openAPIV3Schema.properties[spec].properties[a].x-kubernetes-validations[0].rule: Invalid value: {"Rule":"self.x","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: cel expression must evaluate to a bool
      [exit 1]
    `);
    expect(await ruled('{ rule: self.x == 1, messageExpression: self.x }')).toMatchInlineSnapshot(`
      [stderr]
      The CustomResourceDefinition "gauges.NAMESPACE.example.com" is invalid: spec.validation.openAPIV3Schema.properties[spec].properties[a].x-kubernetes-validations[0].messageExpression: Invalid value: {"Rule":"self.x == 1","Message":"","MessageExpression":"self.x","Reason":null,"FieldPath":"","OptionalOldSelf":null}: messageExpression must evaluate to a string
      [exit 1]
    `);
    expect(await ruled('{ rule: self.x == 1, reason: Because }')).toMatchInlineSnapshot(`
      [stderr]
      The CustomResourceDefinition "gauges.NAMESPACE.example.com" is invalid: spec.validation.openAPIV3Schema.properties[spec].properties[a].x-kubernetes-validations[0].reason: Unsupported value: "Because": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"
      [exit 1]
    `);
    expect(await ruled('{ rule: self.x == 1, fieldPath: .y }')).toMatchInlineSnapshot(`
      [stderr]
      The CustomResourceDefinition "gauges.NAMESPACE.example.com" is invalid: spec.validation.openAPIV3Schema.properties[spec].properties[a].x-kubernetes-validations[0].fieldPath: Invalid value: ".y": must be a valid path
      [exit 1]
    `);
    expect(await ruled('{ rule: "" }')).toMatchInlineSnapshot(`
      [stderr]
      The CustomResourceDefinition "gauges.NAMESPACE.example.com" is invalid: spec.validation.openAPIV3Schema.properties[spec].properties[a].x-kubernetes-validations[0].rule: Required value: rule is not specified
      [exit 1]
    `);
    expect(await ruled('{ rule: self.x == 1, optionalOldSelf: true }')).toMatchInlineSnapshot(`
      [stderr]
      The CustomResourceDefinition "gauges.NAMESPACE.example.com" is invalid: spec.validation.openAPIV3Schema.properties[spec].properties[a].x-kubernetes-validations[0].optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule
      [exit 1]
    `);
    expect(
      await define(
        '{ type: array, maxItems: 5, items: { type: integer, x-kubernetes-validations: [{ rule: self == oldSelf }] } }',
      ),
    ).toMatchInlineSnapshot(`
      [stderr]
      The CustomResourceDefinition "gauges.NAMESPACE.example.com" is invalid: spec.validation.openAPIV3Schema.properties[spec].properties[a].items.x-kubernetes-validations[0].rule: Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within spec.validation.openAPIV3Schema.properties[spec].properties[a]
      [exit 1]
    `);
    expect(await define("{ type: string, pattern: '(a' }")).toMatchInlineSnapshot(`
      [stderr]
      The CustomResourceDefinition "gauges.NAMESPACE.example.com" is invalid: spec.validation.openAPIV3Schema.properties[spec].properties[a].pattern: Invalid value: "(a": must be a valid regular expression, but isn't: error parsing regexp: missing closing ): \`(a\`
      [exit 1]
    `);
    expect(await define("{ type: string, pattern: '^(?=a)' }")).toMatchInlineSnapshot(`
      [stderr]
      The CustomResourceDefinition "gauges.NAMESPACE.example.com" is invalid: spec.validation.openAPIV3Schema.properties[spec].properties[a].pattern: Invalid value: "^(?=a)": must be a valid regular expression, but isn't: error parsing regexp: invalid or unsupported Perl syntax: \`(?=\`
      [exit 1]
    `);
    expect(await define("{ type: string, allOf: [{ pattern: 'a**' }] }")).toMatchInlineSnapshot(`
      [stderr]
      The CustomResourceDefinition "gauges.NAMESPACE.example.com" is invalid: spec.validation.openAPIV3Schema.properties[spec].properties[a].allOf[0].pattern: Invalid value: "a**": must be a valid regular expression, but isn't: error parsing regexp: invalid nested repetition operator: \`**\`
      [exit 1]
    `);
  });

  test('patterns are read as RE2 reads them', async (k) => {
    const patterns = `{ any: { type: string, pattern: '(?i)^a(?P<rest>b+)\\z' }, slow: { type: string, pattern: '^(a+)+$' } }`;
    await withGauges(k, definition(k, patterns), async () => {
      const create = async (spec: string) => k.run('create --dry-run=server -f -', gauge(k, spec));
      expect(await create('{ any: ABB }')).toMatchInlineSnapshot(
        `gauge.NAMESPACE.example.com/g created (server dry run)`,
      );
      expect(await create('{ any: ac }')).toMatchInlineSnapshot(`
        [stderr]
        The Gauge "g" is invalid: spec.any: Invalid value: "ac": spec.any in body should match '(?i)^a(?P<rest>b+)\\z'
        [exit 1]
      `);
      const began = performance.now();
      const answer = await create(`{ slow: ${'a'.repeat(5000)}b }`);
      expect(answer).toContain('spec.slow in body should match');
      expect(performance.now() - began).toBeLessThan(30_000);
    });
  });
});
