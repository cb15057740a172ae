import { web } from './manifests.ts';
import { images, MANIFEST, settled, shown, type Story, watchReady } from './story.ts';

/** One pod first, an approval, the rest. */
const oneFirst = `steps:
- match: {kind: CloneSet, namespace: shop}
  batches:
  - {to: 1}
  - {to: 100%}
  approve: [1]
`;

const manifest = (image: string, maxUnavailable: number | string) => ({
  [MANIFEST]: web({ replicas: 10, image, maxUnavailable }),
});

const OLD = 'nginx:1.25-alpine';
const NEW = 'nginx:1.27-alpine';
const files = { 'kruise.yaml': oneFirst, ...manifest(OLD, 1) };

export const windows: readonly Story[] = [
  {
    file: 'loosened-while-waiting',
    title: 'The limit is loosened while the plan waits for approval',
    summary:
      'Ten pods, one at a time. The plan waits for approval, and the manifest lets all of them change at once. Somebody approves: the rest still goes one at a time, as it was reviewed. What the person is asked says so.',
    files,
    async play(stage, expect) {
      await settled(stage);
      await stage.commit('nginx 1.27', manifest(NEW, 1));
      await stage.sync();
      await stage.until('AwaitingApproval');
      await stage.commit('all at once', manifest(NEW, '100%'));
      await stage.sync();
      await stage.run(60_000);
      expect((await shown(stage)).message).toContain(
        'the plan that runs keeps 1 at a time (kruise plan --continue widens it)',
      );
      const ready = await watchReady(stage);
      await stage.command('approve', { step: 'approve-1' });
      await stage.until('Succeeded');
      expect(ready.lowest).toBe(9);
      expect(await images(stage)).toEqual({ [NEW]: 10 });
    },
  },
  {
    file: 'tightened-mid-run',
    title: 'The limit is tightened in the middle of a rollout',
    summary:
      'Ten pods, three at a time. After the first of them the manifest allows one at a time: that holds at once, without a plan.',
    files: manifest(OLD, 3),
    async play(stage, expect) {
      await settled(stage);
      await stage.commit('nginx 1.27', manifest(NEW, 3));
      await stage.sync();
      await stage.run(1_000);
      expect((await images(stage))[OLD]).toBeGreaterThan(3);
      await stage.commit('slower', manifest(NEW, 1));
      await stage.sync();
      await stage.run(5_000);
      const ready = await watchReady(stage);
      expect(ready.lowest).toBeGreaterThanOrEqual(9);
      await stage.until('Succeeded');
      expect(ready.lowest).toBe(9);
    },
  },
];
