import { resources } from '../../schemas/wire/resources.ts';
import { LIFECYCLE_LABEL, type Pod } from '../../semantics/pod/types.ts';
import { type Web, web } from './manifests.ts';
import type { StoryCluster } from './stage.ts';
import { held, images, MANIFEST, settled, shown, type Story, watchReady } from './story.ts';

const [OLD, NEW] = ['nginx:1.25-alpine', 'nginx:1.27-alpine'];
const POOL = 'example.com/pool';
const READY = 'example.com/ready';
const REGISTERED = 'example.com/registered';

const drained: Web = {
  lifecycle: `{preDelete: {labelsHandler: {${POOL}: open}, markPodNotReady: true}}`,
  labels: { [POOL]: 'open' },
};
const asked: Web = {
  lifecycle: `{inPlaceUpdate: {labelsHandler: {${READY}: "true"}}}`,
  labels: { [READY]: '"true"' },
};
const guarded: Web = { lifecycle: `{preNormal: {labelsHandler: {${REGISTERED}: "true"}}}` };

/** How many pods are in each lifecycle state. */
async function states(stage: StoryCluster): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { metadata } of await stage.pods()) {
    const state = metadata.labels?.[LIFECYCLE_LABEL] ?? '';
    counts[state] = (counts[state] ?? 0) + 1;
  }
  return counts;
}

/** `kubectl label pod` on every pod in this state, by the controller behind the hook; null removes the label. */
async function label(stage: StoryCluster, state: string, key: string, value: string | null): Promise<void> {
  const pods = (await stage.pods()).filter(({ metadata }) => metadata.labels?.[LIFECYCLE_LABEL] === state);
  const change = value === null ? `${key}-` : `${key}=${value}`;
  stage.transcript.note(`kubectl label pod ${pods.map(({ metadata }) => metadata.name).join(' ')} ${change}`);
  for (const { metadata } of pods)
    await stage.user.patch(
      resources.Pod,
      { namespace: 'shop', name: metadata.name },
      { type: 'merge', body: { metadata: { labels: { [key]: value } } } },
    );
  await stage.run(10_000);
}

const isReady = ({ status }: Pod): boolean =>
  status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;

/** Pods wait at hooks for other controllers. */
export const hooks: readonly Story[] = [
  {
    file: 'hook-pre-delete',
    title: 'preDelete: a connection pool is drained before a scale-in',
    summary:
      'An operator scales from five pods to three. Both pods leave traffic and wait in PreparingDelete, as their label says that connections are open. For half an hour nothing more happens. They are deleted when the label is gone.',
    files: { [MANIFEST]: web({ ...drained }) },
    async play(stage, expect) {
      await settled(stage);
      await stage.commit('three replicas', { [MANIFEST]: web({ ...drained, replicas: 3 }) });
      await stage.sync();
      await stage.run(1_800_000);
      expect(await states(stage)).toEqual({ Normal: 3, PreparingDelete: 2 });
      expect((await stage.pods()).filter(isReady)).toHaveLength(3);
      await label(stage, 'PreparingDelete', POOL, null);
      expect(await states(stage)).toEqual({ Normal: 3 });
    },
  },
  {
    file: 'hook-in-place-update',
    title: 'inPlaceUpdate: each pod waits for a label before and after its update',
    summary:
      'Two pods at a time are prepared, and wait for the controller behind the hook to remove its label. The plan says which pod waits for which label, and how to go on. Updated pods count as available when the label is back.',
    files: { [MANIFEST]: web({ ...asked, replicas: 4 }) },
    async play(stage, expect) {
      await settled(stage);
      await stage.commit('nginx 1.27', { [MANIFEST]: web({ ...asked, replicas: 4, image: NEW }) });
      const ready = await watchReady(stage);
      await stage.sync();
      await stage.run(240_000);
      expect(await states(stage)).toEqual({ Normal: 2, PreparingUpdate: 2 });
      expect((await shown(stage)).message).toMatch(
        /waits for hook inPlaceUpdate, label example\.com\/ready=true: kubectl label pod \S+ -n shop example\.com\/ready-/,
      );
      await label(stage, 'PreparingUpdate', READY, null);
      expect(await states(stage)).toEqual({ Normal: 2, Updated: 2 });
      expect((await shown(stage)).message).toMatch(/example\.com\/ready=true --overwrite/);
      await label(stage, 'Updated', READY, 'true');
      await label(stage, 'PreparingUpdate', READY, null);
      await label(stage, 'Updated', READY, 'true');
      await stage.until('Succeeded');
      expect(await images(stage)).toEqual({ [NEW]: 4 });
      expect(await states(stage)).toEqual({ Normal: 4 });
      expect(ready.lowest).toBe(2);
    },
  },
  {
    file: 'hook-pre-normal',
    title: 'preNormal: new pods do not count before they are registered',
    summary:
      'A changed environment recreates the pods, and each new pod must be registered elsewhere before it counts. The first two are ready and wait in PreparingNormal, and no other pod is deleted meanwhile.',
    files: { [MANIFEST]: web({ ...guarded, replicas: 4 }) },
    async play(stage, expect) {
      await settled(stage);
      expect(await states(stage)).toEqual({ PreparingNormal: 4 });
      await label(stage, 'PreparingNormal', REGISTERED, 'true');
      expect(await states(stage)).toEqual({ Normal: 4 });
      await stage.commit('debug', { [MANIFEST]: web({ ...guarded, replicas: 4, env: 'debug' }) });
      await stage.sync();
      await stage.run(300_000);
      expect(await states(stage)).toEqual({ Normal: 2, PreparingNormal: 2 });
      expect((await stage.pods()).filter(isReady)).toHaveLength(4);
      await label(stage, 'PreparingNormal', REGISTERED, 'true');
      await label(stage, 'PreparingNormal', REGISTERED, 'true');
      await stage.until('Succeeded');
      expect(await states(stage)).toEqual({ Normal: 4 });
    },
  },
  {
    file: 'hook-never-ends',
    title: 'A hook that never ends fails the step, and no pod is lost',
    summary:
      'The controller behind the hook is down. The first two pods wait; after ten minutes without progress the rollout halts and says which label it has waited for. Both pods return to traffic unchanged. When the controller is back, Resume continues.',
    files: { [MANIFEST]: web({ ...asked, replicas: 4 }) },
    async play(stage, expect) {
      await settled(stage);
      const before = (await stage.pods()).map(({ metadata }) => metadata.uid);
      await stage.commit('nginx 1.27', { [MANIFEST]: web({ ...asked, replicas: 4, image: NEW }) });
      await stage.sync();
      await stage.until('Halted');
      expect(await held(stage)).toMatch(/waits for hook inPlaceUpdate, label example\.com\/ready=true/);
      await stage.run(60_000);
      expect(await states(stage)).toEqual({ Normal: 4 });
      expect(await images(stage)).toEqual({ [OLD]: 4 });
      await stage.command('resume', { reason: 'the controller is back' });
      await stage.run(10_000);
      for (let i = 0; i < 2; i++) {
        await label(stage, 'PreparingUpdate', READY, null);
        await label(stage, 'Updated', READY, 'true');
      }
      await stage.until('Succeeded');
      expect((await stage.pods()).map(({ metadata }) => metadata.uid)).toEqual(before);
    },
  },
];
