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
];
