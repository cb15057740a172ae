import { expect, test } from 'vitest';
import type { RolloutCommand } from '../../schemas/generated/types/rolloutcommand.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { createStoryCluster, type StoryCluster } from '../stories/stage.ts';
import { web } from '../stories/manifests.ts';
import { batches, MANIFEST, settled, shown } from '../stories/story.ts';

const UNKNOWN = `h1:${'0'.repeat(32)}`;

async function answers(stage: StoryCluster): Promise<RolloutCommand['status'][]> {
  const { items } = await stage.user.list(resources.RolloutCommand, { namespace: 'shop' });
  return items.map((object) => (object as unknown as RolloutCommand).status);
}

test.each<[string, (stage: StoryCluster) => Promise<void>]>([
  [
    'a plan waits for its manifest',
    async (stage) => {
      await stage.sync('plans');
      expect((await shown(stage)).phase).toBe('Pending');
    },
  ],
  [
    'a plan runs, and the next one waits',
    async (stage) => {
      await stage.sync();
      await stage.until('AwaitingApproval');
      await stage.commit('the next', { [MANIFEST]: web({ image: 'nginx:1.27-alpine' }) });
      await stage.sync('plans');
    },
  ],
])('a command for an unknown digest, while %s, is answered within fifteen seconds', async (_, reach) => {
  const stage = await createStoryCluster({ files: { 'kruise.yaml': batches, [MANIFEST]: web() } });
  await settled(stage);
  await stage.commit('a new image', { [MANIFEST]: web({ image: 'nginx:1.26-alpine' }) });
  await reach(stage);
  await stage.run(5000);
  await stage.command('pause', { digest: UNKNOWN });
  await stage.run(15_000);
  const digest = String((await shown(stage)).digest);
  expect(await answers(stage)).toEqual([
    {
      result: 'Refused',
      at: expect.any(String) as string,
      message: `Pause by mona: it is for plan ${UNKNOWN}, and the plan here is ${digest}; for the plan here: kruise pause CloneSet/web -n shop --digest ${digest}`,
    },
  ]);
  await stage.stop();
});
