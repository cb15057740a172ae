import { describe, expect, test } from 'vitest';
import { refusal, type Stage } from './world.ts';
import { at, faults, gizmo, gizmos, gizmoStage } from './gizmos.ts';

const typed = (path: string, wanted: string, found: string) =>
  `spec.${path}: Invalid value: "${found}": spec.${path} in body must be of type ${wanted}: "${found}"`;

describe('validation of custom resources', () => {
  const invalid: [object, string][] = [
    [{ int: 'x' }, typed('int', 'integer', 'string')],
    [{ int: 1.5 }, typed('int', 'integer', 'number')],
    [{ free: 1e20 }, typed('free', 'integer', 'number')],
    [{ share: 1.5 }, typed('share', 'integer,string', 'number')],
    [{ share: true }, typed('share', 'integer,string', 'boolean')],
    [{ names: [] }, typed('names', 'object', 'array')],
    [{ parts: {} }, typed('parts', 'array', 'object')],
    [{ set: [null] }, typed('set[0]', 'string', 'null')],
    [{ int: 11 }, 'spec.int: Invalid value: 11: spec.int in body should be less than or equal to 10'],
    [{ int: -1 }, 'spec.int: Invalid value: -1: spec.int in body should be greater than or equal to 0'],
    [{ num: 0.3 }, 'spec.num: Invalid value: 0.3: spec.num in body should be a multiple of 0.5'],
    [
      { open: 3 },
      '[spec.open: Invalid value: 3: spec.open in body should be a multiple of 5, spec.open: Invalid value: 3: spec.open in body should be greater than 3]',
    ],
    [{ code: 'A' }, 'spec.code: Invalid value: "A": spec.code in body should be at least 2 chars long'],
    [{ code: 'ABCDE' }, 'spec.code: Too long: may not be more than 3 bytes'],
    [{ code: 'AB' }, `spec.code: Invalid value: "AB": spec.code in body should match '^[a-z]+$'`],
    [{ one: 'ab' }, 'spec.one: Too long: may not be more than 1 byte'],
    [{ color: 'green' }, 'spec.color: Unsupported value: "green": supported values: "red", "blue"'],
    [
      { color: 1 },
      `[${typed('color', 'string', 'integer')}, spec.color: Unsupported value: 1: supported values: "red", "blue"]`,
    ],
    [{ level: 3 }, 'spec.level: Unsupported value: 3: supported values: "1", "2"'],
    [{ maybeRed: null }, 'spec.maybeRed: Unsupported value: null: supported values: "red"'],
    [{ parts: [] }, 'spec.parts: Invalid value: 0: spec.parts in body should have at least 1 items'],
    [
      { parts: [{ id: 'a' }, { id: 'b' }, { id: 'c' }] },
      'spec.parts: Too many: 3: must have at most 2 items',
    ],
    [{ plain: ['a', 'b'] }, 'spec.plain: Too many: 2: must have at most 1 item'],
    [{ parts: [{ id: 'a' }, { id: 'a' }] }, 'spec.parts[1]: Duplicate value: {"id":"a"}'],
    [
      { parts: [{ n: 1 }, { id: 1 }] },
      `[spec.parts[0].id: Required value, ${typed('parts[1].id', 'string', 'integer')}]`,
    ],
    [
      { parts: ['x'] },
      `[${typed('parts[0]', 'object', 'string')}, spec.parts[0]: Invalid value: "x": must be an object for an array of list-type map]`,
    ],
    [{ pairs: [{ a: 'x' }, { a: 'x', b: 1 }] }, 'spec.pairs[1]: Duplicate value: {"a":"x","b":1}'],
    [{ set: ['a', 'b', 'a', 'a'] }, 'spec.set[2]: Duplicate value: "a"'],
    [{ names: { a: '1', b: '2', c: '3' } }, 'spec.names: Too many: 3: must have at most 2 items'],
    [{ names: { a: 1 } }, typed('names.a', 'string', 'integer')],
    [{ few: { a: 'x' } }, 'spec.few: Invalid value: 1: spec.few in body should have at least 2 properties'],
    [{ deep: {} }, '[spec.deep.b: Required value, spec.deep.a: Required value]'],
    [
      { any: {} },
      '[<nil>: Invalid value: "": "spec.any" must validate at least one schema (anyOf), spec.any.x: Required value]',
    ],
    [
      { either: {} },
      '[<nil>: Invalid value: "": "spec.either" must validate one and only one schema (oneOf). Found none valid, spec.either.x: Required value]',
    ],
    [
      { either: { x: '1', y: '2' } },
      '<nil>: Invalid value: "": "spec.either" must validate one and only one schema (oneOf). Found 2 valid alternatives',
    ],
    [{ not: 7 }, '<nil>: Invalid value: "": "spec.not" must not validate the schema (not)'],
    [
      { all: 3 },
      '[spec.all: Invalid value: 3: spec.all in body should be greater than or equal to 5, <nil>: Invalid value: "": "spec.all" must validate all the schemas (allOf)]',
    ],
    [{ when: 'x' }, 'spec.when: Invalid value: "x": spec.when in body must be of type date-time: "x"'],
    [{ emb: {} }, '[spec.emb.apiVersion: Required value, spec.emb.kind: Required value]'],
    [
      { emb: { apiVersion: 'a/b/c', kind: 'X' } },
      'spec.emb.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
    ],
  ];
  test.each(invalid)('%j', async (spec, message) => {
    expect(faults(await refusal(gizmoStage().alice.create(gizmos, gizmo(spec))))).toBe(message);
  });

  const valid: [object, object][] = [
    [{ free: 3_000_000_000 }, { free: 3_000_000_000 }],
    [{ maybe: null }, { maybe: null }],
    [{ defaulted: null }, { defaulted: null }],
    [{ code: null, parts: null, share: null }, {}],
    [{ names: { a: null, b: 'c' } }, { names: { b: 'c' } }],
    [
      { plain: ['a'], set: ['a', 'b'] },
      { plain: ['a'], set: ['a', 'b'] },
    ],
    [
      { either: { x: '1' }, not: 1, all: 6 },
      { either: { x: '1' }, not: 1, all: 6 },
    ],
    [
      { emb: { apiVersion: 'v1', kind: 'X', metadata: null, q: 1 } },
      { emb: { apiVersion: 'v1', kind: 'X', metadata: {}, q: 1 } },
    ],
  ];
  test.each(valid)('accepts %j; drops unwanted nulls', async (spec, kept) => {
    const made = await gizmoStage().alice.create(gizmos, gizmo(spec));
    expect(made['spec']).toEqual({ defaulted: 'd', ...kept });
  });

  test('metadata of embedded resources are decoded and checked like those of objects', async () => {
    const { alice } = gizmoStage();
    const of = (metadata: unknown) =>
      refusal(alice.create(gizmos, gizmo({ emb: { apiVersion: 'v1', kind: 'X', metadata } })));
    expect((await of({ labels: { a: 1 } })).message).toBe(
      'Gizmo in version "v1" cannot be handled as a Gizmo: spec.emb.metadata: Invalid value: {"labels":{"a":1}}: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string',
    );
    expect(faults(await of({ labels: { '-': 'x' } }))).toContain(
      'spec.emb.metadata.labels: Invalid value: "-": name part must consist of',
    );
    const wrongKind = alice.create(gizmos, gizmo({ emb: { apiVersion: 'v1', kind: true } }));
    expect((await refusal(wrongKind)).message).toBe(
      'Gizmo in version "v1" cannot be handled as a Gizmo: spec.emb.kind: Invalid value: true: must be a string',
    );
  });

  test('reports errors of metadata and body together', async () => {
    const metadata = { name: 'a', namespace: 'default', labels: { '-': 'x' } };
    const status = await refusal(
      gizmoStage().alice.create(gizmos, { ...gizmo({ int: 99, color: 'x' }), metadata }),
    );
    expect(status.details?.causes?.map((cause) => cause.field)).toEqual([
      'metadata.labels',
      'spec.int',
      'spec.color',
    ]);
  });
});

describe('status writes', () => {
  const write = ({ alice }: Stage, body: object) =>
    alice.patch(gizmos, at, { type: 'merge', body: body as never }, { subresource: 'status' });

  test('validate the status alone, under its own name', async () => {
    const set = gizmoStage();
    await set.alice.create(gizmos, gizmo({}));
    expect(faults(await refusal(write(set, { status: { n: -1 } })))).toBe(
      '[status.req: Required value, status.n: Invalid value: -1: n in body should be greater than or equal to 0]',
    );
    const written = await write(set, { status: { n: 1, req: 'x' }, spec: { int: 'no integer' } });
    expect(written).toMatchObject({ spec: { defaulted: 'd' }, status: { n: 1, req: 'x' } });
  });
});
