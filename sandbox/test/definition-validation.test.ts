import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { definitions, refusal, stage } from './world.ts';
import { foo, withVersion } from './foos.ts';

const dns1035 = 'a DNS-1035 label must consist of lower case alphanumeric characters';

const schemaPath = 'spec.validation.openAPIV3Schema';

describe('definitions', () => {
  const withSchema = (schema: object) =>
    withVersion((version) => (version['schema'] = { openAPIV3Schema: schema }));
  const withField = (field: object) => withSchema({ type: 'object', properties: { a: field } });
  const text = { type: 'string' };

  const invalid: [string, KubeObject, string[]][] = [
    [
      'another name',
      foo((_spec, object) => (object.metadata.name = 'bars.crd.example')),
      ['metadata.name: Invalid value: "bars.crd.example": must be spec.names.plural+"."+spec.group'],
    ],
    [
      'no spec at all',
      foo((_spec, object) => delete object['spec']),
      [
        'spec.group: Required value',
        'spec.scope: Required value',
        'spec.names.plural: Required value',
        'spec.names.singular: Required value',
        'spec.names.kind: Required value',
        'spec.names.listKind: Required value',
        'status.storedVersions: Invalid value: null: must have at least one stored version',
      ],
    ],
    [
      'a scope of its own',
      foo((spec) => (spec['scope'] = 'X')),
      ['spec.scope: Unsupported value: "X": supported values: "Cluster", "Namespaced"'],
    ],
    [
      'two storage versions',
      foo(({ versions }) => versions.push({ ...versions[0], name: 'v2' })),
      ['must have exactly one version marked as storage version'],
    ],
    [
      'a version twice',
      foo(({ versions }) => versions.push({ ...versions[0], storage: false })),
      ['must contain unique version names'],
    ],
    [
      'a version that is no label',
      withVersion((version) => (version['name'] = 'V1_')),
      [`spec.versions[0].name: Invalid value: "V1_": ${dns1035}`],
    ],
    [
      'no schema',
      withVersion((version) => delete version['schema']),
      ['spec.versions[0].schema.openAPIV3Schema: Required value'],
    ],
    [
      'names that are none',
      foo(({ names }) =>
        Object.assign(names, { singular: 'Foo', shortNames: ['A B'], categories: ['X'], listKind: 'Foo' }),
      ),
      [
        `spec.names.singular: Invalid value: "Foo": ${dns1035}`,
        `spec.names.shortNames[0]: Invalid value: "A B": ${dns1035}`,
        `spec.names.categories[0]: Invalid value: "X": ${dns1035}`,
        'spec.names.listKind: Invalid value: "Foo": kind and listKind may not be the same',
      ],
    ],
    [
      'a conversion of its own',
      foo((spec) => (spec['conversion'] = { strategy: 'X' })),
      ['spec.conversion.strategy: Unsupported value: "X": supported values: "None", "Webhook"'],
    ],
    [
      'a protected group',
      foo((spec, object) => {
        spec['group'] = 'x.k8s.io';
        object.metadata.name = 'foos.x.k8s.io';
      }),
      [
        'metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation',
      ],
    ],
    [
      'a root without type',
      withSchema({}),
      [`${schemaPath}.type: Required value: must not be empty at the root`],
    ],
    [
      'a root that is no object',
      withSchema(text),
      [`${schemaPath}.type: Invalid value: "string": must be object at the root`],
    ],
    [
      'a field without type',
      withField({}),
      [`${schemaPath}.properties[a].type: Required value: must not be empty for specified object fields`],
    ],
    [
      'a type of its own',
      withField({ type: 'foo' }),
      [
        `${schemaPath}.properties[a].type: Unsupported value: "foo": supported values: "array", "boolean", "integer", "number", "object", "string"`,
      ],
    ],
    [
      'a list of nothing',
      withField({ type: 'array' }),
      [`${schemaPath}.properties[a].items: Required value: must be specified`],
    ],
    [
      'properties beside additionalProperties',
      withField({ type: 'object', properties: { x: text }, additionalProperties: text }),
      [
        `${schemaPath}.properties[a].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive`,
      ],
    ],
    [
      'a default of another type',
      withField({ type: 'integer', default: 'x' }),
      [
        `${schemaPath}.properties[a].default: Invalid value: "string":  in body must be of type integer: "string"`,
      ],
    ],
    [
      'a pattern that is none',
      withField({ type: 'string', pattern: '(' }),
      [
        `${schemaPath}.properties[a].pattern: Invalid value: "(": must be a valid regular expression, but isn't: error parsing regexp: missing closing ): \`(\``,
      ],
    ],
    [
      'unique items',
      withField({ type: 'array', uniqueItems: true, items: text }),
      [`${schemaPath}.properties[a].uniqueItems: Forbidden`],
    ],
    [
      'a map list without keys',
      withField({ type: 'array', 'x-kubernetes-list-type': 'map', items: { type: 'object' } }),
      ['x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map'],
    ],
    [
      'a map list whose key may be missing',
      withField({
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
        items: { type: 'object', properties: { k: text } },
      }),
      [
        'items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
      ],
    ],
    [
      'a set of objects',
      withField({ type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'object' } }),
      [
        'items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set',
      ],
    ],
    [
      'types below anyOf',
      withField({ type: 'object', anyOf: [text] }),
      [`${schemaPath}.properties[a].anyOf[0].type: Forbidden: must be empty to be structural`],
    ],
    [
      'metadata of its own',
      withSchema({
        type: 'object',
        properties: { metadata: { type: 'object', properties: { labels: { type: 'object' } } } },
      }),
      [
        `${schemaPath}.properties[metadata]: Forbidden: must not specify anything other than name and generateName`,
      ],
    ],
    [
      'columns that are none',
      withVersion(
        (version) =>
          (version['additionalPrinterColumns'] = [{ name: 'A' }, { name: 'B', type: 'x', jsonPath: 'a' }]),
      ),
      [
        'spec.additionalPrinterColumns[0].type: Required value: must be one of boolean,date,integer,number,string',
        'spec.additionalPrinterColumns[0].JSONPath: Required value',
        'spec.additionalPrinterColumns[1].type: Invalid value: "x"',
        'spec.additionalPrinterColumns[1].JSONPath: Invalid value: "a": must be a simple json path starting with .',
      ],
    ],
    [
      'a scale without paths',
      withVersion((version) => (version['subresources'] = { scale: {} })),
      [
        'spec.subresources.scale.specReplicasPath: Required value',
        'spec.subresources.scale.statusReplicasPath: Required value',
      ],
    ],
    [
      'selectable fields that are none',
      withVersion(
        (version) => (version['selectableFields'] = [{ jsonPath: '.spec.x' }, { jsonPath: 'spec' }]),
      ),
      [
        'spec.selectableFields[0].jsonPath: Invalid value: ".spec.x": is an invalid path: does not refer to a valid field',
        'spec.selectableFields[1].jsonPath: Invalid value: "spec": is an invalid path: expected [ or . but got: spec',
      ],
    ],
  ];
  test.each(invalid)('with %s are refused', async (_what, definition, messages) => {
    const status = await refusal(stage({ crds: [] }).alice.create(definitions, definition));
    expect(status).toMatchObject({ code: 422, reason: 'Invalid' });
    for (const message of messages) expect(status.message).toContain(message);
  });

  test('of differing versions are reported per version', async () => {
    const definition = foo(({ versions }) =>
      versions.push({ ...versions[0], name: 'v2', storage: false, schema: { openAPIV3Schema: text } }),
    );
    expect((await refusal(stage({ crds: [] }).alice.create(definitions, definition))).message).toContain(
      'spec.versions[1].schema.openAPIV3Schema.type: Invalid value: "string": must be object at the root',
    );
  });
});
