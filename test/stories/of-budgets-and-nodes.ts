import { resources } from '../../schemas/wire/resources.ts';
import { isReady } from '../../semantics/pod/readiness.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { web } from './manifests.ts';
import { BUDGET, budget, evicted, forEvictions } from './of-budgets.ts';
import type { StoryCluster } from './stage.ts';
import { held, images, MANIFEST, settled, type Story, watchReady } from './story.ts';

const [OLD, NEW] = ['nginx:1.25-alpine', 'nginx:1.27-alpine'];

/** The pods of a node that are not being deleted. */
async function podsOn({ pods }: StoryCluster, node: string): Promise<Pod[]> {
  const all = await pods();
  return all.filter(
    ({ spec, metadata }) => spec['nodeName'] === node && metadata.deletionTimestamp === undefined,
  );
}

/** `kubectl drain`: no pod is scheduled to the node any more, and evictions are tried every five seconds. Returns how many were refused. */
async function drain(stage: StoryCluster, node: string): Promise<number> {
  stage.transcript.note(`mona drains ${node}`);
  stage.world.nodes.cordon(node);
  let refused = 0;
  for (;;) {
    const left = await podsOn(stage, node);
    if (left.length === 0) return refused;
    for (const pod of left) if ((await evicted(stage, pod)) !== undefined) refused += 1;
    await stage.run(5_000);
  }
}

/** Budgets of pods while nodes and namespaces go. */
export const budgetsAndNodes: readonly Story[] = [
  {
    file: 'budget-drain',
    title: 'A node is drained under a budget, in the middle of a rollout',
    summary:
      'One of six pods may be unavailable, for the rollout and for evictions. A pod is being updated when a node is drained: the pods of the node are ready, so that no eviction is allowed. The rollout updates them next, one at a time. While one is not ready, the drain may evict it, and its successor has the new image. Five pods are ready all the time.',
    files: {
      [MANIFEST]: web({ replicas: 6 }),
      [BUDGET]: budget('maxUnavailable: 1'),
      'manifests/evictions.yaml': forEvictions(5),
    },
    async play(stage, expect) {
      for (const image of [OLD, NEW]) stage.world.images.set(image, { readyMs: 12_000 });
      await settled(stage);
      const ready = await watchReady(stage);
      await stage.commit('nginx 1.27', { [MANIFEST]: web({ replicas: 6, image: NEW }) });
      await stage.sync();
      await stage.run(5_000);
      expect(await podsOn(stage, 'node-1')).toHaveLength(2);
      expect(await drain(stage, 'node-1')).toBeGreaterThan(0);
      await stage.until('Succeeded');
      expect([ready.lowest, await images(stage)]).toEqual([5, { [NEW]: 6 }]);
      expect(await podsOn(stage, 'node-1')).toEqual([]);
    },
  },
  {
    file: 'budget-of-none',
    title: 'A budget of 0, a lost node, and the end of the namespace',
    summary:
      'A budget lets no pod be unavailable, and a new image waits. A node is lost: its pod is replaced by one with the new image, as a budget keeps nothing that is gone already. Then the namespace is deleted. The budget bounds what kruise does, and not the controllers of Kubernetes: nothing holds the namespace up.',
    files: { [MANIFEST]: web({ replicas: 3 }), [BUDGET]: budget('maxUnavailable: 0') },
    async play(stage, expect) {
      await settled(stage);
      await stage.commit('nginx 1.27', { [MANIFEST]: web({ replicas: 3, image: NEW }) });
      await stage.sync();
      await stage.run(60_000);
      stage.transcript.note('node-1 is lost');
      stage.world.nodes.remove('node-1');
      await stage.run(180_000);
      expect((await stage.pods()).map((pod) => isReady(pod))).toEqual([true, true, true]);
      expect(await images(stage)).toEqual({ [OLD]: 2, [NEW]: 1 });
      expect(await held(stage)).toContain('PodUnavailableBudget shop/frontend allows 0 unavailable pods');
      stage.transcript.note('mona deletes the namespace');
      await stage.user.delete(resources.Namespace, { name: 'shop' });
      await stage.run(60_000);
      expect(await stage.pods()).toEqual([]);
      const { items } = await stage.user.list(resources.Namespace, {});
      expect(items.map(({ metadata }) => metadata.name)).not.toContain('shop');
    },
  },
];
