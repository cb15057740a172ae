import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import {
  configMap,
  configMaps,
  definitions,
  refusal,
  stage,
  widget,
  widgetDefinition,
  widgets,
} from '../world.ts';
import {
  claim,
  claims,
  limited,
  object,
  quotas,
  resize,
  secrets,
  services,
  sized,
  usedOf,
  withQuota,
} from './objects.ts';

const at = (name: string) => ({ namespace: 'default', name });

describe('a quota', () => {
  test('reports the usage of its resources in canonical quantities', async () => {
    const set = stage({ nodes: 0 });
    await set.alice.create(configMaps, configMap('a'));
    await set.alice.create(resources.Pod, sized('a', limited('0.5', '1024Mi')));
    await withQuota(set, 'q', {
      hard: { configmaps: 3, cpu: 2, 'limits.memory': '2048Mi', 'count/unknown.example.com': 1, secrets: 1 },
    });
    const { status } = await set.alice.get(quotas, at('q'));
    expect(status).toEqual({
      hard: {
        configmaps: '3',
        'count/unknown.example.com': '1',
        cpu: '2',
        'limits.memory': '2Gi',
        secrets: '1',
      },
      used: { configmaps: '1', cpu: '500m', 'limits.memory': '1Gi', secrets: '0' },
    });
  });

  test.each<[string, KubeObject, string]>([
    [
      'nothing is said of what it measures',
      sized('p', undefined),
      'pods "p" is forbidden: failed quota: q: must specify limits.cpu for: c; memory for: c; requests.cpu for: c',
    ],
    [
      'too much is asked for',
      sized('p', limited('1200m', '2Gi')),
      'pods "p" is forbidden: exceeded quota: q, requested: memory=2Gi,requests.cpu=1200m, used: memory=128Mi,requests.cpu=400m, limited: memory=1Gi,requests.cpu=1',
    ],
  ])('refuses a pod where %s', async (_why, body, message) => {
    const set = stage({ nodes: 0 });
    await withQuota(set, 'q', { hard: { pods: 3, 'requests.cpu': '1', 'limits.cpu': '2', memory: '1Gi' } });
    for (const name of ['a', 'b']) await set.alice.create(resources.Pod, sized(name, limited('200m')));
    expect(await refusal(set.alice.create(resources.Pod, body))).toEqual({
      code: 403,
      reason: 'Forbidden',
      message,
      details: { name: 'p', kind: 'pods' },
    });
  });

  test('allows one of two objects created in the same instant', async () => {
    const set = stage({ nodes: 0 });
    await withQuota(set, 'q', { hard: { pods: 1 } });
    const [first, second] = await Promise.allSettled(
      ['a', 'b'].map((name) => set.alice.create(resources.Pod, sized(name, undefined))),
    );
    expect([first?.status, second?.status]).toEqual(['fulfilled', 'rejected']);
    expect(await usedOf(set)).toEqual({ pods: '1' });
  });

  test('is charged before the object is stored, and not by rejected objects', async () => {
    const set = stage({ nodes: 0 });
    await withQuota(set, 'q', { hard: { pods: 5, cpu: 1 } });
    const commits: string[] = [];
    set.world.onCommit(({ user, object: { kind } }) => commits.push(`${user} ${kind}`));
    await set.alice.create(resources.Pod, sized('a', limited('100m')), { dryRun: true });
    await refusal(set.alice.create(resources.Pod, sized('Not_Valid', limited('100m'))));
    await refusal(set.alice.create(resources.Pod, sized('a', limited('2'))));
    expect([commits, await usedOf(set)]).toEqual([[], { cpu: '0', pods: '0' }]);
    await set.alice.create(resources.Pod, sized('a', limited('100m')));
    expect(commits).toEqual(['system:apiserver ResourceQuota', 'alice Pod']);
    expect(await usedOf(set)).toEqual({ cpu: '100m', pods: '1' });
    const { metadata } = await set.alice.get(quotas, at('q'));
    expect(metadata.managedFields?.map((each) => [each['manager'], each['subresource']])).toEqual([
      ['alice', undefined],
      ['kube-apiserver', 'status'],
      ['kube-controller-manager', 'status'],
    ]);
  });

  test('is charged for a name that is taken, until the next recount', async () => {
    const set = stage({ nodes: 0 });
    await withQuota(set, 'q', { hard: { pods: 2 } });
    await set.alice.create(resources.Pod, sized('a', undefined));
    expect((await refusal(set.alice.create(resources.Pod, sized('a', undefined)))).code).toBe(409);
    expect(await usedOf(set)).toEqual({ pods: '2' });
    expect((await refusal(set.alice.create(resources.Pod, sized('b', undefined)))).code).toBe(403);
    await set.clock.advance(300_000);
    expect(await usedOf(set)).toEqual({ pods: '1' });
  });

  test('releases the usage of deleted and terminated objects', async () => {
    const set = stage({ nodes: 0 });
    await withQuota(set, 'q', { hard: { pods: 2, 'count/pods': 5, cpu: 1 } });
    for (const name of ['a', 'b']) await set.alice.create(resources.Pod, sized(name, limited('200m')));
    await set.alice.delete(resources.Pod, at('a'));
    await set.clock.advance(100);
    expect(await usedOf(set)).toEqual({ 'count/pods': '1', cpu: '200m', pods: '1' });
    await set.alice.patch(
      resources.Pod,
      at('b'),
      { type: 'merge', body: { status: { phase: 'Failed' } } },
      { subresource: 'status' },
    );
    await set.clock.advance(100);
    expect(await usedOf(set)).toEqual({ 'count/pods': '1', cpu: '0', pods: '0' });
  });

  test('counts a resize that asks for more at once, and one that asks for less when the kubelet has carried it out', async () => {
    const set = stage({ nodes: 1 });
    await withQuota(set, 'q', { hard: { cpu: '1' } });
    await set.alice.create(resources.Pod, sized('a', { requests: { cpu: '200m' } }));
    await set.clock.advance(10_000);
    expect(await refusal(resize(set, 'a', { requests: { cpu: '3' } }))).toMatchObject({
      code: 403,
      message:
        'pods "a" is forbidden: exceeded quota: q, requested: cpu=2800m, used: cpu=200m, limited: cpu=1',
    });
    await resize(set, 'a', { requests: { cpu: '800m' } });
    expect(await usedOf(set)).toEqual({ cpu: '800m' });
    await set.clock.advance(10_000);
    await resize(set, 'a', { requests: { cpu: '100m' } });
    expect(await usedOf(set)).toEqual({ cpu: '800m' });
    await set.clock.advance(10_000);
    expect(await usedOf(set)).toEqual({ cpu: '100m' });
  });

  test('that is smaller than the usage still allows a resize to less', async () => {
    const set = stage({ nodes: 0 });
    await withQuota(set, 'q', { hard: { cpu: '1' } });
    await set.alice.create(resources.Pod, sized('a', { requests: { cpu: '800m' } }));
    await set.alice.patch(quotas, at('q'), { type: 'merge', body: { spec: { hard: { cpu: '50m' } } } });
    await set.clock.advance(100);
    await resize(set, 'a', { requests: { cpu: '100m' } });
    expect(await usedOf(set)).toEqual({ cpu: '800m' });
  });

  test('counts objects of any kind by their name, custom ones from their definition on', async () => {
    const set = stage({ nodes: 0, crds: [] });
    await withQuota(set, 'q', { hard: { 'count/widgets.test.example': 1, 'count/events': 0, secrets: 0 } });
    expect(await usedOf(set)).toEqual({ secrets: '0' });
    await set.alice.create(definitions, widgetDefinition);
    await set.clock.advance(100);
    await set.alice.create(widgets, widget('a'));
    expect(await refusal(set.alice.create(widgets, widget('b')))).toMatchObject({
      message:
        'widgets.test.example "b" is forbidden: exceeded quota: q, requested: count/widgets.test.example=1, used: count/widgets.test.example=1, limited: count/widgets.test.example=1',
      details: { name: 'b', group: 'test.example', kind: 'widgets' },
    });
    expect((await refusal(set.alice.create(secrets, object('Secret', 's', {})))).code).toBe(403);
    await set.alice.create(
      resources.Event,
      object('Event', 'e', { involvedObject: { namespace: 'default' } }),
    );
  });

  test('counts claims by their size, and by their class', async () => {
    const set = stage({ nodes: 0 });
    const fast = 'fast.storageclass.storage.k8s.io';
    await withQuota(set, 'q', {
      hard: { persistentvolumeclaims: 2, 'requests.storage': '5Gi', [`${fast}/requests.storage`]: '1Gi' },
    });
    expect((await refusal(set.alice.create(claims, claim('a', '2Gi', 'fast')))).message).toBe(
      `persistentvolumeclaims "a" is forbidden: exceeded quota: q, requested: ${fast}/requests.storage=2Gi, used: ${fast}/requests.storage=0, limited: ${fast}/requests.storage=1Gi`,
    );
    await set.alice.create(claims, claim('a', '1Gi', 'fast'));
    await set.alice.create(claims, claim('b', '3Gi', 'slow'));
    expect((await refusal(set.alice.create(claims, claim('c', '3Gi')))).message).toBe(
      'persistentvolumeclaims "c" is forbidden: exceeded quota: q, requested: persistentvolumeclaims=1,requests.storage=3Gi, used: persistentvolumeclaims=2,requests.storage=4Gi, limited: persistentvolumeclaims=2,requests.storage=5Gi',
    );
    expect(await usedOf(set)).toEqual({
      [`${fast}/requests.storage`]: '1Gi',
      persistentvolumeclaims: '2',
      'requests.storage': '4Gi',
    });
  });

  test('counts load balancers and node ports by the type of a service, also when it changes', async () => {
    const set = stage({ nodes: 0 });
    await withQuota(set, 'q', {
      hard: { services: 2, 'services.loadbalancers': 0, 'services.nodeports': 1 },
    });
    const service = (type: string) => object('Service', 's', { spec: { type, ports: [{ port: 80 }] } });
    expect((await refusal(set.alice.create(services, service('LoadBalancer')))).message).toBe(
      'services "s" is forbidden: exceeded quota: q, requested: services.loadbalancers=1, used: services.loadbalancers=0, limited: services.loadbalancers=0',
    );
    await set.alice.create(services, service('ClusterIP'));
    const become = (type: string) =>
      set.alice.patch(services, at('s'), { type: 'merge', body: { spec: { type } } });
    await become('NodePort');
    expect(await usedOf(set)).toEqual({
      services: '1',
      'services.loadbalancers': '0',
      'services.nodeports': '1',
    });
    await become('ClusterIP');
    await set.clock.advance(100);
    expect(await usedOf(set)).toMatchObject({ 'services.nodeports': '0' });
  });

  test.each<[object, string[]]>([
    [{ scopes: ['BestEffort'] }, ['a']],
    [{ scopes: ['NotBestEffort'] }, ['sized', 'urgent', 'ending']],
    [{ scopes: ['Terminating'] }, ['ending']],
    [{ scopes: ['NotTerminating', 'NotBestEffort'] }, ['sized', 'urgent']],
    [{ scopes: ['PriorityClass'] }, ['urgent']],
    [
      {
        scopeSelector: {
          matchExpressions: [{ scopeName: 'PriorityClass', operator: 'NotIn', values: ['high'] }],
        },
      },
      ['a', 'sized', 'ending'],
    ],
    [{ scopes: ['CrossNamespacePodAffinity'] }, []],
  ])('with %j counts %j', async (scope, names) => {
    const set = stage({ nodes: 0 });
    await set.alice.create(
      {
        group: 'scheduling.k8s.io',
        version: 'v1',
        plural: 'priorityclasses',
        kind: 'PriorityClass',
        namespaced: false,
      },
      { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'high' }, value: 5 },
    );
    await withQuota(set, 'q', { hard: { pods: 0 }, ...scope });
    const all = {
      a: sized('a', undefined),
      sized: sized('sized', limited('1')),
      urgent: sized('urgent', limited('1'), { priorityClassName: 'high' }),
      ending: sized('ending', limited('1'), { activeDeadlineSeconds: 10 }),
    };
    const refused: string[] = [];
    for (const [name, body] of Object.entries(all))
      await set.alice.create(resources.Pod, body).catch(() => refused.push(name));
    expect(refused).toEqual(names);
  });
});
