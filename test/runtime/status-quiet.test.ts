import { expect, test } from 'vitest';
import { web } from '../stories/manifests.ts';
import { createStoryCluster } from '../stories/stage.ts';
import { MANIFEST, settled, shown } from '../stories/story.ts';

const CONFIG =
  'steps:\n- match: {kind: CloneSet}\n  batches: [{to: 50%}, {to: 100%}]\n  between: {soak: 30m}\n';
const files = (image: string) => ({ 'kruise.yaml': CONFIG, [MANIFEST]: web({ image }) });

test('a running clock is reported as its end time: the status of a soak is written once', async () => {
  const stage = await createStoryCluster({ files: files('nginx:1.25-alpine') });
  await settled(stage);
  await stage.commit('a new image', files('nginx:1.26-alpine'));
  await stage.sync();
  await stage.until('Soaking');
  await stage.run(1000);
  const { until } = await shown(stage);
  const left = Date.parse(until ?? '') - stage.clock.now();
  expect(left).toBeGreaterThan(29 * 60_000);
  expect(left).toBeLessThanOrEqual(30 * 60_000);
  const written: string[] = [];
  const stop = stage.world.onCommit(({ resource }) => written.push(resource));
  await stage.run(left - 2000);
  stop();
  // Kubelets report the images that they have pulled.
  const others = new Set(['controllerrevisions.apps', 'nodes']);
  expect(written.filter((resource) => !others.has(resource))).toEqual([]);
  expect(await shown(stage)).toMatchObject({ phase: 'Soaking', until });
  await stage.run(4000);
  expect((await shown(stage)).phase).not.toBe('Soaking');
  await stage.stop();
});
