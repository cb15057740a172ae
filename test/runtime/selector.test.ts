import { describe, expect, test } from 'vitest';
import type { CloneSetStatus } from '../../schemas/generated/types/cloneset.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { cloneSet, createTestCluster } from './stage.ts';

test('a pod relabeled so that the selector no longer matches is released and replaced (CS-44)', async () => {
  const stage = await createTestCluster(cloneSet('web', 'web:1'));
  const [pod] = await stage.pods();
  if (pod === undefined) throw new Error('there are pods');
  const at = { namespace: 'shop', name: pod.metadata.name };
  await stage.user.patch(resources.Pod, at, {
    type: 'merge',
    body: { metadata: { labels: { app: 'debug' } } },
  });
  await stage.clock.advance(60_000);
  const released = (await stage.user.get(resources.Pod, at)) as Pod;
  expect(released.metadata.ownerReferences ?? []).toEqual([]);
  expect(released.metadata.deletionTimestamp).toBeUndefined();
  const owned = (await stage.user.list(resources.Pod, { namespace: 'shop', labelSelector: 'app=web' })).items;
  expect(owned.length).toBe(3);
  expect(owned.map((p) => p.metadata.uid)).not.toContain(pod.metadata.uid);
  expect(stage.errors).toEqual([]);
  const before = stage.world.log.length;
  await stage.clock.advance(3_600_000);
  const writes = stage.world.log
    .slice(before)
    .filter(({ user, verb }) => user === 'kruise' && !['get', 'list', 'watch'].includes(verb));
  expect(writes).toEqual([]);
  await stage.stop();
});

describe('a CloneSet whose selector does not match its template', () => {
  const odd = cloneSet('web', 'web:1', { selector: { matchLabels: { app: 'other' } } });
  const held = (target: KubeObject) =>
    (target['status'] as CloneSetStatus).conditions?.find(({ type }) => type === 'plan.kruise.io/Held');

  test.each(['Auto', 'Required'] as const)(
    'is held with the reason, and continues when it is corrected: %s',
    async (policy) => {
      const stage = await createTestCluster(odd, { policy });
      await stage.clock.advance(600_000);
      expect(await stage.pods()).toEqual([]);
      expect(held(await stage.target())).toMatchObject({
        status: 'True',
        reason: 'InvalidTarget',
        message:
          'spec.selector does not match the labels of the template: app is "web" there, "other" here. No pod is changed until git corrects that',
      });
      const events = (await stage.user.list(resources.Event, { namespace: 'shop' })).items;
      expect(events.map((event) => [event['type'], event['reason'], event['count']])).toEqual([
        ['Warning', 'Held', 1],
      ]);
      expect(stage.world.log.length).toBeLessThan(200);
      // What could not be was never a revision: the corrected template needs no plan.
      expect((await stage.user.list(resources.ControllerRevision, { namespace: 'shop' })).items).toEqual([]);
      await stage.user.patch(
        resources.CloneSet,
        { namespace: 'shop', name: 'web' },
        { type: 'merge', body: { spec: { template: { metadata: { labels: { app: 'other' } } } } } },
      );
      await stage.clock.advance(60_000);
      expect(await stage.pods('other')).toHaveLength(3);
      expect(held(await stage.target())).toBeUndefined();
      await stage.stop();
    },
  );

  test('retains its pods: none is released, none is deleted', async () => {
    const stage = await createTestCluster(cloneSet('web', 'web:1'), { policy: 'Auto' });
    const before = (await stage.pods()).map((pod) => pod.metadata.resourceVersion);
    await stage.user.patch(
      resources.CloneSet,
      { namespace: 'shop', name: 'web' },
      { type: 'merge', body: { spec: { replicas: 1, template: { metadata: { labels: { app: 'odd' } } } } } },
    );
    await stage.clock.advance(600_000);
    expect(held(await stage.target())?.reason).toBe('InvalidTarget');
    expect((await stage.pods()).map((pod) => pod.metadata.resourceVersion)).toEqual(before);
    await stage.stop();
  });
});
