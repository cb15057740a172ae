import { resources } from '../../schemas/wire/resources.ts';
import { web } from './manifests.ts';
import type { StoryCluster } from './stage.ts';
import { held, images, lose, MANIFEST, settled, shown, type Story } from './story.ts';

const NEW = 'nginx:1.27-alpine';
const OLD = 'nginx:1.25-alpine';
const EDITED = 'nginx:1.26-alpine';

const three = (image?: string): Record<string, string> => ({
  [MANIFEST]: web({ replicas: 3, ...(image === undefined ? {} : { image }) }),
});

/** One pod, a soak of five minutes, the rest. */
const canary = (onFailure: 'Halt' | 'Revert'): string => `steps:
- match: {kind: CloneSet, namespace: shop}
  batches:
  - {to: 10%}
  - {to: 100%}
  between: {soak: 5m}
  onFailure: ${onFailure}
`;

/** Failures in the cluster or outside of the plan, and how users recover. */
export const failures: readonly Story[] = [
  {
    file: 'halted-then-resumed',
    title: 'A rollout halts, the cause is fixed in the cluster, and a user resumes it',
    summary:
      'The registry cannot deliver the new image, so the canary does not come up and the step fails after ten minutes. When the registry works again the pod starts by itself, but the rollout stays halted until a user resumes it. Then the failed step starts again.',
    files: { 'kruise.yaml': canary('Halt'), ...three() },
    async play(stage, expect) {
      stage.world.images.set(NEW, { pullError: true });
      await settled(stage);
      await stage.commit('nginx 1.27', three(NEW));
      await stage.sync();
      await stage.until('Halted');
      expect(await held(stage)).toContain('kruise resume CloneSet/web -n shop --digest ');
      stage.transcript.note('the registry has the image now');
      stage.world.images.set(NEW, {});
      await stage.run(900_000);
      expect(await shown(stage)).toMatchObject({ phase: 'Halted' });
      expect(await images(stage)).toEqual({ [OLD]: 2, [NEW]: 1 });
      await stage.command('resume', { reason: 'registry mended' });
      await stage.until('Succeeded');
      expect(await images(stage)).toEqual({ [NEW]: 3 });
    },
  },
  {
    file: 'failed-then-planned-again',
    title: 'A rollout fails, and is planned once more',
    summary:
      'The canary crashes because a database migration is missing, and the pods are reverted. The change itself was right: once the migration has run, `kruise plan --again` writes the same plan as attempt 2, and that starts at its first step.',
    files: { 'kruise.yaml': canary('Revert'), ...three() },
    async play(stage, expect) {
      stage.world.images.set(NEW, { crashAfterMs: 90_000 });
      await settled(stage);
      await stage.commit('nginx 1.27', three(NEW));
      await stage.sync();
      await stage.until('Reverted');
      expect(await images(stage)).toEqual({ [OLD]: 3 });
      await stage.run(600_000);
      expect(await images(stage)).toEqual({ [OLD]: 3 });
      stage.transcript.note('the migration has run');
      stage.world.images.set(NEW, {});
      await stage.commit('nginx 1.27 once more', {}, { args: ['--again'] });
      await stage.sync();
      await stage.untilStep('soak-1');
      expect(await images(stage)).toEqual({ [OLD]: 2, [NEW]: 1 });
      await stage.until('Succeeded');
      expect(await images(stage)).toEqual({ [NEW]: 3 });
    },
  },
  {
    file: 'hotfix-meets-restarting-pods',
    title: 'A hotfix arrives while the canary restarts, and is broken itself',
    summary:
      'The canary of the first change is just restarting when the hotfix takes over, and becomes the canary of the hotfix. It was not available then because of the rollout itself, which excuses nothing: when the hotfix crashes, its soak fails.',
    files: { 'kruise.yaml': canary('Halt'), ...three() },
    async play(stage, expect) {
      stage.world.images.set(NEW, { crashAfterMs: 90_000 });
      await settled(stage);
      await stage.commit('nginx 1.26', three('nginx:1.26-alpine'));
      await stage.sync();
      await stage.run(1_500);
      await stage.commit('nginx 1.27, a hotfix', three(NEW));
      await stage.sync();
      await stage.until('Halted');
      expect(await shown(stage)).toMatchObject({ step: 'soak-1' });
      expect(await images(stage)).toEqual({ [OLD]: 2, [NEW]: 1 });
    },
  },
  {
    file: 'crashes-in-the-first-batch',
    title: 'Pods crash after they were available, and the step that updates them fails',
    summary:
      'A pod is available as soon as its container starts here, and the new image runs for three seconds before it crashes. The update takes further pods while the first ones still run. The first restart fails the step, though no soak watches it and every other pod is available.',
    files: { [MANIFEST]: web({ replicas: 10 }) },
    async play(stage, expect) {
      stage.world.images.set(NEW, { crashAfterMs: 3_000 });
      await settled(stage);
      await stage.commit('nginx 1.27, which crashes after a while', {
        [MANIFEST]: web({ replicas: 10, image: NEW }),
      });
      await stage.sync();
      await stage.until('Halted');
      expect(await shown(stage)).toMatchObject({
        step: 'update',
        conditions: expect.arrayContaining([expect.objectContaining({ reason: 'Breach' })]),
      });
      expect(await held(stage)).toMatch(
        /^Halted: .*pod web-[a-z0-9]+ restarted after its update, which fails step update/,
      );
      await stage.run(60_000);
      expect(await images(stage)).toEqual({ [OLD]: 6, [NEW]: 4 });
    },
  },
  {
    file: 'kubectl-edit',
    title: 'kubectl edit, before a rollout and in the middle of one',
    summary:
      'A user changes the image with kubectl, without a plan. Where plans are required no pod is updated: before a rollout the target is held, in the middle of one the rollout is blocked. When the engine restores the manifest, everything continues where it was.',
    files: { 'kruise.yaml': canary('Halt'), ...three() },
    async play(stage, expect) {
      await settled(stage);
      await edit(stage);
      await stage.run(60_000);
      expect(await held(stage)).toContain('NoPlan: ');
      expect(await images(stage)).toEqual({ [OLD]: 3 });
      await stage.sync();
      await stage.run(60_000);
      expect(await held(stage)).toBe('');
      await stage.commit('nginx 1.27', three(NEW));
      await stage.sync();
      await stage.untilStep('soak-1');
      await stage.run(240_000);
      await edit(stage);
      await lose(stage, NEW);
      await stage.run(600_000);
      expect(await held(stage)).toContain('ManifestChanged: ');
      const conditions = (await shown(stage)).conditions?.map(({ type, status }) => `${type}=${status}`);
      expect(conditions).toEqual(['Ready=False', 'Stalled=True']);
      expect(await images(stage)).toEqual({ [OLD]: 2, [NEW]: 1 });
      await stage.sync();
      await stage.run(50_000);
      expect(await shown(stage)).toMatchObject({ phase: 'Soaking' });
      await stage.until('Succeeded');
      expect(await images(stage)).toEqual({ [NEW]: 3 });
    },
  },
  {
    file: 'unplanned-revision',
    title: 'A plan meets pods on a revision that git has never had',
    summary:
      'With the policy Auto a kubectl edit without a plan is rolled out, and the pods are on an image that is in no commit. The next plan does not start from there, so it waits, and the target is held. The remedy is to commit what runs, and to plan from that.',
    policy: 'Auto',
    files: three(),
    async play(stage, expect) {
      await settled(stage);
      await edit(stage);
      await stage.run(60_000);
      expect(await images(stage)).toEqual({ [EDITED]: 3 });
      await stage.commit('nginx 1.27', three(NEW));
      await stage.sync();
      await stage.run(600_000);
      expect(await shown(stage)).toMatchObject({ phase: 'Pending', waitingOn: 'UnplannedRevision' });
      expect(await images(stage)).toEqual({ [EDITED]: 3 });
      expect(await held(stage)).toContain('UnplannedRevision: ');
      await stage.commit('nginx 1.26, which runs already', three(EDITED));
      await stage.commit('nginx 1.27, from there', three(NEW));
      await stage.sync();
      await stage.until('Succeeded');
      expect(await images(stage)).toEqual({ [NEW]: 3 });
    },
  },
  {
    file: 'mode-mismatch',
    title: 'The plan allows updates in place, and the cluster would have to recreate pods',
    summary:
      'A second pull request changes no template and so gets no plan, but sets the policy ReCreate, past a warning, before the first one has reached the cluster. The reviewed plan allows InPlace, so the runtime does nothing rather than more than was reviewed. Planned again, the plan allows to recreate pods, and is executed.',
    files: three(),
    async play(stage, expect) {
      await settled(stage);
      const before = await stage.pods();
      await stage.commit('nginx 1.27', three(NEW));
      await stage.commit('always recreate', {
        [MANIFEST]: web({ replicas: 3, image: NEW, policy: 'ReCreate' }),
      });
      await stage.sync();
      await stage.run(600_000);
      expect((await stage.pods()).map((p) => p.status)).toEqual(before.map((p) => p.status));
      expect(await shown(stage)).toMatchObject({ phase: 'Pending', waitingOn: 'ModeMismatch' });
      expect(await held(stage)).toContain('ModeMismatch: ');
      await stage.commit('nginx 1.27, recreated', {}, { args: ['--again'] });
      await stage.sync();
      await stage.until('Succeeded');
      expect(await images(stage)).toEqual({ [NEW]: 3 });
      const old = new Set(before.map((p) => p.metadata.uid));
      expect((await stage.pods()).filter((p) => old.has(p.metadata.uid))).toEqual([]);
    },
  },
];

/** A user changes the image of the target in the cluster, not in git. */
async function edit(stage: StoryCluster): Promise<void> {
  stage.transcript.note(`a user edits the image of CloneSet web to ${EDITED} with kubectl`);
  const path = '/spec/template/spec/containers/0/image';
  await stage.user.patch(
    resources.CloneSet,
    { namespace: 'shop', name: 'web' },
    { type: 'json', body: [{ op: 'replace', path, value: EDITED }] },
  );
}
