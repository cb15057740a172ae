import { describe, expect, test } from 'vitest';
import { bench, ownersOf, spec, type Bench, type Owners } from './gadgets.ts';
import { refusalOf, stage } from './world.ts';

describe('an apply', () => {
  const cases: [string, (bench: Bench) => void, object, Owners][] = [
    [
      'makes the object, owns what it names, and nobody owns the defaults',
      (b) => b.apply('m1', { spec: { replicas: 1 } }),
      { replicas: 1, text: 'none' },
      { 'm1 Apply': spec({ 'f:replicas': {} }) },
    ],
    [
      'takes away what its applier named before and names no more',
      (b) => {
        b.apply('m1', { spec: { replicas: 1, labels: { a: '1', b: '2' }, set: ['x', 'y'] } });
        b.apply('m1', { spec: { labels: { a: '1' }, set: ['y'] } });
      },
      { text: 'none', labels: { a: '1' }, set: ['y'] },
      { 'm1 Apply': spec({ 'f:labels': { 'f:a': {} }, 'f:set': { 'v:"y"': {} } }) },
    ],
    [
      'leaves what others own too',
      (b) => {
        b.apply('m1', { spec: { replicas: 1, set: ['x', 'y'] } });
        b.apply('m2', { spec: { replicas: 1, set: ['x'] } });
        b.apply('m1', { spec: { deep: { a: '1' } } });
      },
      { replicas: 1, text: 'none', set: ['x'], deep: { a: '1' } },
      {
        'm2 Apply': spec({ 'f:replicas': {}, 'f:set': { 'v:"x"': {} } }),
        'm1 Apply': spec({ 'f:deep': { 'f:a': {} } }),
      },
    ],
    [
      'leaves what a plain write took meanwhile',
      (b) => {
        b.apply('m1', { spec: { replicas: 1, labels: { a: '1' } } });
        b.merge('m2', { spec: { replicas: 5 } });
        b.apply('m1', { spec: { labels: { a: '1' } } });
      },
      { replicas: 5, text: 'none', labels: { a: '1' } },
      { 'm1 Apply': spec({ 'f:labels': { 'f:a': {} } }), 'm2 Update': spec({ 'f:replicas': {} }) },
    ],
    [
      'gives a default back to what it names no more',
      (b) => {
        b.apply('m1', { spec: { text: 'x', replicas: 1 } });
        b.apply('m1', { spec: { replicas: 1 } });
      },
      { replicas: 1, text: 'none' },
      { 'm1 Apply': spec({ 'f:replicas': {} }) },
    ],
    [
      'merges items by their keys and keeps the others in their places',
      (b) => {
        b.create('m1', { spec: { named: [{ name: 'a', value: '1' }, { name: 'x' }, { name: 'b' }] } });
        b.apply('m2', { spec: { named: [{ name: 'a' }, { name: 'n' }, { name: 'b', value: '2' }] } });
      },
      {
        text: 'none',
        named: [{ name: 'a', value: '1' }, { name: 'x' }, { name: 'n' }, { name: 'b', value: '2' }],
      },
      {
        'm2 Apply': spec({
          'f:named': {
            'k:{"name":"a"}': { '.': {}, 'f:name': {} },
            'k:{"name":"b"}': { '.': {}, 'f:name': {}, 'f:value': {} },
            'k:{"name":"n"}': { '.': {}, 'f:name': {} },
          },
        }),
        'm1 Update': spec({
          '.': {},
          'f:named': {
            '.': {},
            'k:{"name":"a"}': { '.': {}, 'f:name': {}, 'f:value': {} },
            'k:{"name":"b"}': { '.': {}, 'f:name': {} },
            'k:{"name":"x"}': { '.': {}, 'f:name': {} },
          },
          'f:text': {},
        }),
      },
    ],
    [
      'removes an item with all in it when nobody else has anything of it',
      (b) => {
        b.apply('m1', { spec: { named: [{ name: 'a', value: '1' }, { name: 'b' }] } });
        b.apply('m1', { spec: { named: [{ name: 'b' }] } });
      },
      { text: 'none', named: [{ name: 'b' }] },
      { 'm1 Apply': spec({ 'f:named': { 'k:{"name":"b"}': { '.': {}, 'f:name': {} } } }) },
    ],
    [
      'replaces atomic lists and maps',
      (b) => {
        b.apply('m1', { spec: { atoms: ['a', 'a'], whole: { a: '1' } } });
        b.apply('m1', { spec: { atoms: ['b'], whole: { b: '2' } } });
      },
      { text: 'none', atoms: ['b'], whole: { b: '2' } },
      { 'm1 Apply': spec({ 'f:atoms': {}, 'f:whole': {} }) },
    ],
    [
      'with force takes fields from their owners',
      (b) => {
        b.apply('m1', { spec: { replicas: 1 } });
        b.merge('m2', { spec: { text: 'x' } });
        b.apply('m3', { spec: { replicas: 2, text: 'y' } }, { force: true });
      },
      { replicas: 2, text: 'y' },
      { 'm3 Apply': spec({ 'f:replicas': {}, 'f:text': {} }) },
    ],
    [
      'of what is there already owns it together',
      (b) => {
        b.apply('m1', { spec: { replicas: 1 } });
        b.apply('m2', { spec: { replicas: 1 } });
      },
      { replicas: 1, text: 'none' },
      { 'm2 Apply': spec({ 'f:replicas': {} }), 'm1 Apply': spec({ 'f:replicas': {} }) },
    ],
    [
      'of an object that nobody owns finds an owner of all there is',
      (b) => {
        b.create('m1', { spec: { replicas: 1 } });
        b.merge('m1', { metadata: { managedFields: [{}] } });
        b.apply('m2', { spec: { labels: { a: '1' } } });
      },
      { replicas: 1, text: 'none', labels: { a: '1' } },
      {
        'm2 Apply': spec({ 'f:labels': { 'f:a': {} } }),
        'before-first-apply Update': spec({ '.': {}, 'f:replicas': {}, 'f:text': {} }),
      },
    ],
    [
      'is the same one in every version of the kind',
      (b) => {
        b.apply('m1', { spec: { replicas: 1, deep: { a: '1' } } });
        b.apply('m1', { spec: { deep: { a: '1' } } }, { version: 'v2' });
      },
      { text: 'none', deep: { a: '1' } },
      { 'm1 Apply': spec({ 'f:deep': { 'f:a': {} } }) },
    ],
    [
      'and a plain write of the same manager are two',
      (b) => {
        b.apply('m1', { spec: { replicas: 1 } });
        b.merge('m1', { spec: { deep: { a: '1' } } });
        b.apply('m1', { spec: { text: 'x' } });
      },
      { text: 'x', deep: { a: '1' } },
      { 'm1 Apply': spec({ 'f:text': {} }), 'm1 Update': spec({ 'f:deep': { '.': {}, 'f:a': {} } }) },
    ],
    [
      'that names nothing owns nothing',
      (b) => {
        b.apply('m1', { spec: { replicas: 1 } });
        b.apply('m1', {});
      },
      { text: 'none' },
      {},
    ],
    [
      'of the status changes and owns status alone',
      (b) => {
        b.create('m1', { spec: { replicas: 1 } });
        b.apply('m2', { spec: { replicas: 9 }, status: { note: 'x' } }, { subresource: 'status' });
      },
      { replicas: 1, text: 'none' },
      {
        'm2 Apply status': { 'f:status': { 'f:note': {} } },
        'm1 Update': spec({ '.': {}, 'f:replicas': {}, 'f:text': {} }),
      },
    ],
    [
      'of the object cannot own its status',
      (b) => {
        b.apply('m1', { spec: { replicas: 1 }, status: { note: 'x' } });
      },
      { replicas: 1, text: 'none' },
      { 'm1 Apply': spec({ 'f:replicas': {} }) },
    ],
  ];
  test.each(cases)('%s', (_what, act, expected, owners) => {
    const it = bench();
    act(it);
    const object = it.get();
    const found: unknown = object['spec'] ?? { text: 'none' };
    expect(found).toEqual(expected);
    expect(ownersOf(object)).toEqual(owners);
  });

  test('that changes nothing commits nothing', async () => {
    const it = bench();
    it.apply('m1', { spec: { replicas: 1 } });
    const before = it.revision();
    await it.clock.advance(60_000);
    it.apply('m1', { spec: { replicas: 1 } });
    expect(it.revision()).toBe(before);
  });

  test('that only shares existing values has no time', async () => {
    const it = bench();
    it.apply('m1', { spec: { replicas: 1 } });
    it.apply('m2', { spec: { replicas: 1 } });
    const times = () =>
      Object.fromEntries((it.get().metadata.managedFields ?? []).map(({ manager, time }) => [manager, time]));
    expect(times()).toEqual({ m1: '2026-01-01T12:00:00Z', m2: undefined });
    await it.clock.advance(60_000);
    it.apply('m2', { spec: { replicas: 1, deep: { a: '1' } } });
    expect(times()).toEqual({ m1: '2026-01-01T12:00:00Z', m2: '2026-01-01T12:01:00Z' });
  });

  test('as a dry run returns the result without changes', () => {
    const it = bench();
    const made = it.apply('m1', { spec: { replicas: 1 } }, { dryRun: true });
    expect(ownersOf(made)).toEqual({ 'm1 Apply': spec({ 'f:replicas': {} }) });
    expect(refusalOf(() => it.get()).code).toBe(404);
    it.apply('m1', { spec: { replicas: 1 } });
    const before = it.revision();
    expect(it.apply('m1', { spec: { replicas: 2 } }, { dryRun: true })['spec']).toMatchObject({
      replicas: 2,
    });
    expect(it.revision()).toBe(before);
  });

  test('reaches an object that is being deleted', async () => {
    const { world } = stage();
    const server = world.server;
    const at = { namespace: 'default', name: 'a' };
    const configMaps = { group: '', version: 'v1', plural: 'configmaps' };
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'default' } };
    server.create('alice', configMaps, { ...body, metadata: { ...body.metadata, finalizers: ['a.b/c'] } });
    server.delete('alice', configMaps, at);
    const next = server.patch(
      'alice',
      configMaps,
      at,
      { type: 'apply', body: { ...body, data: { a: '1' } } },
      { fieldManager: 'm1' },
    );
    expect(next['data']).toEqual({ a: '1' });
    expect(next.metadata.deletionTimestamp).toBeDefined();
  });

  test('of a scale owns the replicas, without a time, and finds an owner before it', () => {
    const it = bench('Deployment');
    const template = {
      metadata: { labels: { a: 'b' } },
      spec: { containers: [{ name: 'main', image: 'web:1' }] },
    };
    it.create('m1', { spec: { replicas: 1, selector: { matchLabels: { a: 'b' } }, template } });
    const conflict = refusalOf(() => it.apply('m2', { spec: { replicas: 3 } }, { subresource: 'scale' }));
    expect(conflict.message).toBe(
      'Apply failed with 1 conflict: conflict with "m1" using autoscaling/v1: .spec.replicas',
    );
    const answer = it.apply('m2', { spec: { replicas: 3 } }, { subresource: 'scale', force: true });
    expect(answer).toMatchObject({ kind: 'Scale', spec: { replicas: 3 } });
    const owner = it.get().metadata.managedFields?.find(({ manager }) => manager === 'm2');
    expect(owner).toEqual({
      manager: 'm2',
      operation: 'Apply',
      apiVersion: 'apps/v1',
      fieldsType: 'FieldsV1',
      fieldsV1: spec({ 'f:replicas': {} }),
      subresource: 'scale',
    });
  });
});
