import { resources } from '../../schemas/wire/resources.ts';
import { web } from './manifests.ts';
import type { StoryCluster } from './stage.ts';
import { held, images, MANIFEST, settled, shown, type Story } from './story.ts';

const [OLD, NEW] = ['nginx:1.25-alpine', 'nginx:1.27-alpine'];

/** `kruise.yaml`: one pod and a soak, then the rest. */
const canary = `steps:
- match: {kind: CloneSet}
  batches: [{to: 20%}, {to: 100%}]
  between: {soak: 5m}
`;

/** `kubectl delete pod` for this many pods that run this image. */
async function drop(stage: StoryCluster, image: string, count: number): Promise<void> {
  const pods = (await stage.pods()).filter((pod) => pod.spec.containers[0]?.image === image).slice(0, count);
  stage.transcript.note(`mona deletes ${pods.map((pod) => pod.metadata.name).join(' ')}`);
  for (const { metadata } of pods)
    await stage.user.delete(resources.Pod, { namespace: 'shop', name: metadata.name });
}

/** Users delete pods, or mark them for deletion. */
export const deletions: readonly Story[] = [
  {
    file: 'on-delete',
    title: 'OnDelete: pods get the change when a user deletes them',
    summary:
      'The strategy is OnDelete, and a plan bounds it: the first batch is one pod. For two hours no pod is deleted, and nothing fails. Then two are deleted at once: one of them is recreated on the new revision, the other on the old one. After the soak the rest may follow, one by one.',
    files: { 'kruise.yaml': canary, [MANIFEST]: web({ onDelete: true }) },
    async play(stage, expect) {
      await settled(stage);
      await stage.commit('nginx 1.27', { [MANIFEST]: web({ onDelete: true, image: NEW }) });
      await stage.sync();
      await stage.run(7_200_000);
      expect(await images(stage)).toEqual({ [OLD]: 5 });
      expect(await shown(stage)).toMatchObject({ phase: 'Running', step: 'batch-1', boundedBy: 'OnDelete' });
      expect(await held(stage)).toMatch(/^OnDelete: .*delete 1 pod/);
      await drop(stage, OLD, 2);
      await stage.until('Soaking');
      expect(await images(stage)).toEqual({ [OLD]: 4, [NEW]: 1 });
      await stage.untilStep('batch-2');
      await stage.run(3_600_000);
      expect(await held(stage)).toMatch(/^OnDelete: .*delete 4 pods/);
      await drop(stage, OLD, 3);
      await stage.run(60_000);
      expect(await images(stage)).toEqual({ [OLD]: 1, [NEW]: 4 });
      await drop(stage, OLD, 1);
      await stage.until('Succeeded');
      expect(await images(stage)).toEqual({ [NEW]: 5 });
      expect(await held(stage)).toBe('');
    },
  },
  {
    file: 'on-delete-goes-wrong',
    title: 'OnDelete: the first recreated pod does not start',
    summary:
      'No step limits it, so every pod that is deleted may come back new. The first one that does cannot pull its image: after ten minutes the plan halts, and a pod that is deleted after that is made as before.',
    files: { [MANIFEST]: web({ onDelete: true }) },
    async play(stage, expect) {
      await settled(stage);
      stage.world.images.set('nginx:1.99', { pullError: true });
      await stage.commit('nginx 1.99', { [MANIFEST]: web({ onDelete: true, image: 'nginx:1.99' }) });
      await stage.sync();
      await stage.run(60_000);
      await drop(stage, OLD, 1);
      await stage.until('Halted');
      await drop(stage, OLD, 1);
      await stage.run(60_000);
      expect(await images(stage)).toEqual({ [OLD]: 4, 'nginx:1.99': 1 });
    },
  },
];
