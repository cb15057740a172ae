import { describe, expect, test } from 'vitest';
import { crds } from '../../schemas/generated/crds.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { definitions, refusal, stage } from './world.ts';
import { aFoo, foo, foos, named, withVersion } from './foos.ts';

function conditions(definition: KubeObject): Record<string, string> {
  const status = definition['status'] as { conditions: { type: string; status: string; reason: string }[] };
  return Object.fromEntries(status.conditions.map((each) => [each.type, `${each.status} ${each.reason}`]));
}

test.each(crds.map((crd) => [crd.metadata.name, crd] as const))(
  'our own %s, which a world begins with unchecked, is valid',
  async (name, crd) => {
    const checked = await stage({ crds: [] }).alice.create(definitions, crd);
    const { alice, world } = stage({ crds: undefined });
    const unchecked = await alice.get(definitions, { name });
    expect([unchecked['spec'], unchecked['status']]).toEqual([checked['spec'], checked['status']]);
    expect(() => world.server.create('alice', definitions, { ...crd, spec: {} })).toThrow('is invalid');
  },
);

describe('worlds of the same given definition', () => {
  type Spec = Record<'versions', { schema: object }[]> & { scope: string };
  async function storedIn(own: KubeObject[]): Promise<Spec> {
    return (await stage({ crds: own }).alice.get(definitions, named))['spec'] as Spec;
  }

  test('share its stored schema, which is checked and compiled once', async () => {
    const given = foo();
    const [first, second] = [await storedIn([given]), await storedIn([given])];
    expect(first.versions[0]?.schema).toBeDefined();
    expect(second.versions[0]?.schema).toBe(first.versions[0]?.schema);
  });

  test('serve what it has become when the world begins', async () => {
    const given = foo();
    await storedIn([given]);
    given['spec'] = foo((spec) => (spec['scope'] = 'Cluster'))['spec'];
    expect((await storedIn([given])).scope).toBe('Cluster');
  });
});

const schemaPath = 'spec.validation.openAPIV3Schema';
const withSchema = (schema: object) =>
  withVersion((version) => (version['schema'] = { openAPIV3Schema: schema }));
const withField = (a: object) => withSchema({ type: 'object', properties: { a } });

test.each<[string, KubeObject, string]>([
  [
    'another name',
    foo((_spec, object) => (object.metadata.name = 'bars.crd.example')),
    'metadata.name: Invalid value: "bars.crd.example": must be spec.names.plural+"."+spec.group',
  ],
  [
    'no spec',
    foo((_spec, object) => delete object['spec']),
    'metadata.name: Invalid value: "foos.crd.example": must be spec.names.plural+"."+spec.group, spec.group: Required value, spec.scope: Required value, spec.names.plural: Required value, spec.names.singular: Required value, spec.names.kind: Required value, spec.names.listKind: Required value, spec.versions: Invalid value: []: must have exactly one version marked as storage version, status.storedVersions: Invalid value: null: must have at least one stored version',
  ],
  [
    'an unknown scope',
    foo((spec) => (spec['scope'] = 'X')),
    'spec.scope: Unsupported value: "X": supported values: "Cluster", "Namespaced"',
  ],
  [
    'two storage versions',
    foo(({ versions }) => versions.push({ ...versions[0], name: 'v2' })),
    'spec.versions: Invalid value: ["v1","v2"]: must have exactly one version marked as storage version',
  ],
  [
    'a version twice',
    foo(({ versions }) => versions.push({ ...versions[0], storage: false })),
    'spec.versions: Invalid value: ["v1","v1"]: must contain unique version names',
  ],
  [
    'no schema',
    withVersion((version) => delete version['schema']),
    'spec.versions[0].schema.openAPIV3Schema: Required value',
  ],
  ['no type', withSchema({}), `${schemaPath}.type: Required value: must not be empty at the root`],
  [
    'a root that is no object',
    withSchema({ type: 'string' }),
    `${schemaPath}.type: Invalid value: "string": must be object at the root`,
  ],
  [
    'schemas that differ',
    foo(({ versions }) =>
      versions.push({ name: 'v2', served: true, schema: { openAPIV3Schema: { type: 'string' } } }),
    ),
    'spec.versions[1].schema.openAPIV3Schema.type: Invalid value: "string": must be object at the root',
  ],
  [
    'a list of unknown items',
    withField({ type: 'array' }),
    `${schemaPath}.properties[a].items: Required value: must be specified`,
  ],
  [
    'a wrong pattern',
    withField({ type: 'object', additionalProperties: { type: 'string', anyOf: [{ pattern: '(' }] } }),
    `${schemaPath}.properties[a].additionalProperties.anyOf[0].pattern: Invalid value: "(": must be a valid regular expression, but isn't: error parsing regexp: missing closing ): \`(\``,
  ],
  [
    'a rule without text',
    withField({ type: 'string', 'x-kubernetes-validations': [{ rule: ' ' }] }),
    `${schemaPath}.properties[a].x-kubernetes-validations[0].rule: Required value: rule is not specified`,
  ],
])('a definition with %s is refused', async (_what, definition, message) => {
  const status = await refusal(stage({ crds: [] }).alice.create(definitions, definition));
  expect(status).toMatchObject({ code: 422, reason: 'Invalid' });
  expect(status.message.replace(/^.* is invalid: \[?(.*?)\]?$/, '$1')).toBe(message);
});

