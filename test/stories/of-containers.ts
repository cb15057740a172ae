import type { Pod } from '../../semantics/pod/types.ts';
import { web } from './manifests.ts';
import { MANIFEST, settled, type Story, watchReady } from './story.ts';

/** CloneSet `web` with a second container of a higher launch priority. */
function withProxy(nginx: string, proxy: string): string {
  return `${web({ image: nginx, replicas: 3, maxUnavailable: 1 })}      - name: proxy
        image: ${proxy}
        env:
        - name: KRUISE_CONTAINER_PRIORITY
          value: "10"
`;
}

/** CloneSet `web` whose three containers start one after the other. */
function ordered(images: readonly [string, string, string], replicas: number): string {
  const [first, ...rest] = images;
  const text = web({ image: first, replicas, maxUnavailable: 1 }).replace(
    '      labels: {app: web}',
    '      labels: {app: web}\n      annotations: {apps.kruise.io/container-launch-priority: Ordered}',
  );
  return `${text}${['cache', 'proxy'].map((name, at) => `      - name: ${name}\n        image: ${rest[at]}\n`).join('')}`;
}

/** The containers that run and are ready, in a letter each: `Rr-` is ready, running, and neither. */
function progress({ spec, status }: Pod): string {
  return spec.containers
    .map(({ name }) => {
      const own = status?.containerStatuses?.find((each) => each.name === name);
      const isRunning = (own?.['state'] as { running?: object } | undefined)?.running !== undefined;
      return own?.ready === true ? 'R' : isRunning ? 'r' : '-';
    })
    .join('');
}

const running = ({ spec }: Pod): string => spec.containers.map(({ image }) => image).join(' ');

/** Updates in place of pods with several containers. */
export const containers: readonly Story[] = [
  {
    file: 'launch-priority',
    title: 'Two containers of one pod, the one with the higher launch priority first',
    summary:
      'Both images change in one commit. In each pod the proxy, whose launch priority is higher, changes first; the other container follows when the proxy is ready, and only then does the pod get its traffic back. Each container restarts once.',
    files: { [MANIFEST]: withProxy('nginx:1.25-alpine', 'envoy:1.30') },
    async play(stage, expect) {
      await settled(stage);
      await stage.commit('both', { [MANIFEST]: withProxy('nginx:1.27-alpine', 'envoy:1.31') });
      const seen = new Set<string>();
      stage.world.onCommit(({ resource, object }) => {
        if (resource === 'pods') seen.add(running(object as Pod));
      });
      const ready = await watchReady(stage);
      await stage.sync();
      await stage.until('Succeeded');
      expect([...seen]).toEqual([
        'nginx:1.25-alpine envoy:1.30',
        'nginx:1.25-alpine envoy:1.31',
        'nginx:1.27-alpine envoy:1.31',
      ]);
      expect(ready.lowest).toBe(2);
      for (const pod of await stage.pods())
        expect(pod.status?.containerStatuses?.map(({ restartCount }) => restartCount)).toEqual([1, 1]);
    },
  },
  {
    file: 'launch-order',
    title: 'Three containers of one pod that start one after the other',
    summary:
      'The template has the annotation for the order of containers. The ConfigMap of each pod first has the key of the first container; the keys of the others follow as those before become ready. A pod that is added later starts in the same order. An update of two images in place keeps it.',
    files: { [MANIFEST]: ordered(['nginx:1.25-alpine', 'redis:7.2', 'envoy:1.30'], 2) },
    async play(stage, expect) {
      // Each container takes long to be ready: without an order all three would run meanwhile.
      for (const image of ['nginx:1.25-alpine', 'redis:7.2', 'envoy:1.30'])
        stage.world.images.set(image, { readyMs: 4_000 });
      const seen = new Set<string>();
      stage.world.onCommit(({ resource, object }) => {
        if (resource === 'pods') seen.add(progress(object as Pod));
      });
      await settled(stage);
      // No container runs before those before it are ready.
      expect([...seen]).toEqual(['---', 'r--', 'R--', 'Rr-', 'RR-', 'RRr', 'RRR']);
      await stage.commit('three replicas', {
        [MANIFEST]: ordered(['nginx:1.25-alpine', 'redis:7.2', 'envoy:1.30'], 3),
      });
      await stage.sync();
      await settled(stage);
      expect([...seen]).toHaveLength(7);
      const before = await stage.pods();
      expect(before).toHaveLength(3);
      for (const { metadata } of before)
        expect(metadata.annotations?.['apps.kruise.io/container-launch-priority-completed']).toBe('true');
      await stage.commit('two images', {
        [MANIFEST]: ordered(['nginx:1.25-alpine', 'redis:7.4', 'envoy:1.31'], 3),
      });
      const images = new Set<string>();
      stage.world.onCommit(({ resource, object }) => {
        if (resource === 'pods') images.add(running(object as Pod));
      });
      await stage.sync();
      await stage.until('Succeeded');
      expect([...images]).toEqual([
        'nginx:1.25-alpine redis:7.2 envoy:1.30',
        'nginx:1.25-alpine redis:7.4 envoy:1.30',
        'nginx:1.25-alpine redis:7.4 envoy:1.31',
      ]);
    },
  },
];
