import { resources } from '../../schemas/wire/resources.ts';
import { web } from './manifests.ts';
import type { StoryCluster } from './stage.ts';
import { batches, held, images, MANIFEST, settled, shown, type Story } from './story.ts';

const [OLD, NEW] = ['nginx:1.25-alpine', 'nginx:1.27-alpine'];

/** `kruise.yaml`: half of the pods, then the rest. */
const halves = `steps:
- match: {kind: CloneSet}
  batches: [{to: 50%}, {to: 100%}]
  between: {soak: 5m}
`;

/** Sets replicas, as `kubectl scale` or an autoscaler does. */
async function scale(stage: StoryCluster, who: string, replicas: number): Promise<void> {
  stage.transcript.note(`${who} scales CloneSet/web to ${replicas}`);
  const body = { spec: { replicas } };
  await stage.user.patch(
    resources.CloneSet,
    { namespace: 'shop', name: 'web' },
    { type: 'merge', body },
    { subresource: 'scale' },
  );
}

export const sizes: readonly Story[] = [
  {
    file: 'scaled-to-zero-while-held',
    title: 'Scaled to zero and back while a change waits for its plan',
    summary:
      'A new image has no plan, so it moves nothing. The target is scaled to zero over night and back in the morning: its pods come back on the old image, for emptiness promotes nothing.',
    files: { [MANIFEST]: web({ replicas: 3 }) },
    async play(stage, expect) {
      await settled(stage);
      await stage.commit(
        'nginx 1.27, without a plan',
        { [MANIFEST]: web({ replicas: 3, image: NEW }) },
        { plan: false },
      );
      await stage.sync();
      await stage.run(60_000);
      expect(await held(stage)).toMatch(/^NoPlan: /);
      await scale(stage, 'mona', 0);
      await stage.run(60_000);
      expect(await images(stage)).toEqual({});
      expect(await held(stage)).toMatch(/^NoPlan: /);
      await scale(stage, 'mona', 3);
      await stage.run(60_000);
      expect(await images(stage)).toEqual({ [OLD]: 3 });
      expect(await held(stage)).toMatch(/^NoPlan: /);
    },
  },
  {
    file: 'scaled-to-zero-mid-batch',
    title: 'Scaled to zero and back in the middle of a batch',
    summary:
      'Four pods, and batch-1 updates two of them. After the first a user scales to zero, for longer than a step may stall, and back: the step is as wide as it was, two pods are created on each revision, and it continues.',
    files: { 'kruise.yaml': halves, [MANIFEST]: web({ replicas: 4, maxUnavailable: 1 }) },
    async play(stage, expect) {
      await settled(stage);
      await stage.commit('nginx 1.27', { [MANIFEST]: web({ replicas: 4, maxUnavailable: 1, image: NEW }) });
      await stage.sync();
      await stage.run(2_000);
      expect(await images(stage)).toEqual({ [OLD]: 3, [NEW]: 1 });
      await scale(stage, 'mona', 0);
      await stage.run(1_800_000);
      expect(await images(stage)).toEqual({});
      expect(await shown(stage)).toMatchObject({ phase: 'Running', step: 'batch-1' });
      await scale(stage, 'mona', 4);
      await stage.until('Soaking');
      expect(await images(stage)).toEqual({ [OLD]: 2, [NEW]: 2 });
      await stage.until('Succeeded');
      expect(await images(stage)).toEqual({ [NEW]: 4 });
    },
  },
  {
    file: 'autoscaler',
    title: 'An autoscaler during a rollout',
    summary:
      'At night the autoscaler takes the target from ten pods to two in the middle of the canary, later to twelve. The canary stays one pod: what is made meanwhile is made on the old image, and only the next batch counts anew.',
    files: { 'kruise.yaml': batches, [MANIFEST]: web({ replicas: 10 }) },
    async play(stage, expect) {
      await settled(stage);
      await stage.commit('nginx 1.27', { [MANIFEST]: web({ replicas: 10, image: NEW }) });
      await stage.sync();
      await stage.until('Soaking');
      await stage.run(60_000);
      await scale(stage, 'the autoscaler', 2);
      await stage.run(60_000);
      expect(await images(stage)).toEqual({ [OLD]: 1, [NEW]: 1 });
      await stage.until('AwaitingApproval');
      await stage.run(60_000);
      await scale(stage, 'the autoscaler', 12);
      await stage.run(60_000);
      expect(await images(stage)).toEqual({ [OLD]: 11, [NEW]: 1 });
      await stage.command('approve');
      await stage.until('Soaking');
      expect(await images(stage)).toEqual({ [OLD]: 6, [NEW]: 6 });
      await stage.until('Succeeded');
      expect(await images(stage)).toEqual({ [NEW]: 12 });
    },
  },
];
