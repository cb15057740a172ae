import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { createVirtualClock } from '../clock/virtual.ts';
import { createWorld } from '../world.ts';
import { configMap, configMaps, noon, stage, type Stage } from './world.ts';

const services = { group: '', version: 'v1', plural: 'services', kind: 'Service', namespaced: true };
const accounts = {
  group: '',
  version: 'v1',
  plural: 'serviceaccounts',
  kind: 'ServiceAccount',
  namespaced: true,
};
const storageClasses = {
  group: 'storage.k8s.io',
  version: 'v1',
  plural: 'storageclasses',
  kind: 'StorageClass',
  namespaced: false,
};

const namespace = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name },
});

async function names({ alice }: Stage, resource: typeof services, inNamespace?: string): Promise<string[]> {
  const { items } = await alice.list(resource, inNamespace === undefined ? {} : { namespace: inNamespace });
  return items.map((item) => item.metadata.name);
}

const revision = ({ world }: Stage) => world.state().revision;

describe('a bootstrapped world', () => {
  test('has the namespaces of the system, with their labels', async () => {
    const { alice } = stage({ bootstrapped: true });
    const { items } = await alice.list(resources.Namespace);
    expect(items.map(({ metadata }) => [metadata.name, metadata.labels])).toEqual(
      ['default', 'kube-node-lease', 'kube-public', 'kube-system'].map((name) => [
        name,
        { 'kubernetes.io/metadata.name': name },
      ]),
    );
  });

  test('has the Service of the API server', async () => {
    const { alice } = stage({ bootstrapped: true });
    const found = await alice.get(services, { namespace: 'default', name: 'kubernetes' });
    expect(found.metadata.labels).toEqual({ component: 'apiserver', provider: 'kubernetes' });
    expect(found['spec']).toEqual({
      clusterIP: '10.96.0.1',
      clusterIPs: ['10.96.0.1'],
      internalTrafficPolicy: 'Cluster',
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: 6443 }],
      sessionAffinity: 'None',
      type: 'ClusterIP',
    });
  });

  test('has a storage class that claims get without asking', async () => {
    const all = stage({ bootstrapped: true });
    const found = await all.alice.get(storageClasses, { name: 'standard' });
    expect(found.metadata.annotations).toEqual({ 'storageclass.kubernetes.io/is-default-class': 'true' });
    const claim = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data', namespace: 'default' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    };
    await all.alice.create(resources.PersistentVolumeClaim, claim);
    await all.clock.advance(1000);
    const kept = await all.alice.get(resources.PersistentVolumeClaim, { namespace: 'default', name: 'data' });
    expect(kept['spec']).toMatchObject({ storageClassName: 'standard' });
  });

  test('gives every namespace a service account and a certificate, also one that comes later', async () => {
    const all = stage({ bootstrapped: true });
    expect(await names(all, accounts, 'kube-system')).toEqual(['default']);
    await all.alice.create(resources.Namespace, namespace('shop'));
    await all.clock.advance(1000);
    expect(await names(all, accounts, 'shop')).toEqual(['default']);
    expect(await names(all, configMaps, 'shop')).toEqual(['kube-root-ca.crt']);
    const { data } = await all.alice.get(configMaps, { namespace: 'shop', name: 'kube-root-ca.crt' });
    expect((data as Record<string, string>)['ca.crt']).toContain('no certificate');
  });

  test('restores deleted and changed objects, except the storage class', async () => {
    const all = stage({ bootstrapped: true });
    const { alice, clock } = all;
    await alice.delete(services, { namespace: 'default', name: 'kubernetes' });
    await alice.delete(accounts, { namespace: 'default', name: 'default' });
    await alice.delete(resources.Namespace, { name: 'kube-node-lease' });
    await alice.delete(storageClasses, { name: 'standard' });
    await alice.replace(configMaps, configMap('kube-root-ca.crt', {}, { 'ca.crt': 'mine' }));
    await clock.advance(5000);
    expect(await names(all, services, 'default')).toEqual(['kubernetes']);
    expect(await names(all, accounts, 'default')).toEqual(['default']);
    expect(await names(all, resources.Namespace)).toContain('kube-node-lease');
    expect(await names(all, accounts, 'kube-node-lease')).toEqual(['default']);
    expect(await names(all, storageClasses)).toEqual([]);
    const { data } = await alice.get(configMaps, { namespace: 'default', name: 'kube-root-ca.crt' });
    expect((data as Record<string, string>)['ca.crt']).not.toBe('mine');
  });

  test('lets a namespace go', async () => {
    const all = stage({ bootstrapped: true });
    await all.alice.create(resources.Namespace, namespace('shop'));
    await all.clock.advance(1000);
    await all.alice.delete(resources.Namespace, { name: 'shop' });
    await all.clock.advance(5000);
    expect(await names(all, resources.Namespace)).not.toContain('shop');
    expect(await names(all, accounts, 'shop')).toEqual([]);
  });

  test('makes nothing twice and commits nothing when it is restored', async () => {
    const first = stage({ bootstrapped: true });
    await first.alice.create(resources.Namespace, namespace('shop'));
    await first.clock.advance(1000);
    const restored = first.world.state();
    first.world.stop();
    const clock = createVirtualClock(noon + 1000);
    const world = createWorld({ clock, bootstrapped: true, restored, crds: [] });
    const before = world.state().revision;
    await clock.advance(5000);
    expect(before).toBe(restored.revision);
    expect(world.state().revision).toBe(before);
  });

  test('bootstraps a restored bare world', async () => {
    const bare = stage();
    const restored = bare.world.state();
    const all = stage({ bootstrapped: true, restored });
    expect(await names(all, accounts, 'default')).toEqual(['default']);
    expect(await names(all, services, 'default')).toEqual(['kubernetes']);
  });

  test('is the same every time', () => {
    const [one, two] = [stage({ bootstrapped: true }), stage({ bootstrapped: true })];
    expect(one.world.state()).toEqual(two.world.state());
    expect(revision(one)).toBeGreaterThan(10);
  });
});

test('a world is not bootstrapped by default', async () => {
  const all = stage();
  await all.clock.advance(1000);
  expect(await names(all, resources.Namespace)).toEqual(['default']);
  expect(await names(all, accounts, 'default')).toEqual([]);
});
