import { describe, expect, test } from 'vitest';
import { bench } from './gadgets.ts';
import { refusalOf } from './world.ts';

describe('conflicts', () => {
  test('a single error is reported in one line', () => {
    const it = bench();
    it.apply('m1', { spec: { replicas: 1 } });
    expect(refusalOf(() => it.apply('m2', { spec: { replicas: 2 } }))).toEqual({
      code: 409,
      reason: 'Conflict',
      message: 'Apply failed with 1 conflict: conflict with "m1": .spec.replicas',
      details: {
        causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "m1"', field: '.spec.replicas' }],
      },
    });
  });

  test('several are grouped by manager, with version and subresource', () => {
    const it = bench();
    it.apply('m1', { spec: { replicas: 1, named: [{ name: 'a', value: '1' }] } });
    it.merge('m2', { spec: { text: 'x' } }, { version: 'v2' });
    it.merge('m3', { spec: { replicas: 2 } }, { subresource: 'scale' });
    const refusal = refusalOf(() =>
      it.apply('m4', { spec: { replicas: 3, text: 'y', named: [{ name: 'a', value: '2' }] } }),
    );
    expect(refusal.message).toBe(
      [
        'Apply failed with 3 conflicts: conflicts with "m1":',
        '- .spec.named[name="a"].value',
        'conflicts with "m2" using test.example/v2:',
        '- .spec.text',
        'conflicts with "m3" with subresource "scale" using test.example/v1:',
        '- .spec.replicas',
      ].join('\n'),
    );
    expect(refusal.details?.causes).toHaveLength(3);
  });

  test('a conflict changes nothing', () => {
    const it = bench();
    it.apply('m1', { spec: { replicas: 1 } });
    const before = it.get();
    refusalOf(() => it.apply('m2', { spec: { replicas: 2, text: 'x' } }));
    expect(it.get()).toBe(before);
  });

  const annotation = 'kubectl.kubernetes.io/last-applied-configuration';
  const lastApplied = (replicas: number) =>
    JSON.stringify({
      apiVersion: 'test.example/v1',
      kind: 'Gadget',
      metadata: { name: 'a' },
      spec: { replicas },
    });

  test('kubectl may take what its client-side apply left as it is, and keeps the annotation in step', () => {
    const it = bench();
    it.create('kubectl-client-side-apply', {
      metadata: { annotations: { [annotation]: lastApplied(1) } },
      spec: { replicas: 1 },
    });
    const applied = it.apply('kubectl', { spec: { replicas: 2 } });
    expect(applied['spec']).toMatchObject({ replicas: 2 });
    expect(applied.metadata.annotations?.[annotation]).toBe(
      '{"apiVersion":"test.example/v1","kind":"Gadget","metadata":{"name":"a","namespace":"default"},"spec":{"replicas":2}}\n',
    );
    expect(refusalOf(() => it.apply('other', { spec: { replicas: 3 } })).code).toBe(409);
  });

  test('but not what has changed since, and no other manager may', () => {
    const it = bench();
    it.create('m1', { metadata: { annotations: { [annotation]: lastApplied(7) } }, spec: { replicas: 1 } });
    expect(refusalOf(() => it.apply('kubectl', { spec: { replicas: 2 } })).code).toBe(409);
    expect(refusalOf(() => it.apply('m2', { spec: { replicas: 2 } })).code).toBe(409);
  });
});
