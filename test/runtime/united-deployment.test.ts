import { afterEach, describe, expect, test } from 'vitest';
import { resources } from '../../schemas/wire/resources.ts';
import { readShare } from '../../semantics/children/shares.ts';
import { canonicalJson, compareCodePoints } from '../../semantics/values/canonical-json.ts';
import { objectOf } from '../../semantics/values/read.ts';
import {
  createUnitedWorld,
  inZone,
  planFor,
  podTemplate,
  SHOP,
  united as manyIn,
  type UnitedWorld,
  type Web,
  zones,
} from './united-world.ts';

let world: UnitedWorld | undefined;
afterEach(async () => {
  await world?.stop();
  world = undefined;
});

async function created(...how: Parameters<typeof createUnitedWorld>): Promise<UnitedWorld> {
  world = await createUnitedWorld(...how);
  return world;
}

/** Five pods: each pod is more writes of every test. */
const united = (web: Web = {}) => manyIn({ ...web, spec: { replicas: 5, ...web.spec } });

const allOn = (image: string) => ({ a: { [image]: 1 }, b: { [image]: 2 }, c: { [image]: 2 } });

describe('a UnitedDeployment of CloneSets', () => {
  test('is made at once, with its labels, nodes and patch for each subset (UD-15, UD-16, UD-18)', async () => {
    const { apply, pods, child, target, errors, held } = await created();
    const [a = {}, ...others] = zones('abc');
    const patch = { spec: { containers: [{ name: 'main', env: [{ name: 'ZONE', value: 'a' }] }] } };
    await apply(united({ subsets: [{ ...a, patch }, ...others] }));
    expect(await pods()).toEqual(allOn('web:1'));
    const made = await child('a');
    expect(made.metadata).toMatchObject({
      labels: { app: 'web', 'apps.kruise.io/subset-name': 'a' },
      annotations: { 'apps.kruise.io/subset-patch': canonicalJson(patch) },
    });
    expect(made['spec']).toMatchObject({
      replicas: 1,
      selector: { matchLabels: { app: 'web', 'apps.kruise.io/subset-name': 'a' } },
      template: {
        metadata: { labels: { app: 'web', 'apps.kruise.io/subset-name': 'a' } },
        spec: {
          containers: [{ name: 'main', image: 'web:1', env: [{ name: 'ZONE', value: 'a' }] }],
          affinity: {
            nodeAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [inZone('a')] },
            },
          },
        },
      },
    });
    expect((await child('b')).metadata.annotations).toMatchObject({ 'apps.kruise.io/subset-patch': '' });
    const { status } = await target();
    expect(status).toMatchObject({
      ...{ replicas: 5, readyReplicas: 5, updatedReplicas: 5, updatedReadyReplicas: 5 },
      labelSelector: 'app=web',
      subsetStatuses: [
        { name: 'a', replicas: 1, readyReplicas: 1, partition: 0 },
        { name: 'b', replicas: 2, readyReplicas: 2, partition: 0 },
        { name: 'c', replicas: 2, readyReplicas: 2, partition: 0 },
      ],
      subsetReplicas: { a: 1, b: 2, c: 2 },
    });
    expect([await held(), errors]).toEqual(['', []]);
  });

  test('is held without a plan', async () => {
    const { apply, pods, held } = await created();
    await apply(united());
    await apply(united({ image: 'web:2' }));
    expect(await pods()).toEqual(allOn('web:1'));
    expect(await held()).toMatch(/^NoPlan/);
  });

  test('goes step by step, zone by zone, and never has more than a step allows (UD-20, UD-23)', async () => {
    const { apply, approve, pods, plan, most, child, target, errors } = await created();
    await apply(united());
    most();
    await apply(planFor({}, { image: 'web:2' }), united({ image: 'web:2' }));
    expect(await plan()).toMatchObject({ phase: 'AwaitingApproval', step: 'one', updated: '1/5' });
    expect(await pods()).toEqual({ ...allOn('web:1'), a: { 'web:2': 1 } });
    expect(most()['web:2']).toBe(1);
    expect(readShare(await child('a'))?.share).toMatchObject({ allowed: 1 });
    // Whoever reads no shares is held back by the partition that is written together with the template.
    const partitions = async () => {
      const specs = [await child('a'), await child('b'), await child('c')].map((each) =>
        objectOf(each['spec']),
      );
      return specs.map((spec) => objectOf(objectOf(spec['updateStrategy'])['rollingUpdate'])['partition']);
    };
    // Those that no step has reached are on the old template, as a whole.
    expect(await partitions()).toEqual([0, 0, 0]);
    await approve('one');
    expect(await partitions()).toEqual([0, 1, 0]);
    expect(await plan()).toMatchObject({ step: 'two', updated: '2/5' });
    expect(await pods()).toEqual({ a: { 'web:2': 1 }, b: { 'web:1': 1, 'web:2': 1 }, c: { 'web:1': 2 } });
    expect(most()['web:2']).toBe(2);
    await approve('two');
    expect(await plan()).toMatchObject({ phase: 'Succeeded', updated: '5/5' });
    const { status } = (await target()) as { status?: { currentRevision: string; updatedRevision: string } };
    expect(status?.currentRevision).toBe(status?.updatedRevision);
    expect([await pods(), errors]).toEqual([allOn('web:2'), []]);
  });

  test('goes back with git in the middle, to the revision that was there (UD-24)', async () => {
    const { apply, approve, pods, plan } = await created();
    await apply(united());
    await apply(planFor({}, { image: 'web:2' }), united({ image: 'web:2' }));
    await approve('one');
    await apply(united());
    expect(await plan()).toMatchObject({ phase: 'Reverted' });
    expect(await pods()).toEqual(allOn('web:1'));
  });

  test('needs a plan for the patch of one subset, which changes its pods alone (UD-19)', async () => {
    const { apply, approve, plan, user, held } = await created();
    await apply(united());
    const uids = async () => {
      const { items } = await user.list(resources.Pod, { namespace: SHOP });
      return items
        .filter(({ metadata }) => metadata.labels?.['apps.kruise.io/subset-name'] !== 'b')
        .map(({ metadata }) => metadata.uid ?? '')
        .sort(compareCodePoints);
    };
    const before = await uids();
    const [a = {}, b = {}, c = {}] = zones('abc');
    const patch = { metadata: { labels: { tier: 'gold' } } };
    const patched = { subsets: [a, { ...b, patch }, c] };
    await apply(united(patched));
    expect(await held()).toMatch(/^NoPlan/);
    await apply(planFor({}, patched));
    await approve('one');
    await approve('two');
    expect(await plan()).toMatchObject({ phase: 'Succeeded' });
    const { items } = await user.list(resources.Pod, { namespace: SHOP });
    const gold = items.filter(({ metadata }) => metadata.labels?.['tier'] === 'gold');
    expect(gold.map(({ metadata }) => metadata.labels?.['apps.kruise.io/subset-name'])).toEqual(['b', 'b']);
    expect(await uids()).toEqual(before);
  });

  test('gives a subset its patch at once in Auto, and changes its pods alone', async () => {
    const { apply, user } = await created({ policy: 'Auto' });
    await apply(united());
    const [a = {}, b = {}, c = {}] = zones('abc');
    await apply(united({ subsets: [a, { ...b, patch: { metadata: { labels: { tier: 'gold' } } } }, c] }));
    const { items } = await user.list(resources.Pod, { namespace: SHOP });
    const gold = items.filter(({ metadata }) => metadata.labels?.['tier'] === 'gold');
    expect(gold.map(({ metadata }) => metadata.labels?.['apps.kruise.io/subset-name'])).toEqual(['b', 'b']);
    expect(items).toHaveLength(5);
  });

  test('changes the nodes of a subset for no running pod (UD-8)', async () => {
    const { apply, pods, child } = await created();
    await apply(united());
    const before = (await child('a'))['spec'];
    const [, ...others] = zones('abc');
    await apply(united({ subsets: [{ name: 'a', nodeSelectorTerm: inZone('d') }, ...others] }));
    expect((await child('a'))['spec']).toEqual(before);
    expect(await pods()).toEqual(allOn('web:1'));
  });

  test('follows its scale with the template that it has where the nodes of a subset have changed', async () => {
    const { apply, pods, child } = await created();
    const [a = {}, b = {}, c = {}] = zones('abc');
    await apply(united({ subsets: [a, { ...b, replicas: 3 }, c] }));
    const { template } = (await child('a'))['spec'] as { template: unknown };
    const moved = { name: 'a', nodeSelectorTerm: inZone('d'), replicas: 3 };
    await apply(united({ subsets: [moved, b, c] }));
    expect(await pods()).toEqual({ a: { 'web:1': 3 }, b: { 'web:1': 1 }, c: { 'web:1': 1 } });
    expect((await child('a'))['spec']).toMatchObject({ template });
  });

  test('makes lost pods on the template that they had where the nodes of a subset have changed', async () => {
    const { apply, pods, user, clock } = await created();
    const [a = {}, ...others] = zones('abc');
    await apply(united({ subsets: [{ ...a, replicas: 3 }, ...others] }));
    const subsets = [{ name: 'a', nodeSelectorTerm: inZone('d'), replicas: 3 }, ...others];
    await apply(united({ subsets }));
    await apply(planFor({ subsets }, { image: 'web:2', subsets }), united({ image: 'web:2', subsets }));
    const { a: before } = await pods();
    expect(before).toEqual({ 'web:1': 2, 'web:2': 1 });
    const { items } = await user.list(resources.Pod, { namespace: SHOP });
    const lost = items.find(
      ({ metadata, spec }) =>
        metadata.labels?.['apps.kruise.io/subset-name'] === 'a' && JSON.stringify(spec).includes('web:1'),
    );
    await user.delete(resources.Pod, { namespace: SHOP, name: lost?.metadata.name ?? '' });
    await clock.advance(5 * 60_000);
    expect((await pods())['a']).toEqual(before);
  });

  test('gives a subset that is new the stable template, and empties one that is gone before it goes (UD-26)', async () => {
    const { apply, pods, user, most } = await created();
    await apply(united());
    await apply(planFor({}, { image: 'web:2' }), united({ image: 'web:2' }));
    most();
    await apply(united({ image: 'web:2', subsets: zones('bcd') }));
    expect(await pods()).toEqual({ b: { 'web:2': 1, 'web:1': 1 }, c: { 'web:1': 2 }, d: { 'web:1': 1 } });
    expect(most()['web:2']).toBe(1);
    const { items } = await user.list(resources.CloneSet, { namespace: SHOP });
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['web-b', 'web-c', 'web-d']);
  });

  test('follows its scale without a plan, and keeps everything where the sizes do not fit (UD-13, UD-38)', async () => {
    const { apply, set, pods, held, target, user } = await created();
    const subsets = [...zones('a', { replicas: 2 }), ...zones('bc')];
    await apply(united({ subsets }));
    expect(await pods()).toEqual({ a: { 'web:1': 2 }, b: { 'web:1': 1 }, c: { 'web:1': 2 } });
    await set({ replicas: 6 });
    expect(await pods()).toEqual({ a: { 'web:1': 2 }, b: { 'web:1': 2 }, c: { 'web:1': 2 } });
    await set({ replicas: 1 });
    expect(await held()).toContain('they have 2, and it is 1');
    expect((await target())['status']).toMatchObject({ subsetReplicas: { a: 2, b: 2, c: 2 } });
    expect(await pods()).toEqual({ a: { 'web:1': 2 }, b: { 'web:1': 2 }, c: { 'web:1': 2 } });
    const { items } = await user.list(resources.Event, { namespace: SHOP });
    expect(items.map(({ reason }) => reason)).toContain('Held');
  });

  test('leaves workloads of the same labels alone, here and in other namespaces (UD-40)', async () => {
    const { apply, pods, user, errors } = await created();
    const selector = { matchLabels: { app: 'web', own: 'x' } };
    const template = { ...podTemplate('web:9'), metadata: { labels: selector.matchLabels } };
    for (const namespace of ['default', SHOP])
      await user.create(resources.CloneSet, {
        apiVersion: 'apps.kruise.io/v1beta1',
        kind: 'CloneSet',
        metadata: { name: 'other', namespace, labels: { app: 'web' } },
        spec: { replicas: 0, selector, template },
      });
    await apply(united());
    expect(await pods()).toEqual(allOn('web:1'));
    const { items } = await user.list(resources.CloneSet);
    const others = items.filter(({ metadata }) => metadata.name === 'other');
    expect(others.map(({ metadata }) => metadata.ownerReferences)).toEqual([undefined, undefined]);
    expect(errors).toEqual([]);
  });

  test('retains as many revisions as its history limit, those in use aside (UD-25, UD-43)', async () => {
    const { apply, user, target, pods } = await created({ policy: 'Auto' });
    const limited = (image: string) => united({ image, spec: { replicas: 3, revisionHistoryLimit: 1 } });
    for (const image of ['web:1', 'web:2', 'web:3', 'web:4']) await apply(limited(image));
    expect(await pods()).toEqual({ a: { 'web:4': 1 }, b: { 'web:4': 1 }, c: { 'web:4': 1 } });
    const { items } = await user.list(resources.ControllerRevision, { namespace: SHOP });
    const { metadata } = await target();
    const own = items.filter(
      ({ metadata: { ownerReferences } }) => ownerReferences?.[0]?.uid === metadata.uid,
    );
    expect(new Set(own.map(({ revision }) => revision))).toEqual(new Set([3, 4]));
  });

  test('writes back what users change in a child', async () => {
    const { apply, pods, child, user, clock } = await created();
    await apply(united());
    const at = { namespace: SHOP, name: 'web-a' };
    const body = {
      spec: { template: podTemplate('web:evil'), updateStrategy: { rollingUpdate: { partition: 0 } } },
    };
    await user.patch(resources.CloneSet, at, { type: 'merge', body });
    await clock.advance(5 * 60_000);
    expect(await pods()).toEqual(allOn('web:1'));
    expect(JSON.stringify((await child('a'))['spec'])).not.toContain('web:evil');
  });

  test.each<[string, Parameters<typeof united>[0], string]>([
    [
      'pods that stand in for those of Deployments',
      {
        spec: {
          template: { deploymentTemplate: { spec: { template: podTemplate('web:1') } } },
          topology: {
            subsets: zones('abc'),
            scheduleStrategy: { type: 'Adaptive', adaptive: { reserveUnschedulablePods: true } },
          },
        },
      },
      'spec.topology.scheduleStrategy.adaptive.reserveUnschedulablePods',
    ],
    [
      'partitions of StatefulSets of Kubernetes',
      {
        field: 'statefulSetTemplate',
        spec: { updateStrategy: { manualUpdate: { partitions: { a: 1 } } } },
      },
      'spec.updateStrategy.manualUpdate.partitions',
    ],
  ])('is held where it asks for what is not executed: %s', async (_what, web, field) => {
    const { apply, pods, held } = await created();
    await apply(united(web));
    expect(await pods()).toEqual({});
    expect(await held()).toContain(field);
  });
});
