import { resources } from '../../schemas/wire/resources.ts';
import { makeClass } from '../fixtures/storage-class.ts';
import { imageOf, numbered } from './of-ordinals.ts';
import type { StoryCluster } from './stage.ts';
import { batches, MANIFEST, settled, type Story } from './story.ts';

const OLD = 'nginx:1.25-alpine';
const NEW = 'nginx:1.27-alpine';

/** The ordinals on record as made at a new revision; undefined: no revision has a record. */
async function recorded({ user }: StoryCluster): Promise<string | undefined> {
  const { items } = await user.list(resources.ControllerRevision, { namespace: 'shop' });
  return items.map(({ metadata }) => metadata.annotations?.['plan.kruise.io/made-at']).find(Boolean);
}

/** Removes every node, and adds as many others later: all pods are lost at once. */
async function loseNodes({ world, transcript, run }: StoryCluster): Promise<void> {
  transcript.note('node-1, node-2 and node-3 are lost, and node-4 joins');
  for (const name of ['node-1', 'node-2', 'node-3']) world.nodes.remove(name);
  world.nodes.add('node-4');
  await run(180_000);
}

export const lostNodes: readonly Story[] = [
  {
    file: 'ordinals-nodes-lost',
    title: 'All nodes are lost during a canary with data',
    summary:
      'The canary is web-0, by a priority of its StatefulSet, and its claim has been used at the new image. Then all nodes are lost. web-0 comes back on the new image, because the old one may not read its data; all others come back on the old image, web-4 too, though missing pods are created from the highest ordinal down. The record of such ordinals is on the revision, and goes when the rollout is done.',
    files: {
      [MANIFEST]: numbered({ hasData: true, first: 0 }),
      'kruise.yaml': batches.replace('CloneSet', 'StatefulSet'),
    },
    async play(stage, expect) {
      makeClass(stage.world);
      await settled(stage);
      await stage.commit('nginx 1.27', { [MANIFEST]: numbered({ hasData: true, first: 0, image: NEW }) });
      await stage.sync();
      await stage.until('AwaitingApproval');
      const canary = { 'web-0': NEW, 'web-1': OLD, 'web-2': OLD, 'web-3': OLD, 'web-4': OLD };
      expect(await imageOf(stage)).toEqual(canary);
      expect(await recorded(stage)).toBe('0');
      const before = (await stage.pods()).map(({ metadata }) => metadata.uid);
      await loseNodes(stage);
      expect(await imageOf(stage)).toEqual(canary);
      const after = await stage.pods();
      expect(after.filter(({ metadata }) => before.includes(metadata.uid))).toEqual([]);
      expect(after.map(({ status }) => status?.phase)).toEqual(after.map(() => 'Running'));
      await stage.command('approve', { target: 'StatefulSet/web' });
      await stage.until('Succeeded');
      expect(Object.values(await imageOf(stage))).toEqual([NEW, NEW, NEW, NEW, NEW]);
      await stage.run(1_000);
      expect(await recorded(stage)).toBeUndefined();
    },
  },
];
