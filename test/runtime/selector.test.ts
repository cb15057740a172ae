import { expect, test } from 'vitest';
import { resources } from '../../schemas/wire/resources.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { cloneSet, createStage } from './stage.ts';

test('a pod relabelled so that the selector no longer matches is let go and replaced (CS-44)', async () => {
  const stage = await createStage(cloneSet('web', 'web:1'));
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

test('no pod is made that the selector would not match: it would be let go and made again without end', async () => {
  const odd = cloneSet('web', 'web:1', { selector: { matchLabels: { app: 'other' } } });
  const stage = await createStage(odd);
  await stage.clock.advance(600_000);
  expect((await stage.user.list(resources.Pod, { namespace: 'shop' })).items).toEqual([]);
  expect(stage.world.log.length).toBeLessThan(200);
  await stage.stop();
});
