import { resources } from '../../schemas/wire/resources.ts';
import { RESIZE_PENDING } from '../../semantics/pod/resize.ts';
import { web } from './manifests.ts';
import type { StoryCluster } from './stage.ts';
import { held, MANIFEST, settled, shown, type Story, watchReady } from './story.ts';

/** Three pods that can be resized, one at a time. */
const sized = (cpu: string): Record<string, string> => ({
  [MANIFEST]: web({ replicas: 3, maxUnavailable: 1, resizes: true, cpu }),
});

/** A pod of somebody else that takes most of every node. */
async function crowd(stage: StoryCluster): Promise<void> {
  for (const node of ['node-1', 'node-2', 'node-3'])
    await stage.user.create(resources.Pod, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `batch-${node}`, namespace: 'default' },
      spec: {
        nodeName: node,
        containers: [{ name: 'main', image: 'batch:1', resources: { requests: { cpu: '6' } } }],
      },
    });
  stage.transcript.note('on each node, a pod of a batch run takes 6 of 8 cpus');
}

const uids = async (stage: StoryCluster): Promise<(string | undefined)[]> =>
  (await stage.pods()).map(({ metadata }) => metadata.uid);

/** The cpus that each pod has been given, and whether it is to get more. */
async function given(stage: StoryCluster): Promise<string[]> {
  const pods = await stage.pods();
  return pods
    .map(({ status }) => {
      const [main] = status?.containerStatuses ?? [];
      const { requests } = (main?.['resources'] ?? {}) as { requests?: { cpu?: string } };
      const isPending = status?.conditions?.some(({ type }) => type === RESIZE_PENDING) === true;
      return `${requests?.cpu ?? ''}${isPending ? ', more is pending' : ''}`;
    })
    .sort();
}

/** Containers get other resources while they run. */
export const resizes: readonly Story[] = [
  {
    file: 'resize',
    title: 'Containers get more cpu while they run',
    summary:
      'The commit raises a request from 1 to 2 cpus. Each pod is resized in its turn, stays in traffic and keeps its container: no pod restarts and none is replaced.',
    files: sized('1'),
    async play(stage, expect) {
      await settled(stage);
      const before = await uids(stage);
      await stage.commit('2 cpus', sized('2'));
      const ready = await watchReady(stage);
      await stage.sync();
      await stage.until('Succeeded');
      expect(await given(stage)).toEqual(['2', '2', '2']);
      expect(await uids(stage)).toEqual(before);
      expect(ready.lowest).toBe(3);
    },
  },
  {
    file: 'resize-deferred',
    title: 'A node has no room for a resize: the step fails, and no pod is lost',
    summary:
      'A batch run has taken most of each node. The first pod is not given what it asks for, and keeps what it has, in traffic. After ten minutes the rollout halts and says what the node lacks. When the batch run has ended, Resume goes on.',
    files: sized('1'),
    async play(stage, expect) {
      await settled(stage);
      const before = await uids(stage);
      await crowd(stage);
      await stage.run(10_000);
      await stage.commit('3 cpus', sized('3'));
      const ready = await watchReady(stage);
      await stage.sync();
      await stage.run(240_000);
      expect((await shown(stage)).message).toMatch(
        /its resize is deferred: Node didn't have enough resource/,
      );
      expect(await given(stage)).toEqual(['1', '1', '1, more is pending']);
      await stage.until('Halted');
      expect(await held(stage)).toMatch(/its resize is deferred/);
      for (const node of ['node-1', 'node-2', 'node-3'])
        await stage.user.delete(resources.Pod, { namespace: 'default', name: `batch-${node}` });
      stage.transcript.note('the batch run has ended');
      await stage.command('resume', { reason: 'there is room again' });
      await stage.until('Succeeded');
      expect(await given(stage)).toEqual(['3', '3', '3']);
      expect(await uids(stage)).toEqual(before);
      expect(ready.lowest).toBe(3);
    },
  },
  {
    file: 'resize-infeasible',
    title: 'No node is as large as a resize asks for: the step fails, and git revert takes it back',
    summary:
      'The commit asks for 30 cpus, and each node has 8. The first pod keeps what it has, in traffic, and no other pod follows. After ten minutes the rollout halts and says that the resize is infeasible. The commit is reverted, and the pod asks for what it has.',
    files: sized('1'),
    async play(stage, expect) {
      await settled(stage);
      const before = await uids(stage);
      await stage.commit('30 cpus', sized('30'));
      const ready = await watchReady(stage);
      await stage.sync();
      await stage.until('Halted');
      expect(await held(stage)).toMatch(/its resize is infeasible/);
      expect(await given(stage)).toEqual(['1', '1', '1, more is pending']);
      stage.revert('Revert "30 cpus"', 1);
      await stage.sync();
      await stage.run(60_000);
      expect(await held(stage)).toBe('');
      expect(await given(stage)).toEqual(['1', '1', '1']);
      expect(await uids(stage)).toEqual(before);
      expect(ready.lowest).toBe(3);
    },
  },
];