describe('definitions', () => {
  const text = { type: 'string' };

  test('get their names, no conversion, and are established', async () => {
    const made = await stage({ crds: [] }).alice.create(definitions, foo());
    const names = { plural: 'foos', singular: 'foo', kind: 'Foo', listKind: 'FooList' };
    expect(made['spec']).toMatchObject({ names, conversion: { strategy: 'None' } });
    expect(made['status']).toMatchObject({ acceptedNames: names, storedVersions: ['v1'] });
    expect(conditions(made)).toEqual({
      NamesAccepted: 'True NoConflicts',
      Established: 'True InitialNamesAccepted',
    });
  });

  test('whose names are taken are not served until they are free', async () => {
    const { alice, clock } = stage({ crds: [] });
    await alice.create(definitions, foo());
    const fooes = { ...foos, plural: 'fooes' };
    const other = foo(({ names }, object) => {
      names['plural'] = 'fooes';
      object.metadata.name = 'fooes.crd.example';
    });
    await alice.create(definitions, other);
    await clock.advance(1000);
    const refusedOne = await alice.get(definitions, { name: 'fooes.crd.example' });
    expect(conditions(refusedOne)).toEqual({
      NamesAccepted: 'False ListKindConflict',
      Established: 'False NotAccepted',
    });
    expect((await refusal(alice.list(fooes))).code).toBe(404);
    await alice.delete(definitions, named);
    await clock.advance(1000);
    expect(conditions(await alice.get(definitions, { name: 'fooes.crd.example' }))).toEqual({
      NamesAccepted: 'True NoConflicts',
      Established: 'True InitialNamesAccepted',
    });
    expect((await alice.list(fooes)).items).toEqual([]);
  });

  test('that are established keep group, scope, kind and plural', async () => {
    const { alice } = stage({ crds: [] });
    await alice.create(definitions, foo());
    for (const [path, body] of [
      ['spec.scope', { scope: 'Cluster' }],
      ['spec.names.kind', { names: { kind: 'Foz' } }],
    ] as const) {
      const status = await refusal(alice.patch(definitions, named, { type: 'merge', body: { spec: body } }));
      expect(status.code).toBe(422);
      expect(status.message).toMatch(new RegExp(`${path}: Invalid value: "\\w+": field is immutable`));
    }
  });

  test('take other short names and categories at once', async () => {
    const { alice, world } = stage({ crds: [] });
    await alice.create(definitions, foo());
    const body = { spec: { names: { shortNames: ['fo'], categories: ['all'] } } };
    const next = await alice.patch(definitions, named, { type: 'merge', body });
    expect(next['status']).toMatchObject({ acceptedNames: { shortNames: ['fo'] } });
    expect(world.server.registry.byId('foos.crd.example')).toMatchObject({
      shortNames: ['fo'],
      categories: ['all'],
    });
  });

  test('remember the versions that objects were stored in', async () => {
    const { alice } = stage({ crds: [] });
    await alice.create(definitions, foo());
    const v1 = { name: 'v1', served: true, storage: false, schema: { openAPIV3Schema: { type: 'object' } } };
    const v2 = { ...v1, name: 'v2', storage: true };
    const versions = (list: object[]) =>
      alice.patch(definitions, named, { type: 'merge', body: { spec: { versions: list as never } } });
    expect((await versions([v1, v2]))['status']).toMatchObject({ storedVersions: ['v1', 'v2'] });
    expect((await refusal(versions([v2]))).message).toContain(
      'status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was previously a storage version',
    );
    await versions([{ ...v1, served: false }, v2]);
    expect((await refusal(alice.list(foos))).code).toBe(404);
    expect((await alice.list({ ...foos, version: 'v2' })).items).toEqual([]);
  });

  test('that are deleted go after their objects, and nothing is made meanwhile', async () => {
    const { alice, clock } = stage({ crds: [] });
    await alice.create(definitions, foo());
    await alice.create(foos, aFoo('free'));
    await alice.create(foos, aFoo('held', { finalizers: ['x/y'] }));
    const marked = await alice.delete(definitions, named);
    expect(marked?.metadata.finalizers).toEqual(['customresourcecleanup.apiextensions.k8s.io']);
    const late = await refusal(alice.create(foos, aFoo('late')));
    expect(late).toMatchObject({
      code: 403,
      message:
        'foos.crd.example "late" is forbidden: create not allowed while custom resource definition is terminating',
    });
    await clock.advance(1000);
    expect((await alice.list(foos)).items.map((each) => each.metadata.name)).toEqual(['held']);
    expect(conditions(await alice.get(definitions, named))['Terminating']).toBe(
      'True InstanceDeletionInProgress',
    );
    await alice.patch(
      foos,
      { namespace: 'default', name: 'held' },
      { type: 'merge', body: { metadata: { finalizers: null } } },
    );
    await clock.advance(1000);
    expect((await refusal(alice.get(definitions, named))).code).toBe(404);
    expect((await refusal(alice.list(foos))).code).toBe(404);
    await alice.create(definitions, foo());
    expect((await alice.list(foos)).items).toEqual([]);
  });

  test('define selectable fields and columns', async () => {
    const { alice, world } = stage({ crds: [] });
    const spec = { type: 'object', properties: { x: text, n: { type: 'integer' } } };
    const definition = withVersion((version) =>
      Object.assign(version, {
        schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
        selectableFields: [{ jsonPath: '.spec.x' }, { jsonPath: '.spec.n' }],
        additionalPrinterColumns: [{ name: 'X', type: 'string', jsonPath: '.spec.x', priority: 1 }],
      }),
    );
    await alice.create(definitions, definition);
    await alice.create(foos, { ...aFoo('a'), spec: { x: '1', n: 5 } });
    await alice.create(foos, { ...aFoo('b'), spec: { x: '2' } });
    const select = async (fieldSelector: string) =>
      (await alice.list(foos, { fieldSelector })).items.map((each) => each.metadata.name);
    expect(await select('spec.x=1')).toEqual(['a']);
    expect(await select('spec.x!=1')).toEqual(['b']);
    expect(await select('spec.n=5,metadata.name=a')).toEqual(['a']);
    expect((await refusal(select('spec.q=1'))).message).toBe('field label not supported: spec.q');
    expect(world.server.registry.serving(foos).version.columns).toEqual([
      { name: 'X', type: 'string', jsonPath: '.spec.x', priority: 1 },
    ]);
  });
});
