import { hotFiles, meshImages, meshSet, watchMesh } from './hot-stage.ts';
import { SET } from './sidecar-stage.ts';
import { settled, type Story } from './story.ts';

export const hotUpgrades: readonly Story[] = [
  {
    file: 'sidecar-hot-upgrade',
    title: 'A hot upgrade of a sidecar',
    summary:
      'Each pod has two containers of the sidecar `mesh`, one of which is idle. The idle one gets the new image and takes over, and then the other one gets the empty image.',
    files: hotFiles,
    sidecars: true,
    async play(stage, expect) {
      await settled(stage);
      const outages = watchMesh(stage);
      await stage.commit('mesh 2', { [SET]: meshSet('mesh:2') });
      await stage.sync();
      await stage.until('Succeeded');
      expect(await meshImages(stage)).toEqual({ 'empty:1 + mesh:2': 10 });
      expect(outages).toEqual([]);
    },
  },
  {
    file: 'sidecar-hot-upgrade-fails',
    title: 'A hot upgrade whose new container does not take over',
    summary:
      'The hook of the new container fails, so that container restarts. The step fails at once, and the rollout halts. The new container gets the empty image again, and the old one has worked all the time.',
    files: hotFiles,
    sidecars: true,
    async play(stage, expect) {
      stage.world.images.set('mesh:2', { postStartFails: true });
      await settled(stage);
      const outages = watchMesh(stage);
      await stage.commit('mesh 2, which cannot take over', { [SET]: meshSet('mesh:2') });
      await stage.sync();
      await stage.until('Halted');
      await stage.run(120_000);
      expect(await meshImages(stage)).toEqual({ 'mesh:1 + empty:1': 10 });
      expect(outages).toEqual([]);
    },
  },
];
