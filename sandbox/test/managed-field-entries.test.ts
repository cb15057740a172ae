import { describe, expect, test } from 'vitest';
import { bench, noon, ownersOf, spec } from './gadgets.ts';
import { configMap, configMaps, pod, stage } from './world.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { resources } from '../../schemas/wire/resources.ts';

describe('entries', () => {
  test('contain manager, operation, version, time and fields', () => {
    const it = bench();
    const [entry] = it.create('m1', { spec: { text: 'x' } }).metadata.managedFields ?? [];
    expect(entry).toEqual({
      manager: 'm1',
      operation: 'Update',
      apiVersion: 'test.example/v1',
      time: '2026-01-01T12:00:00Z',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:spec': { '.': {}, 'f:text': {} } },
    });
    expect(Object.keys(entry ?? {})).toEqual([
      'manager',
      'operation',
      'apiVersion',
      'time',
      'fieldsType',
      'fieldsV1',
    ]);
  });

  test('the time of a manager is that of the last field that he took', async () => {
    const it = bench();
    const times = () =>
      (it.get().metadata.managedFields ?? []).map(({ manager, time }) => [manager, time?.slice(14, 19)]);
    it.create('m1', { spec: { text: 'x', replicas: 1 } });
    await it.clock.advance(60_000);
    it.merge('m1', { spec: { replicas: null } });
    expect(times()).toEqual([['m1', '00:00']]);
    it.merge('m2', { spec: { text: 'y' } });
    expect(times()).toEqual([
      ['m1', '00:00'],
      ['m2', '01:00'],
    ]);
    await it.clock.advance(60_000);
    it.merge('m1', { spec: { replicas: 5 } });
    expect(times()).toEqual([
      ['m2', '01:00'],
      ['m1', '02:00'],
    ]);
  });

  test('appliers come first, then the oldest, then by name, version and subresource', async () => {
    const it = bench();
    it.create('z', { spec: { text: 'x' } });
    it.merge('b', { spec: { replicas: 1 } });
    it.merge('a', { status: { note: 'x' } }, { subresource: 'status' });
    it.merge('a', { spec: { deep: { a: '1' } } });
    it.merge('a', { spec: { deep: { b: '1' } } }, { version: 'v2' });
    await it.clock.advance(1000);
    it.apply('y', { spec: { set: ['a'] } });
    it.merge('0', { spec: { labels: {} } });
    const found = it.get().metadata.managedFields ?? [];
    expect(
      found.map(({ manager, operation, apiVersion, subresource }) => [
        manager,
        operation,
        apiVersion?.slice(-2),
        subresource,
      ]),
    ).toEqual([
      ['y', 'Apply', 'v1', undefined],
      ['a', 'Update', 'v1', undefined],
      ['a', 'Update', 'v1', 'status'],
      ['a', 'Update', 'v2', undefined],
      ['b', 'Update', 'v1', undefined],
      ['z', 'Update', 'v1', undefined],
      ['0', 'Update', 'v1', undefined],
    ]);
  });

  test('of more than ten writers the oldest are joined under one name', async () => {
    const it = bench();
    it.create('m0', { spec: { text: 'x' } });
    for (let index = 1; index <= 11; index += 1) {
      await it.clock.advance(1000);
      it.merge(`m${index}`, { spec: { labels: { [`l${index}`]: '1' } } });
    }
    const owners = ownersOf(it.get());
    expect(Object.keys(owners)).toEqual([
      'ancient-changes Update',
      ...[3, 4, 5, 6, 7, 8, 9, 10, 11].map((index) => `m${index} Update`),
    ]);
    expect(owners['ancient-changes Update']).toEqual(
      spec({ '.': {}, 'f:labels': { '.': {}, 'f:l1': {}, 'f:l2': {} }, 'f:text': {} }),
    );
  });

  test('a write that changes nothing commits nothing, whoever writes and however late', async () => {
    const it = bench();
    it.create('m1', { spec: { text: 'x' } });
    const before = it.revision();
    await it.clock.advance(60_000);
    it.merge('m2', { spec: { text: 'x' } });
    it.put('m3', { spec: { text: 'x' } });
    expect(it.revision()).toBe(before);
  });

  test('equal sets of fields are one and the same value, in one object’s states and in siblings', async () => {
    const { alice, clock } = stage({ nodes: 0 });
    const first = await alice.create(resources.Pod, pod('a'));
    const second = await alice.create(resources.Pod, pod('b'));
    const fieldsOf = (object: typeof first) => object.metadata.managedFields?.[0]?.fieldsV1;
    expect(fieldsOf(second)).toBe(fieldsOf(first));
    await clock.advance(5000);
    const labeled = await alice.patch(
      resources.Pod,
      { namespace: 'default', name: 'b' },
      { type: 'merge', body: { metadata: { labels: { a: 'b' } } } },
      { fieldManager: 'other' },
    );
    expect(fieldsOf(labeled)).toBe(fieldsOf(second));
  });

  test('entries that a client sends back in another order of fields are stored in the server’s order', () => {
    const it = bench();
    const [entry] = it.create('m1', { spec: { text: 'x' } }).metadata.managedFields ?? [];
    const reversed = Object.fromEntries(Object.entries({ ...entry, manager: 'm2' }).reverse());
    const metadata = { managedFields: [reversed] } as JsonObject;
    const [stored] = it.put('m1', { metadata, spec: { text: 'x' } }).metadata.managedFields ?? [];
    expect(Object.keys(stored ?? {})).toEqual(Object.keys(entry ?? {}));
  });

  const users: [string, string][] = [
    ['alice', 'alice'],
    ['system:node:node-1', 'kubelet'],
    ['system:kube-scheduler', 'kube-scheduler'],
    ['system:serviceaccount:kube-system:namespace-controller', 'kube-controller-manager'],
  ];
  test.each(users)('a client that names no manager: %s is %s', async (user, manager) => {
    const { world } = stage();
    const made = await world.cluster(user).create(configMaps, configMap('a', {}, { a: '1' }));
    expect(Object.keys(ownersOf(made))).toEqual([`${manager} Update`]);
  });

  const names: [string, string][] = [
    ['a'.repeat(129), 'Too long: may not be more than 128 bytes'],
    ['xy\u0085', 'Invalid value: "xy\u0085": invalid character U+0085 (at position 2)'],
  ];
  test.each(names)('a manager called %j is refused', async (manager, message) => {
    const { alice } = stage();
    await expect(alice.create(configMaps, configMap('a'), { fieldManager: manager })).rejects.toThrow(
      `CreateOptions.meta.k8s.io "" is invalid: fieldManager: ${message}`,
    );
  });

  test('times are whole seconds of the server’s clock', async () => {
    expect(noon % 1000).toBe(0);
    const it = bench();
    await it.clock.advance(1999);
    expect(it.create('m1', { spec: {} }).metadata.managedFields?.[0]?.time).toBe('2026-01-01T12:00:01Z');
  });
});
