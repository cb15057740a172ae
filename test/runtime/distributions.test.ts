import { afterEach, describe, expect, test } from 'vitest';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { resourceHash } from '../../semantics/resourcedistribution/content.ts';
import { distribution, endSite, included, MINUTE, settings, site } from './distribution-site.ts';

const TEAM = { team: 'a' };
const bySelector = { namespaceSelector: { matchLabels: TEAM } };
const { ConfigMap, Namespace, ResourceDistribution } = resources;
const RED = { color: 'red' };

afterEach(endSite);

describe('copies are there', () => {
  test('in namespaces that are named, with owner and annotations (RD-7, RD-22)', async () => {
    const it = await site({ namespaces: { a: {}, b: {}, c: {} } });
    await it.create(distribution(included('a', 'b')));
    expect(await it.data()).toEqual({ a: RED, b: RED });
    const { metadata } = await it.user.get(ResourceDistribution, { name: 'shared' });
    for (const copy of await it.copies()) {
      expect(copy.metadata.annotations).toEqual({
        'kruise.io/resourcedistribution.resource.from': 'shared',
        'kruise.io/resourcedistribution.resource.hashcode': resourceHash(settings()),
      });
      expect(copy.metadata.ownerReferences).toEqual([
        {
          ...{ apiVersion: 'apps.kruise.io/v1beta1', kind: 'ResourceDistribution', name: 'shared' },
          ...{ uid: metadata.uid, controller: true, blockOwnerDeletion: true },
        },
      ]);
    }
    const { counts, conditions } = await it.status();
    expect(counts).toBe('2/2/0');
    expect(conditions.map(({ type, status, reason }) => `${type} ${status} ${reason}`)).toEqual([
      'GetResourceFailed False Succeeded',
      'CreateResourceFailed False Succeeded',
      'UpdateResourceFailed False Succeeded',
      'DeleteResourceFailed False Succeeded',
      'ConflictOccurred False Succeeded',
      'NamespaceNotExists False Succeeded',
    ]);
    // One write for each copy and the status, and none while nothing changes.
    expect(it.writes.filter((each) => each === 'create configmaps')).toHaveLength(2);
    const before = it.writes.length;
    expect(before).toBeLessThanOrEqual(4);
    await it.clock.advance(60 * MINUTE);
    expect([it.writes.length, it.errors, it.denied]).toEqual([before, [], []]);
  });

  test('in every namespace but those of Kubernetes and of the runtime (RD-8, RD-9)', async () => {
    const it = await site({ namespaces: { a: {} } });
    await it.create(distribution({ allNamespaces: true }));
    expect(Object.keys(await it.data()).sort()).toEqual(['a', 'default']);
    expect((await it.status()).counts).toBe('2/2/0');
  });

  test('in a namespace that is created, labelled, unlabelled and deleted (RD-11, RD-12)', async () => {
    const it = await site({ namespaces: { a: TEAM, b: {} } });
    await it.create(distribution(bySelector));
    expect(await it.data()).toEqual({ a: RED });
    await it.namespace('c', TEAM);
    expect(await it.data()).toEqual({ a: RED, c: RED });
    await it.label('b', TEAM);
    expect((await it.status()).counts).toBe('3/3/0');
    await it.label('a', { team: null });
    expect(await it.data()).toEqual({ b: RED, c: RED });
    await it.remove(Namespace, { name: 'c' });
    // OpenKruise keeps counting a namespace that is gone until something else changes.
    expect([await it.data(), (await it.status()).counts]).toEqual([{ b: RED }, '1/1/0']);
    expect([it.errors, it.denied]).toEqual([[], []]);
  });

  test('once a namespace that is named exists, and not after it is gone (RD-14, RD-15)', async () => {
    const it = await site({ namespaces: { a: {} } });
    await it.create(distribution(included('a', 'later')));
    expect([(await it.status()).counts, await it.failures()]).toEqual([
      '2/1/1',
      ['NamespaceNotExists: later'],
    ]);
    await it.namespace('later');
    expect([(await it.status()).counts, await it.failures()]).toEqual(['2/2/0', []]);
    await it.remove(Namespace, { name: 'a' });
    expect([(await it.status()).counts, await it.failures()]).toEqual(['2/1/1', ['NamespaceNotExists: a']]);
    expect(it.errors).toEqual([]);
  });

  test('until the targets are narrowed, and objects of others stay (RD-20)', async () => {
    const it = await site({ namespaces: { a: {}, b: {}, c: {} } });
    await it.user.create(ConfigMap, { ...configMap('c'), data: { color: 'mine' } });
    await it.create(distribution(included('a', 'b')));
    await it.change({ targets: included('a') });
    expect(await it.data()).toEqual({ a: RED, c: { color: 'mine' } });
  });

  test('until the object is deleted (RD-21)', async () => {
    const it = await site({ namespaces: { a: {}, b: {} } });
    await it.create(distribution(included('a', 'b')));
    await it.remove(ResourceDistribution, { name: 'shared' });
    expect([await it.data(), it.errors, it.denied]).toEqual([{}, [], []]);
  });
});

