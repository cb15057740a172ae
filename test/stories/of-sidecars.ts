import { containerStatus } from '../../semantics/pod/in-place.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { ADMISSION_NAME } from '../../runtime/admit/configuration.ts';
import { createAdmission } from '../../cli/sandbox/admission.ts';
import { DEPLOYMENTS, files, logImages, logSet, SET, waves, WEBHOOKS } from './sidecar-stage.ts';
import type { StoryCluster } from './stage.ts';
import { settled, shown, type Story } from './story.ts';

const NEXT = { [SET]: logSet({ image: 'log:2' }) };

/** `kubectl scale`. The next sync restores the manifest. */
async function scale({ user, transcript, run }: StoryCluster, replicas: number): Promise<void> {
  transcript.note(`kubectl scale deployment web -n shop --replicas=${replicas}`);
  await user.patch(
    DEPLOYMENTS,
    { namespace: 'shop', name: 'web' },
    { type: 'merge', body: { spec: { replicas } } },
  );
  await run(20_000);
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
      await stage.commit('log 2', NEXT);
      await stage.sync();
      await stage.until('Soaking');
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
      await stage.commit('log 2', NEXT);
      await stage.sync();
      await stage.until('Soaking');
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
      await stage.commit('log 2', NEXT);
      await stage.sync();
      await stage.until('Soaking');
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
];
