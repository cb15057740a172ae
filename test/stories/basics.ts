import { resources } from '../../schemas/wire/resources.ts';
import { web } from './manifests.ts';
import type { StoryCluster } from './stage.ts';
import { batches, images, MANIFEST, settled, type Story } from './story.ts';

const first = { [MANIFEST]: web() };

const revertingBatches = `steps:
- match: {kind: CloneSet, namespace: shop}
  batches:
  - {to: 5%}
  - {to: 100%}
  between: {soak: 10m}
  onFailure: Revert
`;

export const basics: readonly Story[] = [
  {
    file: 'image-in-place',
    title: 'A new image, in place',
    summary:
      'Five pods take a new image without being deleted: names, uids and IPs stay, each container restarts once, and at most two pods are out of traffic at a time.',
    files: first,
    async play(stage, expect) {
      await settled(stage);
      const before = await stage.pods();
      await stage.commit('nginx 1.27', { [MANIFEST]: web({ image: 'nginx:1.27-alpine' }) });
      await stage.sync();
      await stage.until('Succeeded');
      const after = await stage.pods();
      expect(after.map((p) => p.metadata.uid)).toEqual(before.map((p) => p.metadata.uid));
      expect(after.map((p) => p.status?.podIP)).toEqual(before.map((p) => p.status?.podIP));
      expect(after.map((p) => p.status?.containerStatuses?.[0]?.restartCount)).toEqual([1, 1, 1, 1, 1]);
    },
  },
  {
    file: 'env-recreates',
    title: 'A changed environment variable recreates',
    summary:
      'Kubernetes cannot change the environment of a running container, so every pod is recreated. The plan states that before it happens.',
    files: first,
    async play(stage, expect) {
      await settled(stage);
      const before = await stage.pods();
      await stage.commit('log more', { [MANIFEST]: web({ env: 'debug' }) });
      await stage.sync();
      await stage.until('Succeeded');
      const old = new Set(before.map((p) => p.metadata.uid));
      const after = await stage.pods();
      expect(after.length).toBe(5);
      expect(after.some((p) => old.has(p.metadata.uid))).toBe(false);
    },
  },
  {
    file: 'image-and-metadata',
    title: 'Image and metadata together',
    summary:
      'A label and an image change in one commit: one write a pod carries both, and the container restarts once.',
    files: first,
    async play(stage, expect) {
      await settled(stage);
      await stage.commit('nginx 1.27 with a track', {
        [MANIFEST]: web({ image: 'nginx:1.27-alpine', labels: { track: 'blue' } }),
      });
      await stage.sync();
      await stage.until('Succeeded');
      const after = await stage.pods();
      expect(after.map((p) => p.metadata.labels?.['track'])).toEqual(Array(5).fill('blue'));
      expect(after.map((p) => p.status?.containerStatuses?.[0]?.restartCount)).toEqual([1, 1, 1, 1, 1]);
    },
  },
  {
    file: 'partition-2-then-0-plan-first',
    title: 'Partition 2, then 0: the continuation arrives before the manifest',
    summary:
      'The first plan ends with two pods retained by partition 2. The second lowers the partition; its plan is synced before the manifest and waits at the partition until the manifest follows.',
    files: first,
    async play(stage, expect) {
      await settled(stage);
      await stage.commit('nginx 1.27 on all but two', {
        [MANIFEST]: web({ image: 'nginx:1.27-alpine', partition: 2 }),
      });
      await stage.sync();
      await stage.until('Succeeded');
      expect(await images(stage)).toEqual({ 'nginx:1.25-alpine': 2, 'nginx:1.27-alpine': 3 });
      await stage.commit('the last two', { [MANIFEST]: web({ image: 'nginx:1.27-alpine', partition: 0 }) });
      await stage.sync('plans');
      await stage.run(60_000);
      expect(await images(stage)).toEqual({ 'nginx:1.25-alpine': 2, 'nginx:1.27-alpine': 3 });
      await stage.sync('manifests');
      await stage.until('Succeeded');
      expect(await images(stage)).toEqual({ 'nginx:1.27-alpine': 5 });
    },
  },
  {
    file: 'partition-2-then-0-manifest-first',
    title: 'Partition 2, then 0: the manifest arrives before the continuation',
    summary:
      'A partition that is lowered without a plan changes nothing: the two pods stay on the old image, a lost one is recreated there, and the continuation then updates both.',
    files: first,
    async play(stage, expect) {
      await settled(stage);
      await stage.commit('nginx 1.27 on all but two', {
        [MANIFEST]: web({ image: 'nginx:1.27-alpine', partition: 2 }),
      });
      await stage.sync();
      await stage.until('Succeeded');
      await stage.commit('the last two', { [MANIFEST]: web({ image: 'nginx:1.27-alpine', partition: 0 }) });
      await stage.sync('manifests');
      await stage.run(60_000);
      expect(await images(stage)).toEqual({ 'nginx:1.25-alpine': 2, 'nginx:1.27-alpine': 3 });
      const lost = (await stage.pods()).find((p) => p.spec.containers[0]?.image === 'nginx:1.25-alpine');
      stage.transcript.note(`a user deletes pod ${lost?.metadata.name ?? ''}`);
      await stage.user.delete(resources.Pod, { namespace: 'shop', name: lost?.metadata.name ?? '' });
      await stage.run(60_000);
      expect(await images(stage)).toEqual({ 'nginx:1.25-alpine': 2, 'nginx:1.27-alpine': 3 });
      await stage.sync('plans');
      await stage.until('Succeeded');
      expect(await images(stage)).toEqual({ 'nginx:1.27-alpine': 5 });
    },
  },
  {
    file: 'batches-soak-approval',
    title: 'Percent batches with a soak and an approval',
    summary:
      'Ten pods in batches of 5 %, 50 % and 100 %: one pod first, a soak of ten minutes, an approval, five pods, another soak, the rest.',
    files: { 'kruise.yaml': batches, [MANIFEST]: web({ replicas: 10 }) },
    async play(stage, expect) {
      await settled(stage);
      await stage.commit('nginx 1.27', { [MANIFEST]: web({ replicas: 10, image: 'nginx:1.27-alpine' }) });
      await stage.sync();
      await stage.until('AwaitingApproval');
      expect(await images(stage)).toEqual({ 'nginx:1.25-alpine': 9, 'nginx:1.27-alpine': 1 });
      await stage.run(3_600_000);
      expect(await images(stage)).toEqual({ 'nginx:1.25-alpine': 9, 'nginx:1.27-alpine': 1 });
      await approve(stage, 'approve-1');
      await stage.until('Succeeded');
      expect(await images(stage)).toEqual({ 'nginx:1.27-alpine': 10 });
    },
  },
  {
    file: 'git-revert-mid-run',
    title: 'git revert in the middle of a rollout',
    summary:
      'The manifest goes back, and the old plan file with it, while five of ten pods are on the new image. The runtime reverts without gates: accepting a plan also accepts its reverse.',
    files: { 'kruise.yaml': batches, [MANIFEST]: web({ replicas: 10 }) },
    async play(stage, expect) {
      await settled(stage);
      await stage.commit('nginx 1.26', { [MANIFEST]: web({ replicas: 10, image: 'nginx:1.26-alpine' }) });
      await stage.sync();
      await stage.until('AwaitingApproval');
      await approve(stage, 'approve-1');
      await stage.until('Succeeded');
      await stage.commit('nginx 1.27', { [MANIFEST]: web({ replicas: 10, image: 'nginx:1.27-alpine' }) });
      await stage.sync();
      await stage.until('AwaitingApproval');
      await approve(stage, 'approve-1');
      await stage.until('Soaking');
      expect(await images(stage)).toEqual({ 'nginx:1.26-alpine': 5, 'nginx:1.27-alpine': 5 });
      stage.revert('Revert "nginx 1.27"', 2);
      await stage.sync();
      await stage.run(120_000);
      expect(await images(stage)).toEqual({ 'nginx:1.26-alpine': 10 });
    },
  },
  {
    file: 'empty-cluster',
    title: 'An empty cluster with a committed plan',
    summary:
      'A new cluster gets the manifest and the plan of a rollout that happened elsewhere. There is nothing to roll out: the revision in git is stable from the first pod on, and the plan ends at once.',
    files: first,
    async play(stage, expect) {
      await stage.commit('nginx 1.27', { [MANIFEST]: web({ image: 'nginx:1.27-alpine' }) });
      await stage.sync();
      await stage.run(20_000);
      expect(await images(stage)).toEqual({ 'nginx:1.27-alpine': 5 });
      expect((await stage.plan())?.['status']).toMatchObject({ phase: 'Succeeded' });
    },
  },
  {
    file: 'one-replica-soak-fails',
    title: 'One replica: the first step has the only pod, and its soak fails',
    summary:
      'The only pod is updated in place, works for a while and then crashes during the soak. The plan has onFailure Revert, so the runtime sets the old image in the same pod.',
    files: { 'kruise.yaml': revertingBatches, [MANIFEST]: web({ replicas: 1, maxUnavailable: 1 }) },
    async play(stage, expect) {
      stage.world.images.set('nginx:1.27-alpine', { crashAfterMs: 90_000 });
      await settled(stage);
      await stage.commit('nginx 1.27, which crashes after a while', {
        [MANIFEST]: web({ replicas: 1, maxUnavailable: 1, image: 'nginx:1.27-alpine' }),
      });
      await stage.sync();
      await stage.until('Reverted');
      await stage.run(60_000);
      expect(await images(stage)).toEqual({ 'nginx:1.25-alpine': 1 });
      expect((await stage.plan())?.['status']).toMatchObject({ phase: 'Reverted' });
    },
  },
  {
    file: 'tampered-plan',
    title: 'A plan that was edited after review',
    summary:
      'A user changes a number in the committed plan. Its digest no longer matches, so it is refused with a condition, and no pod is updated.',
    files: { 'kruise.yaml': batches, [MANIFEST]: web({ replicas: 10 }) },
    async play(stage, expect) {
      await settled(stage);
      const before = await stage.pods();
      await stage.commit('nginx 1.27', { [MANIFEST]: web({ replicas: 10, image: 'nginx:1.27-alpine' }) });
      const path = 'plans/shop/cloneset-web/plan.yaml';
      const edited = (stage.files().get(path) ?? '').replace(/to: "?5%"?/, 'to: "80%"');
      expect(edited).not.toBe(stage.files().get(path));
      await stage.commit('a quicker canary, by hand', { [path]: edited }, { plan: false });
      await stage.sync();
      await stage.run(600_000);
      const after = await stage.pods();
      expect(after.map((p) => [p.metadata.uid, p.spec.containers[0]?.image])).toEqual(
        before.map((p) => [p.metadata.uid, p.spec.containers[0]?.image]),
      );
      expect((await stage.plan())?.['status']).toMatchObject({ phase: 'Pending', waitingOn: 'Unverified' });
    },
  },
  {
    file: 'nothing-to-do',
    title: 'Nothing to do',
    summary:
      'A commit that only writes out defaults and scales changes no template: there is no plan, the scaling is not gated, and no running pod is changed.',
    files: first,
    async play(stage, expect) {
      await settled(stage);
      const before = await stage.pods();
      const spelledOut = web({ replicas: 6 }).replace(
        '        image: nginx:1.25-alpine',
        ['        image: nginx:1.25-alpine', '        imagePullPolicy: Always', '        resources: {}'].join(
          '\n',
        ),
      );
      await stage.commit('one pod more, and defaults spelled out', { [MANIFEST]: spelledOut });
      expect([...stage.files().keys()].filter((path) => path.startsWith('plans/'))).toEqual([]);
      await stage.sync();
      await stage.run(60_000);
      const after = await stage.pods();
      expect(after.length).toBe(6);
      expect(after.filter((p) => before.some((b) => b.metadata.uid === p.metadata.uid)).length).toBe(5);
    },
  },
];

async function approve(stage: StoryCluster, step: string): Promise<void> {
  const plan = await stage.plan();
  if (plan === undefined) throw new Error('there is no plan to approve');
  const { digest } = plan['spec'] as { digest: string };
  stage.transcript.note(`mona approves ${step}`);
  await stage.user.create(resources.RolloutCommand, {
    apiVersion: 'plan.kruise.io/v1alpha1',
    kind: 'RolloutCommand',
    metadata: { generateName: 'web-', namespace: 'shop', name: '' },
    spec: { target: { kind: 'CloneSet', name: 'web' }, action: 'Approve', step, digest, by: 'mona' },
  });
}
