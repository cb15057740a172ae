import type { ExpectStatic } from 'vitest';
import { containerStatus } from '../../semantics/pod/in-place.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { ADMISSION_NAME } from '../../runtime/admit/configuration.ts';
import { createAdmission } from '../../cli/sandbox/admission.ts';
import {
  CANARY,
  DEPLOYMENT,
  deployment,
  DEPLOYMENTS,
  files,
  logImages,
  logSet,
  SET,
  tracksWith,
  waves,
  WEBHOOKS,
} from './sidecar-stage.ts';
import type { StoryCluster } from './stage.ts';
import { images, settled, shown, type Story } from './story.ts';

/** Rolls out the next sidecar until the first pods soak. */
async function soaking(stage: StoryCluster): Promise<void> {
  await stage.commit('log 2', { [SET]: logSet({ image: 'log:2' }) });
  await stage.sync();
  await stage.until('Soaking');
}

/** `kubectl scale`. The next sync restores the manifest. */
async function scale({ user, transcript, run }: StoryCluster, replicas: number, name = 'web'): Promise<void> {
  transcript.note(`kubectl scale deployment ${name} -n shop --replicas=${replicas}`);
  await user.patch(DEPLOYMENTS, { namespace: 'shop', name }, { type: 'merge', body: { spec: { replicas } } });
  await run(20_000);
}

/** Two of ten pods have the label of canaries. */
const withCanaries = {
  [DEPLOYMENT]: deployment({ replicas: 8 }),
  [CANARY]: deployment({ name: 'web-canary', replicas: 2, labels: ', track: canary' }),
};

/** The canaries have the sidecar 2, by a plan that has succeeded. */
async function canaried(stage: StoryCluster): Promise<void> {
  await settled(stage);
  await stage.commit('log 2, for the canary', { [SET]: logSet({ image: 'log:2', canary: 'only' }) });
  await stage.sync();
  await stage.until('Succeeded');
}

/** The canaries alone have the next sidecar, and a new pod without their label gets the earlier one. */
async function onlyCanaries(stage: StoryCluster, expect: ExpectStatic): Promise<void> {
  expect(await tracksWith(stage, 'log:2')).toEqual(['canary', 'canary']);
  await scale(stage, 9);
  expect(await logImages(stage)).toEqual({ 'log:1': 9, 'log:2': 2 });
  await scale(stage, 8);
}