const configMap = (namespace: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace, name: 'settings' },
});

describe('copies are as they should be', () => {
  test('when one is edited or deleted (RD-17)', async () => {
    const it = await site({ namespaces: { a: {}, b: {} } });
    await it.create(distribution(included('a', 'b')));
    await it.edit('a', { data: { color: 'blue', more: 'x' } });
    expect(await it.data()).toEqual({ a: RED, b: RED });
    await it.remove(ConfigMap, { namespace: 'b', name: 'settings' });
    expect(await it.data()).toEqual({ a: RED, b: RED });
    expect([it.errors, it.denied]).toEqual([[], []]);
  });

  test('when the source changes: keys, annotations, and what others have added stays (RD-18, RD-19, RD-28)', async () => {
    const it = await site({ namespaces: { a: {}, b: {} } });
    await it.create(distribution(included('a', 'b'), { data: { color: 'red', size: '1' } }));
    await it.edit('a', { metadata: { labels: { mine: 'yes' }, annotations: { note: 'kept' } } });
    await it.change({ resource: settings({ data: { color: '<&>', size: null } }) });
    expect(await it.data()).toEqual({ a: { color: '<&>' }, b: { color: '<&>' } });
    await it.change({ resource: { metadata: { name: 'settings', labels: { tier: 'web' } } } });
    const source = settings({
      data: { color: '<&>' },
      metadata: { name: 'settings', labels: { tier: 'web' } },
    });
    const [a, b] = await it.copies();
    expect(a?.metadata.labels).toMatchObject({ mine: 'yes', tier: 'web' });
    expect(a?.metadata.annotations?.['note']).toBe('kept');
    expect(b?.metadata.labels).toMatchObject({ tier: 'web' });
    const hash = b?.metadata.annotations?.['kruise.io/resourcedistribution.resource.hashcode'];
    expect(hash).toBe(resourceHash(source));
    expect((await it.status()).counts).toBe('2/2/0');
  });

  test('when somebody takes the label that it is watched by', async () => {
    const it = await site({ namespaces: { a: {} } });
    await it.create(distribution(included('a')));
    await it.edit('a', {
      data: { color: 'blue' },
      metadata: { labels: { 'plan.kruise.io/distributed': null } },
    });
    expect([await it.data(), (await it.status()).counts]).toEqual([{ a: RED }, '1/1/0']);
  });

  test('that never had that label, as OpenKruise made it, goes where none is to be, and objects of others stay', async () => {
    const it = await site({ namespaces: { a: {}, b: {}, c: {} } });
    await it.create(distribution(included('a', 'b')));
    const [{ metadata: { ownerReferences = [] } } = { metadata: {} }] = await it.copies();
    const old = (at: string, owners: object): KubeObject => ({
      ...{ apiVersion: 'v1', kind: 'ConfigMap', data: { color: 'old' } },
      metadata: { namespace: at, name: 'settings', ...owners },
    });
    await it.user.create(ConfigMap, old('c', { ownerReferences }));
    await it.user.create(ConfigMap, old('default', {}));
    await it.change({ targets: included('a') });
    expect(await it.data()).toEqual({ a: RED, default: { color: 'old' } });
    expect([(await it.status()).counts, it.denied, it.errors]).toEqual(['1/1/0', [], []]);
  });

  test('an immutable one is reported, and the others follow (RD-24)', async () => {
    const it = await site({ namespaces: { a: {}, b: {} } });
    await it.create(distribution(included('a', 'b')));
    await it.edit('a', { immutable: true });
    // The change cannot be reverted.
    expect(await it.failures()).toEqual(['UpdateResourceFailed: a']);
    await it.change({ resource: { data: { color: 'green' } } });
    expect(await it.data()).toEqual({ a: RED, b: { color: 'green' } });
    expect([(await it.status()).counts, await it.failures()]).toEqual(['2/1/1', ['UpdateResourceFailed: a']]);
    await it.remove(ConfigMap, { namespace: 'a', name: 'settings' });
    expect([(await it.status()).counts, await it.failures()]).toEqual(['2/2/0', []]);
  });
});

