import type { RolloutPlan } from '../../schemas/generated/types/rolloutplan.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { planDigest } from '../../semantics/plan/digest.ts';
import { web } from './manifests.ts';
import type { StoryCluster } from './stage.ts';
import { held, images, imagesEverRun, lose, MANIFEST, settled, shown, type Story } from './story.ts';

const first = { [MANIFEST]: web({ replicas: 3 }) };

/** One pod, then a third of the pods, with a soak in between. */
const thirds = `steps:
- match: {kind: CloneSet, namespace: shop}
  batches:
  - {to: 10%}
  - {to: 30%}
  - {to: 100%}
  between: {soak: 5m}
`;

/** One pod, a soak and an approval, then the rest. */
const gated = `steps:
- match: {kind: CloneSet, namespace: shop}
  batches:
  - {to: 10%}
  - {to: 100%}
  between: {soak: 5m}
  approve: [1]
`;

/** Plans and manifests that reach the cluster in another order than in git. */
export const merges: readonly Story[] = [
  {
    file: 'two-merges-one-skipped',
    title: 'Two pull requests merged, and the cluster skips the first',
    summary:
      'The first pull request changes an environment variable, the second an image, and both are merged before the engine syncs. The second plan was reviewed as an update in place. It inherits the mode of the first one, so pods on the state before both are recreated, once, and never have the state in between.',
    files: first,
    async play(stage, expect) {
      await settled(stage);
      const before = await stage.pods();
      const ran = imagesEverRun(stage);
      await stage.commit('log more', { [MANIFEST]: web({ replicas: 3, env: 'debug' }) });
      await stage.commit('nginx 1.27', {
        [MANIFEST]: web({ replicas: 3, env: 'debug', image: 'nginx:1.27-alpine' }),
      });
      await stage.sync();
      await stage.until('Succeeded');
      const after = await stage.pods();
      const old = new Set(before.map((p) => p.metadata.uid));
      expect(after.filter((p) => old.has(p.metadata.uid))).toEqual([]);
      expect(after.map((p) => p.status?.containerStatuses?.[0]?.restartCount)).toEqual([0, 0, 0]);
      expect([...ran]).toEqual(['nginx:1.25-alpine', 'nginx:1.27-alpine debug']);
    },
  },
  {
    file: 'three-merges-in-one-poll',
    title: 'Three merges within one poll of the engine',
    summary:
      'Image, label and image again, merged one after the other before the engine syncs. The last plan lists all three earlier states, so each pod goes straight to the end with one restart.',
    files: first,
    async play(stage, expect) {
      await settled(stage);
      const ran = imagesEverRun(stage);
      const labels = { track: 'blue' };
      await stage.commit('nginx 1.26', { [MANIFEST]: web({ replicas: 3, image: 'nginx:1.26-alpine' }) });
      await stage.commit('a track', {
        [MANIFEST]: web({ replicas: 3, image: 'nginx:1.26-alpine', labels }),
      });
      await stage.commit('nginx 1.27', {
        [MANIFEST]: web({ replicas: 3, image: 'nginx:1.27-alpine', labels }),
      });
      await stage.sync();
      await stage.until('Succeeded');
      const after = await stage.pods();
      expect(after.map((p) => p.status?.containerStatuses?.[0]?.restartCount)).toEqual([1, 1, 1]);
      expect(after.map((p) => p.metadata.labels?.['track'])).toEqual(['blue', 'blue', 'blue']);
      expect([...ran]).toEqual(['nginx:1.25-alpine', 'nginx:1.27-alpine']);
    },
  },
  {
    file: 'hotfix-mid-run',
    title: 'A hotfix in the middle of a rollout',
    summary:
      'Three of ten pods are on 1.26 when 1.27 arrives. The hotfix takes over and starts with its own first step. The pods on 1.26, which is not wanted any more, are updated first, and those on 1.25 stay until the last batch.',
    files: { 'kruise.yaml': thirds, [MANIFEST]: web({ replicas: 10 }) },
    async play(stage, expect) {
      await settled(stage);
      await stage.commit('nginx 1.26', { [MANIFEST]: web({ replicas: 10, image: 'nginx:1.26-alpine' }) });
      await stage.sync();
      await stage.untilStep('soak-2');
      await stage.commit('nginx 1.27, a hotfix', {
        [MANIFEST]: web({ replicas: 10, image: 'nginx:1.27-alpine' }),
      });
      await stage.sync();
      await stage.run(240_000);
      expect(await images(stage)).toEqual({
        'nginx:1.25-alpine': 7,
        'nginx:1.26-alpine': 2,
        'nginx:1.27-alpine': 1,
      });
      await stage.run(300_000);
      expect(await images(stage)).toEqual({ 'nginx:1.25-alpine': 7, 'nginx:1.27-alpine': 3 });
    },
  },
  {
    file: 'plan-first',
    title: 'The plan arrives two minutes before its manifest',
    summary:
      'A plan to another revision than that of the manifest in the cluster waits, and changes nothing. It starts when the manifest arrives, however long that takes.',
    files: first,
    async play(stage, expect) {
      await settled(stage);
      await stage.commit('nginx 1.27', { [MANIFEST]: web({ replicas: 3, image: 'nginx:1.27-alpine' }) });
      await stage.sync('plans');
      await stage.run(120_000);
      expect(await images(stage)).toEqual({ 'nginx:1.25-alpine': 3 });
      expect((await stage.plan())?.['status']).toMatchObject({
        phase: 'Pending',
        waitingOn: 'ManifestChanged',
      });
      expect(await held(stage)).toBe('');
      await stage.sync('manifests');
      await stage.until('Succeeded');
      expect(await images(stage)).toEqual({ 'nginx:1.27-alpine': 3 });
    },
  },
  {
    file: 'manifest-first',
    title: 'The manifest arrives before its plan',
    summary:
      'Where plans are required, a changed template without a plan updates no pod, and the status of the target names what is missing. A pod that is lost meanwhile is recreated with the old image.',
    files: first,
    async play(stage, expect) {
      await settled(stage);
      await stage.commit('nginx 1.27', { [MANIFEST]: web({ replicas: 3, image: 'nginx:1.27-alpine' }) });
      await stage.sync('manifests');
      await stage.run(60_000);
      expect(await held(stage)).toContain('NoPlan: ');
      await lose(stage, 'nginx:1.25-alpine');
      await stage.run(60_000);
      expect(await images(stage)).toEqual({ 'nginx:1.25-alpine': 3 });
      await stage.sync('plans');
      await stage.until('Succeeded');
      expect(await held(stage)).toBe('');
      expect(await images(stage)).toEqual({ 'nginx:1.27-alpine': 3 });
    },
  },
  {
    file: 'plan-deleted-mid-run',
    title: 'The plan object is deleted in the middle of a rollout, and recreated',
    summary:
      'The plan object is only the message; what was decided is recorded separately. Without its plan the rollout is blocked, and its clocks stop; with the same plan it continues at the same step, and its approval still counts.',
    files: { 'kruise.yaml': gated, ...first },
    async play(stage, expect) {
      await settled(stage);
      await stage.commit('nginx 1.27', { [MANIFEST]: web({ replicas: 3, image: 'nginx:1.27-alpine' }) });
      await stage.sync();
      await stage.untilStep('soak-1');
      await stage.run(240_000);
      await stage.command('approve', { step: 'approve-1' });
      stage.transcript.note('a user deletes the plan cloneset-web');
      await stage.user.delete(resources.RolloutPlan, { namespace: 'shop', name: 'cloneset-web' });
      await stage.run(3_600_000);
      expect(await held(stage)).toContain('PlanMissing: ');
      expect(await images(stage)).toEqual({ 'nginx:1.25-alpine': 2, 'nginx:1.27-alpine': 1 });
      await stage.sync();
      await stage.run(50_000);
      expect(await shown(stage)).toMatchObject({ phase: 'Soaking', step: 'soak-1' });
      await stage.until('Succeeded');
      expect(await images(stage)).toEqual({ 'nginx:1.27-alpine': 3 });
    },
  },
  {
    file: 'plan-replaced-at-every-sync',
    title: 'An engine that deletes and creates the plan at every sync',
    summary:
      'With Replace=true the plan object is another one after each sync, and its status is lost. The status is only a projection: the rollout continues as if nothing had happened, and after its end nothing starts again.',
    files: { 'kruise.yaml': gated, ...first },
    async play(stage, expect) {
      await settled(stage);
      await stage.commit('nginx 1.27', { [MANIFEST]: web({ replicas: 3, image: 'nginx:1.27-alpine' }) });
      await stage.sync();
      await stage.untilStep('soak-1');
      await stage.run(120_000);
      await replacePlan(stage);
      await stage.run(179_000);
      expect(await shown(stage)).toMatchObject({ phase: 'Soaking', step: 'soak-1' });
      await stage.run(2_000);
      expect(await shown(stage)).toMatchObject({ phase: 'AwaitingApproval' });
      await replacePlan(stage);
      await stage.command('approve', { step: 'approve-1' });
      await stage.until('Succeeded');
      const before = await stage.pods();
      await replacePlan(stage);
      await stage.run(60_000);
      expect(await shown(stage)).toMatchObject({ phase: 'Succeeded' });
      expect((await stage.pods()).map((p) => p.metadata.uid)).toEqual(before.map((p) => p.metadata.uid));
      expect((await stage.pods()).map((p) => p.status)).toEqual(before.map((p) => p.status));
    },
  },
  {
    file: 'two-plans-for-one-target',
    title: 'Two plans for one target',
    summary:
      'A user copies the plan under another name and makes the copy quicker, with a correct digest. It is unknown which of the two was reviewed, so neither is executed: the rollout is blocked until one of them is deleted.',
    files: { 'kruise.yaml': gated, ...first },
    async play(stage, expect) {
      await settled(stage);
      await stage.commit('nginx 1.27', { [MANIFEST]: web({ replicas: 3, image: 'nginx:1.27-alpine' }) });
      await stage.sync();
      await stage.untilStep('soak-1');
      const plan = (await stage.plan()) as unknown as RolloutPlan;
      const { digest: _digest, ...content } = { ...plan.spec, steps: plan.spec.steps.slice(-1) };
      stage.transcript.note('a user creates the plan web-quick, a copy with the last step alone');
      await stage.user.create(resources.RolloutPlan, {
        apiVersion: plan.apiVersion,
        kind: plan.kind,
        metadata: { name: 'web-quick', namespace: 'shop' },
        spec: { ...content, digest: planDigest(content) },
      });
      await stage.run(600_000);
      expect(await images(stage)).toEqual({ 'nginx:1.25-alpine': 2, 'nginx:1.27-alpine': 1 });
      expect(await held(stage)).toContain('DuplicateTarget: ');
      expect(await shown(stage)).toMatchObject({ waitingOn: 'DuplicateTarget' });
      expect(await shown(stage, 'web-quick')).toMatchObject({ waitingOn: 'DuplicateTarget' });
      stage.transcript.note('web-quick is deleted');
      await stage.user.delete(resources.RolloutPlan, { namespace: 'shop', name: 'web-quick' });
      await stage.until('AwaitingApproval');
      expect(await images(stage)).toEqual({ 'nginx:1.25-alpine': 2, 'nginx:1.27-alpine': 1 });
      expect(await held(stage)).toContain('AwaitingApproval: ');
    },
  },
];

/** Deletes the plan object and recreates it, as an engine does that replaces instead of applying. */
async function replacePlan(stage: StoryCluster): Promise<void> {
  const { apiVersion, kind, metadata, spec } = (await stage.plan()) as KubeObject;
  const { name, namespace = '', annotations = {} } = metadata;
  stage.transcript.note('the engine deletes the plan and creates it anew, without its status');
  await stage.user.delete(resources.RolloutPlan, { namespace, name });
  await stage.user.create(resources.RolloutPlan, {
    apiVersion,
    kind,
    metadata: { name, namespace, annotations },
    spec,
  });
}
