import { resources } from '../../schemas/wire/resources.ts';
import { isActive, isReady } from '../../semantics/pod/readiness.ts';
import { web } from './manifests.ts';
import type { StoryCluster } from './stage.ts';
import { held, images, lose, MANIFEST, settled, shown, type Story } from './story.ts';

const [OLD, NEW] = ['nginx:1.25-alpine', 'nginx:1.27-alpine'];

/** `kruise.yaml`: one pod, a soak, an approval, the rest. */
const canary = `steps:
- match: {kind: CloneSet}
  batches: [{to: 1}, {to: 100%}]
  between: {soak: 10m}
  approve: [1]
`;

const soaking = `steps:
- match: {kind: CloneSet}
  batches: [{to: 1}, {to: 100%}]
  between: {soak: 10m}
`;

const reverting = `steps:
- match: {kind: CloneSet}
  onFailure: Revert
`;

/** Cordons the node of the pod that runs this image, and deletes every pod of the target there. */
async function drain(stage: StoryCluster, image: string): Promise<void> {
  const pods = await stage.pods();
  const node = pods.find((pod) => pod.spec.containers[0]?.image === image)?.spec['nodeName'];
  stage.transcript.note(`a user drains ${String(node)}`);
  stage.world.nodes.cordon(String(node));
  for (const pod of pods.filter((each) => each.spec['nodeName'] === node))
    await stage.user.delete(resources.Pod, { namespace: 'shop', name: pod.metadata.name });
}