export const sidecars: readonly Story[] = [
  {
    file: 'sidecar-in-place',
    title: 'A sidecar is injected, and updated in place',
    summary:
      'A SidecarSet adds the container `log` to the pods of a Deployment when they are created. A new image goes to one pod, soaks, and then goes to the rest, two at a time. No pod is recreated, and the container of the Deployment does not restart.',
    files,
    sidecars: true,
    async play(stage, expect) {
      await settled(stage);
      const before = await stage.pods();
      expect(await logImages(stage)).toEqual({ 'log:1': 10 });
      await soaking(stage);
      expect(await logImages(stage)).toEqual({ 'log:1': 9, 'log:2': 1 });
      await stage.until('Succeeded');
      expect(await logImages(stage)).toEqual({ 'log:2': 10 });
      const after = await stage.pods();
      expect(after.map(({ metadata }) => metadata.uid)).toEqual(before.map(({ metadata }) => metadata.uid));
      const restarts = (name: string) => after.map((pod) => containerStatus(pod, name)?.restartCount);
      expect(restarts('nginx')).toEqual(Array(10).fill(0));
      expect(restarts('log')).toEqual(Array(10).fill(1));
    },
  },
  {
    file: 'sidecar-webhook-down',
    title: 'The webhook is down while pods are created',
    summary:
      'In the soak the configuration of the webhook is deleted, and the Deployment is scaled out: two pods have no sidecar. The condition PodsMissed names one of them, and the soak does not go on. The webhook is back, the two pods are recreated, and the soak ends in the time that it had left.',
    files,
    sidecars: true,
    async play(stage, expect) {
      await settled(stage);
      await soaking(stage);
      await stage.run(240_000);
      stage.transcript.note(`kubectl delete mutatingwebhookconfiguration ${ADMISSION_NAME}`);
      await stage.user.delete(WEBHOOKS, { name: ADMISSION_NAME });
      await scale(stage, 12);
      expect(await logImages(stage)).toEqual({ 'log:1': 9, 'log:2': 1, none: 2 });
      await stage.run(3_600_000);
      expect(await shown(stage)).toMatchObject({
        phase: 'Soaking',
        message: expect.stringContaining('2 pods that were created without its containers'),
      });
      stage.transcript.note('kruise admission install');
      createAdmission(stage.world.server);
      for (const { metadata, spec } of await stage.pods()) {
        if (spec.containers.some(({ name }) => name === 'log')) continue;
        stage.transcript.note(`kubectl delete pod ${metadata.name} -n shop`);
        await stage.user.delete(resources.Pod, { namespace: 'shop', name: metadata.name });
      }
      const back = stage.clock.now();
      await stage.until('Running');
      expect(stage.clock.now() - back).toBeLessThanOrEqual(370_000);
      expect(stage.clock.now() - back).toBeGreaterThanOrEqual(350_000);
      await stage.until('Succeeded');
      expect(await logImages(stage)).toEqual({ 'log:2': 12 });
      expect((await stage.target('log'))['status']).not.toHaveProperty('conditions');
    },
  },
  {
    file: 'sidecar-revert-mid-run',
    title: 'git revert in the middle of an update of sidecars',
    summary:
      'Four of ten pods have the new sidecar when the commit is reverted. They go back in place, without gates, and a pod that is created afterwards gets the earlier sidecar.',
    files: { ...files, 'kruise.yaml': waves.replace('5%', '40%') },
    sidecars: true,
    async play(stage, expect) {
      await settled(stage);
      const before = await stage.pods();
      await soaking(stage);
      expect(await logImages(stage)).toEqual({ 'log:1': 6, 'log:2': 4 });
      await stage.run(60_000);
      stage.revert('Revert "log 2"', 1);
      await stage.sync();
      await stage.run(120_000);
      expect(await logImages(stage)).toEqual({ 'log:1': 10 });
      const after = await stage.pods();
      expect(after.map(({ metadata }) => metadata.uid)).toEqual(before.map(({ metadata }) => metadata.uid));
      await scale(stage, 11);
      expect(await logImages(stage)).toEqual({ 'log:1': 11 });
    },
  },
  {
    file: 'sidecar-canary-by-label',
    title: 'A canary of a sidecar by label, then all',
    summary:
      'Only pods with the label `track: canary` get the new sidecar: the selector is part of the bound of the plan. A new pod without the label gets the earlier sidecar. A commit removes the selector, and its plan takes the rest in steps.',
    files: {
      'kruise.yaml': waves.replace('5%', '50%'),
      [SET]: logSet(),
      ...withCanaries,
    },
    sidecars: true,
    async play(stage, expect) {
      await canaried(stage);
      await onlyCanaries(stage, expect);
      await stage.commit('log 2, for all', { [SET]: logSet({ image: 'log:2' }) });
      await stage.sync();
      await stage.until('Soaking');
      expect(await logImages(stage)).toEqual({ 'log:1': 5, 'log:2': 5 });
      await stage.until('Succeeded');
      expect(await logImages(stage)).toEqual({ 'log:2': 10 });
    },
  },
  {
    file: 'sidecar-canary-back',
    title: 'A later sidecar is reverted while the one before is in canaries only',
    summary:
      'The canaries have the sidecar 2, and others 1. Half of all pods get 3 when that commit is reverted. They go to 2, as git says, and no other pod moves. New pods get 2 with the label of canaries, and 1 without it.',
    files: {
      'kruise.yaml': waves.replace('5%', '50%'),
      [SET]: logSet(),
      ...withCanaries,
    },
    sidecars: true,
    async play(stage, expect) {
      await canaried(stage);
      await stage.commit('log 3, for all', { [SET]: logSet({ image: 'log:3' }) });
      await stage.sync();
      await stage.until('Soaking');
      const { 'log:1': left = 0, 'log:3': moved = 0 } = await logImages(stage);
      expect(moved).toBe(5);
      stage.revert('Revert "log 3, for all"', 2);
      await stage.sync();
      await stage.until('Succeeded');
      expect(await logImages(stage)).toEqual({ 'log:1': left, 'log:2': 10 - left });
      await scale(stage, 9);
      expect(await logImages(stage)).toEqual({ 'log:1': left + 1, 'log:2': 10 - left });
      await scale(stage, 3, 'web-canary');
      expect(await logImages(stage)).toEqual({ 'log:1': left + 1, 'log:2': 11 - left });
    },
  },
  {
    file: 'sidecar-canary-first',
    title: 'A canary of a sidecar comes first, then all',
    summary:
      'A second Deployment has a fifth of the pods, with the label `track: canary`. The set gives them priority, so the first batch has these pods alone. The rest follows after an approval.',
    files: {
      'kruise.yaml': waves.replace('5%', '20%').replace('between: {soak: 10m}', 'approve: [1]'),
      [SET]: logSet({ canary: 'first' }),
      ...withCanaries,
    },
    sidecars: true,
    async play(stage, expect) {
      await settled(stage);
      await stage.commit('log 2', { [SET]: logSet({ image: 'log:2', canary: 'first' }) });
      await stage.sync();
      await stage.until('AwaitingApproval');
      await onlyCanaries(stage, expect);
      await stage.command('approve', { target: 'SidecarSet/log', step: 'approve-1' });
      await stage.until('Succeeded');
      expect(await logImages(stage)).toEqual({ 'log:2': 10 });
    },
  },
  {
    file: 'sidecar-pods-recreated',
    title: 'A Deployment recreates its pods in the middle of a step',
    summary:
      'In the soak of a sidecar the Deployment is rolled out, too: Kubernetes recreates all pods. The new pods get the stable sidecar. One of them is updated in the place of the lost one, and the soak stands until it is available.',
    files,
    sidecars: true,
    async play(stage, expect) {
      await settled(stage);
      await soaking(stage);
      await stage.run(240_000);
      const { until: earlier = '' } = await shown(stage);
      await stage.commit('nginx 1.28', { [DEPLOYMENT]: deployment({ image: 'nginx:1.28-alpine' }) });
      await stage.sync();
      await stage.run(60_000);
      expect(await images(stage)).toEqual({ 'nginx:1.28-alpine': 10 });
      expect(await logImages(stage)).toEqual({ 'log:1': 9, 'log:2': 1 });
      const { phase, until = '' } = await shown(stage);
      expect(phase).toBe('Soaking');
      expect(Date.parse(until)).toBeGreaterThan(Date.parse(earlier));
      await stage.until('Succeeded');
      expect(await logImages(stage)).toEqual({ 'log:2': 10 });
    },
  },
];
