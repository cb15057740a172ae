import { describe, expect, test } from 'vitest';
import { refusal, type Stage } from './world.ts';
import { readRows } from './rows.ts';
import { at, faults, gizmo, gizmos, gizmoStage } from './gizmos.ts';

describe('validation of custom resources', () => {
  const invalid: [object, string][] = readRows('refused-gizmos');
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
