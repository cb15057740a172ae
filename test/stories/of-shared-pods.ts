import { watchShared } from '../conformance/shared-pods.ts';
import { web } from './manifests.ts';
import { logImages, logSet, SET } from './sidecar-stage.ts';
import { images, MANIFEST, settled, shown, type Story } from './story.ts';

/** One pod first, then the rest. */
const steps = `steps:
- match: {kind: CloneSet}
  batches: [{to: 1}, {to: 100%}]
- match: {kind: SidecarSet}
  batches: [{to: 1}, {to: 100%}]
  between: {soak: 90s}
`;

const REPLICAS = 6;
const MAX_UNAVAILABLE = 2;
const workload = (image: string): string =>
  web({ image, replicas: REPLICAS, maxUnavailable: MAX_UNAVAILABLE });

export const sharedPods: readonly Story[] = [
  {
    file: 'sidecar-and-workload',
    title: 'A CloneSet and a sidecar of its pods are rolled out at the same time',
    summary:
      'One commit changes the image of a CloneSet and that of the sidecar in its pods, and each has a plan. A pod of the new image takes a minute until it is ready. The set first updates the pods that the CloneSet has made unavailable. Then it waits, as the CloneSet allows two unavailable pods, and its plan says so. Four of six pods are available all the time, and none is recreated.',
    files: { 'kruise.yaml': steps, [SET]: logSet({ most: 3 }), [MANIFEST]: workload('nginx:1.25-alpine') },
    sidecars: true,
    async play(stage, expect) {
      stage.world.images.set('nginx:1.26-alpine', { readyMs: 60_000 });
      await settled(stage);
      const before = await stage.pods();
      expect(await logImages(stage)).toEqual({ 'log:1': REPLICAS });
      const broken = watchShared(stage, before, [{ covers: () => true, least: REPLICAS - MAX_UNAVAILABLE }]);
      await stage.commit('nginx 1.26, and log 2', {
        [SET]: logSet({ image: 'log:2', most: 3 }),
        [MANIFEST]: workload('nginx:1.26-alpine'),
      });
      await stage.sync();
      await stage.untilStep('batch-2', 'sidecarset-log');
      await stage.run(10_000);
      expect((await shown(stage, 'sidecarset-log')).message).toContain(
        'CloneSet shop/web allows 2 unavailable pods, and web-',
      );
      await stage.until('Succeeded', 'sidecarset-log');
      await stage.until('Succeeded', 'cloneset-web');
      expect(broken).toEqual([]);
      const after = await stage.pods();
      expect(after.map(({ metadata }) => metadata.uid)).toEqual(before.map(({ metadata }) => metadata.uid));
      expect(await images(stage)).toEqual({ 'nginx:1.26-alpine': REPLICAS });
      expect(await logImages(stage)).toEqual({ 'log:2': REPLICAS });
    },
  },
];
