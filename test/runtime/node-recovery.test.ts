import { afterEach, test } from 'vitest';
import { resources } from '../../schemas/wire/resources.ts';
import { timestamp } from '../../semantics/values/timestamp.ts';
import { agent, files, fiveNodes, NEW } from '../stories/node-stage.ts';
import { createStoryCluster, type StoryCluster } from '../stories/stage.ts';
import { MANIFEST, settled } from '../stories/story.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const HOUR_OF_SOAK = { ...files, 'kruise.yaml': files['kruise.yaml'].replace('10m', '1h') };

let stage: StoryCluster | undefined;
afterEach(async () => {
  await stage?.stop();
  stage = undefined;
});

/** The node of the canary is Ready again, as its kubelet writes whose clock differs by so much. */
async function reportReady({ user, clock }: StoryCluster, aheadMs: number): Promise<void> {
  const lastTransitionTime = timestamp(clock.now() + aheadMs);
  const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime }];
  const patch = { type: 'merge', body: { status: { conditions } } } as const;
  await user.patch(resources.Node, { name: 'node-5' }, patch, { subresource: 'status' });
}

/** Of the pod on that node the container is not ready any more. */
async function breakPod({ user, pods }: StoryCluster): Promise<void> {
  const pod = (await pods()).find(({ spec }) => spec.nodeName === 'node-5');
  const conditions = (pod?.status?.conditions ?? []).map((each) =>
    each.type === 'ContainersReady' ? { ...each, status: 'False' } : each,
  );
  const { name = '', namespace = '' } = pod?.metadata ?? {};
  const patch = { type: 'merge', body: { status: { conditions } } } as const;
  await user.patch(resources.Pod, { namespace, name }, patch, { subresource: 'status' });
}

// A machine starts with the wrong time often, and the transition is not written again once it is right.
test.each([
  ['right', 0],
  ['a day behind', -DAY],
  ['a day ahead', DAY],
])(
  'ten minutes after a node is back its broken pod fails the soak, where the clock of the node is %s',
  async (_, aheadMs) => {
    stage = await createStoryCluster({ files: HOUR_OF_SOAK, prepare: fiveNodes });
    await settled(stage);
    await stage.commit('log 2', { [MANIFEST]: agent({ image: NEW }) });
    await stage.sync();
    await stage.until('Soaking');
    // Nobody makes its pods ready from then on.
    stage.world.nodes.stopKubelet('node-5');
    await stage.run(5 * MINUTE);
    await breakPod(stage);
    await reportReady(stage, aheadMs);
    await stage.run(9 * MINUTE);
    await stage.until('Soaking');
    await stage.run(2 * MINUTE);
    await stage.until('Halted');
  },
);