describe('an object of another owner in the way', () => {
  test('stays as it is, is reported, and is replaced once it is gone (RD-16)', async () => {
    const it = await site({ namespaces: { a: {}, b: {} } });
    await it.user.create(ConfigMap, { ...configMap('a'), data: { color: 'mine' } });
    await it.create(distribution(included('a', 'b')));
    expect(await it.data()).toEqual({ a: { color: 'mine' }, b: RED });
    expect([(await it.status()).counts, await it.failures()]).toEqual(['2/1/1', ['ConflictOccurred: a']]);
    const before = it.writes.length;
    await it.clock.advance(30 * MINUTE);
    expect(it.writes.length).toBe(before);
    await it.restart();
    expect(await it.failures()).toEqual(['ConflictOccurred: a']);
    await it.remove(ConfigMap, { namespace: 'a', name: 'settings' });
    expect([await it.data(), await it.failures()]).toEqual([{ a: RED, b: RED }, []]);
    expect([it.errors, it.denied]).toEqual([[], []]);
  });

  test('so is the copy that has lost its owner', async () => {
    const it = await site({ namespaces: { a: {} } });
    await it.create(distribution(included('a')));
    await it.edit('a', { metadata: { ownerReferences: null } });
    expect(await it.failures()).toEqual(['ConflictOccurred: a']);
  });
});

test('a namespace that is being deleted is no error, and nothing is tried there (RD-29)', async () => {
  const it = await site({ namespaces: { a: TEAM, b: TEAM } });
  await it.create(distribution(bySelector));
  await it.edit('a', { metadata: { finalizers: ['example.com/hold'] } });
  await it.remove(Namespace, { name: 'a' });
  expect([(await it.status()).counts, await it.failures()]).toEqual(['2/1/1', ['NamespaceNotExists: a']]);
  const before = it.writes.length;
  await it.clock.advance(30 * MINUTE);
  expect([it.writes.length, it.errors, it.denied]).toEqual([before, [], []]);
  await it.edit('a', { metadata: { finalizers: null } });
  expect([await it.data(), (await it.status()).counts]).toEqual([{ b: RED }, '1/1/0']);
});

test('a closed namespace that is named is reported', async () => {
  const it = await site({ namespaces: { a: {}, argocd: {} } });
  await it.create(distribution(included('a', 'argocd')));
  expect([(await it.status()).counts, await it.failures()]).toEqual([
    '2/1/1',
    ['CreateResourceFailed: argocd'],
  ]);
  expect([it.errors, it.denied]).toEqual([[], []]);
});