export const clusterFailures: readonly Story[] = [
  {
    file: 'lost-pods-while-held',
    title: 'Pods are lost while a rollout waits for an approval',
    summary:
      'One pod is updated, and the rollout waits for an approval. An old pod is lost and recreated on the old image; then the updated one is lost and recreated on the new one. No further pod is updated.',
    files: { 'kruise.yaml': canary, [MANIFEST]: web({ replicas: 4 }) },
    async play(stage, expect) {
      await settled(stage);
      await stage.commit('nginx 1.27', { [MANIFEST]: web({ replicas: 4, image: NEW }) });
      await stage.sync();
      await stage.until('AwaitingApproval');
      for (const image of [OLD, NEW]) {
        await lose(stage, image);
        await stage.run(30_000);
        expect(await images(stage)).toEqual({ [OLD]: 3, [NEW]: 1 });
      }
      expect(await held(stage)).toMatch(/^AwaitingApproval: /);
      await stage.command('approve');
      await stage.until('Succeeded');
      expect(await images(stage)).toEqual({ [NEW]: 4 });
    },
  },
  {
    file: 'node-drained-during-a-soak',
    title: 'A node is drained during a soak',
    summary:
      'A user drains the node of the updated pod. A deleted pod is no failure of the change: the clock of the soak stops until its replacement is available on another node, which takes a minute to pull the image.',
    files: { 'kruise.yaml': soaking, [MANIFEST]: web({ replicas: 3 }) },
    async play(stage, expect) {
      stage.world.images.set(NEW, { pullMs: 60_000 });
      await settled(stage);
      await stage.commit('nginx 1.27', { [MANIFEST]: web({ replicas: 3, image: NEW }) });
      await stage.sync();
      await stage.until('Soaking');
      const began = stage.clock.now();
      await stage.run(120_000);
      await drain(stage, NEW);
      await stage.run(30_000);
      expect(await shown(stage)).toMatchObject({ phase: 'Soaking' });
      await stage.until('Running');
      expect(stage.clock.now() - began).toBeGreaterThan(660_000);
      // The clock of a soak is written every 30 s: a runtime that ends loses as much of it.
      expect(stage.clock.now() - began).toBeLessThan(700_000);
      await stage.until('Succeeded');
      expect(await images(stage)).toEqual({ [NEW]: 3 });
    },
  },
  {
    file: 'nothing-fits-until-a-node-comes',
    title: 'A change requests more than any node has, and a node is added',
    summary:
      'The new pods request 12 CPUs, and no node has more than 8. The first of them fits on no node: the clocks stop, the other pods stay, and twenty minutes later the rollout continues on a bigger node.',
    files: { [MANIFEST]: web({ replicas: 3, maxUnavailable: 1, cpu: '500m' }) },
    async play(stage, expect) {
      await settled(stage);
      await stage.commit('more CPU', { [MANIFEST]: web({ replicas: 3, maxUnavailable: 1, cpu: '12' }) });
      await stage.sync();
      await stage.run(1_200_000);
      expect(await shown(stage)).toMatchObject({ phase: 'Running', waitingOn: 'NoCapacity' });
      expect(await held(stage)).toMatch(/^NoCapacity: pod \S+ fits on no node: .*Insufficient cpu/);
      expect(await ready(stage)).toBe(2);
      stage.transcript.note('node-4 joins, with 64 CPUs');
      stage.world.nodes.add('node-4', { allocatable: { cpu: '64' } });
      await stage.until('Succeeded');
      expect(await ready(stage)).toBe(3);
    },
  },
  {
    file: 'nothing-fits-and-it-goes-back',
    title: 'A change requests more than any node has, and is reverted',
    summary:
      'The same change with `onFailure: Revert`, and no node comes. After thirty minutes the step fails; the pod that never fitted is deleted, and one that fits takes its place.',
    files: { 'kruise.yaml': reverting, [MANIFEST]: web({ replicas: 3, maxUnavailable: 1, cpu: '500m' }) },
    async play(stage, expect) {
      await settled(stage);
      await stage.commit('more CPU', { [MANIFEST]: web({ replicas: 3, maxUnavailable: 1, cpu: '12' }) });
      await stage.sync();
      await stage.run(1_790_000);
      expect(await shown(stage)).toMatchObject({ phase: 'Running', waitingOn: 'NoCapacity' });
      await stage.until('Reverted');
      await stage.run(60_000);
      expect(await ready(stage)).toBe(3);
      const fits = { requests: { cpu: '500m' } };
      const asked = (await stage.pods()).map((pod) => pod.spec.containers[0]?.resources);
      expect(asked).toEqual([fits, fits, fits]);
      expect(await shown(stage)).toMatchObject({
        phase: 'Reverted',
        message: expect.stringContaining('has waited for cluster capacity for 30m'),
      });
    },
  },
  {
    file: 'quota-is-used-up',
    title: 'A quota is used up',
    summary:
      'Pods are replaced with surge, and the namespace may have no more pods. The server refuses the fourth with 403: the clocks stop, no old pod is deleted, and the runtime retries until the quota is raised.',
    files: { [MANIFEST]: web({ replicas: 3, maxUnavailable: 0, maxSurge: 1 }) },
    async play(stage, expect) {
      await settled(stage);
      stage.transcript.note('a ResourceQuota allows 3 pods');
      stage.quota.pods = 3;
      await stage.commit('log more', {
        [MANIFEST]: web({ replicas: 3, maxUnavailable: 0, maxSurge: 1, env: 'debug' }),
      });
      await stage.sync();
      await stage.run(660_000);
      expect(await shown(stage)).toMatchObject({ phase: 'Running', waitingOn: 'NoCapacity' });
      expect(await held(stage)).toMatch(/^NoCapacity: .*exceeded quota/);
      expect(stage.transcript.text().split('create web-25q7b').length).toBeLessThan(45);
      expect(await ready(stage)).toBe(3);
      expect(stage.transcript.text().split('no longer held')).toHaveLength(1);
      stage.transcript.note('the ResourceQuota allows 4 pods');
      stage.quota.pods = 4;
      const raised = stage.clock.now();
      await stage.until('Succeeded');
      expect(stage.clock.now() - raised).toBeLessThan(60_000);
      expect(await ready(stage)).toBe(3);
    },
  },
];

async function ready(stage: StoryCluster): Promise<number> {
  return (await stage.pods()).filter((pod) => isActive(pod) && isReady(pod)).length;
}
