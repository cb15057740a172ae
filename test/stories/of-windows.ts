import { parse, stringify } from 'yaml';
import type { RolloutPlan, UpdateWindow } from '../../schemas/generated/types/rolloutplan.ts';
import { planDigest } from '../../semantics/plan/digest.ts';
import { web } from './manifests.ts';
import type { StoryCluster } from './stage.ts';
import { images, MANIFEST, settled, shown, type Story, watchReady } from './story.ts';

const PLAN = 'plans/shop/cloneset-web/plan.yaml';

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
  {
    file: 'continued-wider',
    title: 'A continuation widens the plan that runs',
    summary:
      'Ten pods, one at a time, waiting for approval. The manifest allows half of them at once, and a plan with that limit continues the one that runs: at its gate, which is asked again. The rest goes five at a time.',
    files,
    async play(stage, expect) {
      await settled(stage);
      await stage.commit('nginx 1.27', manifest(NEW, 1));
      await stage.sync();
      await stage.until('AwaitingApproval');
      const before = (await shown(stage)).digest ?? '';
      const wider = rewritten(stage, ({ spec }) => ({
        ...spec,
        supersedes: [spec.digest],
        steps: spec.steps.map((step) => widened(step, { maxUnavailable: '50%', maxSurge: 0 })),
      }));
      await stage.commit('five at a time', { ...manifest(NEW, '50%'), ...wider }, { plan: false });
      await stage.sync();
      await stage.run(60_000);
      const { digest, phase, step } = await shown(stage);
      expect([phase, step]).toEqual(['AwaitingApproval', 'approve-1']);
      expect(digest).not.toBe(before);
      expect(await images(stage)).toEqual({ [NEW]: 1, [OLD]: 9 });
      const ready = await watchReady(stage);
      await stage.command('approve', { step: 'approve-1' });
      await stage.until('Succeeded');
      expect(ready.lowest).toBe(5);
    },
  },
  {
    file: 'going-back-wider',
    title: 'The way back is wider than the way there',
    summary:
      'Ten pods went to a new image one at a time. The commit that takes it back allows half of them at once, and brings a plan that says so: the pods go back five at a time, without gates.',
    files: manifest(OLD, 1),
    async play(stage, expect) {
      await settled(stage);
      await stage.commit('nginx 1.27', manifest(NEW, 1));
      await stage.sync();
      await stage.until('Succeeded');
      const back = rewritten(stage, ({ spec }) => ({
        ...spec,
        to: { ...spec.to, hash: spec.from[0]?.hash ?? '' },
        from: [{ hash: spec.to.hash, mode: 'InPlace' }],
        supersedes: [spec.digest],
        steps: [{ id: 'update', update: { to: '100%', window: { maxUnavailable: '50%', maxSurge: 0 } } }],
      }));
      const ready = await watchReady(stage);
      await stage.commit('back to nginx 1.25', { ...manifest(OLD, '50%'), ...back }, { plan: false });
      await stage.sync();
      await stage.run(600_000);
      expect(await images(stage)).toEqual({ [OLD]: 10 });
      expect(ready.lowest).toBe(5);
    },
  },
];

type Spec = RolloutPlan['spec'];

/** The committed plan with another spec, under its own digest. */
function rewritten(stage: StoryCluster, change: (plan: RolloutPlan) => Spec): Record<string, string> {
  const plan = parse(stage.files().get(PLAN) ?? '') as RolloutPlan;
  const { digest: _before, ...spec } = change(plan);
  return { [PLAN]: stringify({ ...plan, spec: { ...spec, digest: planDigest(spec) } }) };
}

function widened({ update, ...step }: Spec['steps'][number], window: UpdateWindow): Spec['steps'][number] {
  return update === undefined ? step : { ...step, update: { ...update, window } };
}
