import { leftByOpenKruise } from './adopted.ts';
import { web } from './manifests.ts';
import type { StoryCluster } from './stage.ts';
import { held, images, MANIFEST, settled, shown, type Story } from './story.ts';

const [OLD, MIDDLE, NEW] = ['nginx:1.25-alpine', 'nginx:1.26-alpine', 'nginx:1.27-alpine'];

/** `kruise.yaml`: one pod, an approval, the rest. */
const canary = `steps:
- match: {kind: CloneSet}
  batches: [{to: 1}, {to: 100%}]
  approve: [1]
`;

const soaking = `steps:
- match: {kind: CloneSet}
  batches: [{to: 1}, {to: 100%}]
  between: {soak: 1m}
`;

/** A duration from now, in the format of `--expires`. */
function later(stage: StoryCluster, ms: number): string {
  return `${new Date(stage.clock.now() + ms).toISOString().slice(0, 19)}Z`;
}

export const modes: readonly Story[] = [
  {
    file: 'adopted-half-way',
    title: 'Adopted from OpenKruise in the middle of an update',
    summary:
      'OpenKruise was in the middle of an update when this runtime took its place: two of four pods are on each image, and no plan is in the cluster. Nothing moves. The plan of the next change starts from both images, because its repository has seen both, and takes all four pods.',
    files: { [MANIFEST]: web({ replicas: 4 }) },
    prepare: leftByOpenKruise([web({ replicas: 4 }), web({ replicas: 4, image: MIDDLE })], 2),
    async play(stage, expect) {
      await stage.commit('nginx 1.26', { [MANIFEST]: web({ replicas: 4, image: MIDDLE }) });
      await stage.sync('manifests');
      const before = await stage.pods();
      await stage.run(600_000);
      expect((await stage.pods()).map((p) => [p.metadata.uid, p.spec])).toEqual(
        before.map((p) => [p.metadata.uid, p.spec]),
      );
      expect(await images(stage)).toEqual({ [OLD]: 2, [MIDDLE]: 2 });
      expect(await held(stage)).toMatch(/^NoPlan: /);
      await stage.commit('nginx 1.27', { [MANIFEST]: web({ replicas: 4, image: NEW }) });
      await stage.sync();
      await stage.until('Succeeded');
      expect(await images(stage)).toEqual({ [NEW]: 4 });
      expect((await stage.pods()).map((p) => p.metadata.uid)).toEqual(before.map((p) => p.metadata.uid));
    },
  },
  {
    file: 'auto-obeys-a-plan',
    title: 'Auto executes a plan, and needs none',
    summary:
      'With the policy Auto a plan is executed, also when its manifest is in the cluster five seconds earlier: a target that has a plan object waits ten seconds for its successor. A change that brings none then follows the strategy of the CloneSet, as with OpenKruise.',
    files: { 'kruise.yaml': soaking, [MANIFEST]: web({ replicas: 3 }) },
    policy: 'Auto',
    async play(stage, expect) {
      await settled(stage);
      await stage.commit('a label', {
        [MANIFEST]: web({ replicas: 3, labels: { track: 'blue' } }),
      });
      await stage.sync();
      await stage.until('Succeeded');
      await stage.commit('nginx 1.26', {
        [MANIFEST]: web({ replicas: 3, labels: { track: 'blue' }, image: MIDDLE }),
      });
      await stage.sync('manifests');
      await stage.run(5_000);
      expect(await images(stage)).toEqual({ [OLD]: 3 });
      await stage.sync('plans');
      await stage.until('Soaking');
      await stage.run(30_000);
      expect(await images(stage)).toEqual({ [OLD]: 2, [MIDDLE]: 1 });
      await stage.until('Succeeded');
      await stage.commit(
        'nginx 1.27, without a plan',
        { [MANIFEST]: web({ replicas: 3, labels: { track: 'blue' }, image: NEW }) },
        { plan: false },
      );
      await stage.sync();
      await stage.run(9_000);
      expect(await images(stage)).toEqual({ [MIDDLE]: 3 });
      await stage.run(30_000);
      expect(await images(stage)).toEqual({ [NEW]: 3 });
      expect(await held(stage)).toBe('');
    },
  },
  {
    file: 'break-glass-hotfix',
    title: 'BreakGlass lets a hotfix past a halted rollout',
    summary:
      'The canary never becomes ready, and the rollout halts. At night no plan can be reviewed: the fix is committed without one, and a user sends BreakGlass for half an hour. The CloneSet’s own strategy updates every pod, and the result stays when the time is over.',
    files: { 'kruise.yaml': canary, [MANIFEST]: web({ replicas: 4 }) },
    async play(stage, expect) {
      stage.world.images.set(MIDDLE, { neverReady: true });
      await settled(stage);
      await stage.commit('nginx 1.26', { [MANIFEST]: web({ replicas: 4, image: MIDDLE }) });
      await stage.sync();
      await stage.until('Halted');
      expect(await images(stage)).toEqual({ [OLD]: 3, [MIDDLE]: 1 });
      await stage.commit(
        'nginx 1.27, without a plan',
        { [MANIFEST]: web({ replicas: 4, image: NEW }) },
        { plan: false },
      );
      await stage.sync();
      await stage.run(60_000);
      expect(await images(stage)).toEqual({ [OLD]: 3, [MIDDLE]: 1 });
      expect(await held(stage)).not.toBe('');
      await stage.command('break-glass', { expires: later(stage, 1_800_000), reason: 'checkout is down' });
      await stage.run(60_000);
      expect(await images(stage)).toEqual({ [NEW]: 4 });
      expect(await held(stage)).toBe('');
      await stage.run(3_600_000);
      expect(await images(stage)).toEqual({ [NEW]: 4 });
      expect(await held(stage)).toBe('');
    },
  },
  {
    file: 'break-glass-expires',
    title: 'BreakGlass expires before the update is complete',
    summary:
      'The canary cannot pull its image, and the rollout halts. The image is pushed, and a user sends BreakGlass for two minutes, in which two pods are updated. They stay updated, and the rollout is halted again: its verdict applies until a user resumes it.',
    files: { 'kruise.yaml': canary, [MANIFEST]: web({ replicas: 4, maxUnavailable: 1 }) },
    async play(stage, expect) {
      stage.world.images.set(NEW, { pullError: true });
      await settled(stage);
      await stage.commit('nginx 1.27', { [MANIFEST]: web({ replicas: 4, maxUnavailable: 1, image: NEW }) });
      await stage.sync();
      await stage.until('Halted');
      stage.transcript.note(`${NEW} is pushed to the registry`);
      stage.world.images.set(NEW, { readyMs: 60_000 });
      await stage.run(600_000);
      expect(await images(stage)).toEqual({ [OLD]: 3, [NEW]: 1 });
      await stage.command('break-glass', {
        expires: later(stage, 120_000),
        reason: 'the image is there now',
      });
      await stage.run(300_000);
      expect(await images(stage)).toEqual({ [OLD]: 1, [NEW]: 3 });
      expect(await shown(stage)).toMatchObject({ phase: 'Halted' });
      expect(await held(stage)).toMatch(/^Halted: .*kruise resume CloneSet\/web/);
      await stage.run(600_000);
      expect(await images(stage)).toEqual({ [OLD]: 1, [NEW]: 3 });
      await stage.command('resume');
      await stage.until('AwaitingApproval');
    },
  },
];
