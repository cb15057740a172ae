import {
  agent,
  dropOn,
  files,
  fiveNodes,
  imagesOn,
  join,
  NEW,
  newOn,
  OLD,
  podsOn,
  watchDoubled,
  waves,
} from './node-stage.ts';
import { held, MANIFEST, settled, shown, type Story, watchReady } from './story.ts';

const IN_PLACE = 'rollingUpdateType: InPlaceIfPossible, maxUnavailable: 1';
const CANARY = 'maxUnavailable: 1, selector: {matchLabels: {pool: canary}}';

/** Rollouts of a DaemonSet, which has a pod on each node. */
export const onNodes: readonly Story[] = [
  {
    file: 'nodes-canary-then-all',
    title: 'Nodes with a label, then all but two, then all',
    summary:
      'A DaemonSet has a pod on each of five nodes. The first commit updates the nodes with the label `pool: canary`; a pod that is lost elsewhere comes back with the old image. The second one has a partition of two in place of the selector: the two nodes count, and the last one by name follows. The third one takes the rest.',
    files,
    prepare: fiveNodes,
    async play(stage, expect) {
      await settled(stage);
      expect(await imagesOn(stage)).toEqual(newOn());
      await stage.commit('log 2, for the canary', { [MANIFEST]: agent({ image: NEW, strategy: CANARY }) });
      await stage.sync();
      await stage.until('Soaking');
      // Nodes are taken by name, the last one first.
      expect(await imagesOn(stage)).toEqual(newOn(4));
      await stage.until('Succeeded');
      expect(await imagesOn(stage)).toEqual(newOn(2, 4));
      await dropOn(stage, 'node-1');
      await stage.run(60_000);
      expect(await imagesOn(stage)).toEqual(newOn(2, 4));

      const partition = 'maxUnavailable: 1, partition: 2';
      await stage.commit('log 2, for all but two', {
        [MANIFEST]: agent({ image: NEW, strategy: partition }),
      });
      await stage.sync();
      await stage.until('Soaking');
      await stage.until('Succeeded');
      expect(await imagesOn(stage)).toEqual(newOn(2, 4, 5));

      await stage.commit('log 2, for all', { [MANIFEST]: agent({ image: NEW }) });
      await stage.sync();
      await stage.until('Soaking');
      await stage.until('Succeeded');
      expect(await imagesOn(stage)).toEqual(newOn(1, 2, 3, 4, 5));
    },
  },
  {
    file: 'nodes-surging',
    title: 'Each node gets its new pod before it loses the old one',
    summary:
      'With `maxSurge: 2` two nodes at a time have two pods. The old one is deleted once the new one is available, so that no node is ever without a ready pod.',
    files: { ...files, [MANIFEST]: agent({ strategy: 'maxSurge: 2' }) },
    prepare: fiveNodes,
    async play(stage, expect) {
      await settled(stage);
      const ready = await watchReady(stage);
      const doubled = watchDoubled(stage);
      await stage.commit('log 2', { [MANIFEST]: agent({ image: NEW, strategy: 'maxSurge: 2' }) });
      await stage.sync();
      await stage.until('Soaking');
      expect(await imagesOn(stage)).toEqual(newOn(5));
      await stage.until('Succeeded');
      await stage.run(60_000);
      expect(await imagesOn(stage)).toEqual(newOn(1, 2, 3, 4, 5));
      expect(ready.lowest).toBe(5);
      expect(doubled.most).toBe(2);
    },
  },
  {
    file: 'nodes-in-place-one-lost',
    title: 'A node is lost during an update in place',
    summary:
      'Each pod is updated where it is. In the soak after the first node another one stops reporting: it holds nothing up, and the rollout ends with the other four. When the node is back, its pod is updated in place, too.',
    files: { ...files, [MANIFEST]: agent({ strategy: IN_PLACE }) },
    prepare: fiveNodes,
    async play(stage, expect) {
      await settled(stage);
      const before = await podsOn(stage);
      await stage.commit('log 2', { [MANIFEST]: agent({ image: NEW, strategy: IN_PLACE }) });
      await stage.sync();
      await stage.until('Soaking');
      expect(await imagesOn(stage)).toEqual(newOn(5));
      stage.transcript.note('node-3 does not report any more');
      stage.world.nodes.stopKubelet('node-3');
      await stage.until('Succeeded');
      expect(await imagesOn(stage)).toEqual(newOn(1, 2, 4, 5));
      stage.transcript.note('node-3 is back');
      stage.world.nodes.startKubelet('node-3');
      await stage.run(300_000);
      expect(await imagesOn(stage)).toEqual(newOn(1, 2, 3, 4, 5));
      const uids = (pods: typeof before): string[] => Object.values(pods).map(([uid]) => uid);
      expect(uids(await podsOn(stage)).sort()).toEqual(uids(before).sort());
      expect(await held(stage)).toBe('');
    },
  },
  {
    file: 'nodes-join-mid-step',
    title: 'Nodes join in the middle of a step',
    summary:
      'The first step is one node. A node that joins during its soak gets the old image, as that step does not lead to it. A node that joins in the step of all nodes gets the new one.',
    files,
    prepare: fiveNodes,
    async play(stage, expect) {
      await settled(stage);
      await stage.commit('log 2', { [MANIFEST]: agent({ image: NEW }) });
      await stage.sync();
      await stage.until('Soaking');
      await join(stage, 'node-6');
      expect(await imagesOn(stage)).toEqual({ ...newOn(5), 'node-6': OLD });
      await stage.untilStep('batch-2');
      await join(stage, 'node-7');
      const images = await imagesOn(stage);
      expect(images['node-7']).toBe(NEW);
      expect(images['node-1']).toBe(OLD);
      await stage.until('Succeeded');
      await stage.run(60_000);
      expect(await imagesOn(stage)).toEqual({ ...newOn(1, 2, 3, 4, 5), 'node-6': NEW, 'node-7': NEW });
    },
  },
  {
    file: 'nodes-revert-mid-run',
    title: 'git revert while nodes are on their way',
    summary:
      'The commit is reverted when some nodes have the new image. They go back, one at a time, and the others are left as they are. At no time is more than one node without a ready pod.',
    files,
    prepare: fiveNodes,
    async play(stage, expect) {
      await settled(stage);
      const before = await podsOn(stage);
      const ready = await watchReady(stage);
      await stage.commit('log 2', { [MANIFEST]: agent({ image: NEW }) });
      await stage.sync();
      await stage.untilStep('batch-2');
      await stage.run(5_000);
      const moved = Object.values(await imagesOn(stage)).filter((image) => image === NEW).length;
      expect(moved).toBeGreaterThan(1);
      expect(moved).toBeLessThan(5);
      stage.revert('Revert "log 2"', 1);
      await stage.sync();
      await stage.run(120_000);
      expect(await imagesOn(stage)).toEqual(newOn());
      const after = await podsOn(stage);
      // The last by name are taken first.
      expect([after['node-1'], after['node-5']?.[0] === before['node-5']?.[0]]).toEqual([
        before['node-1'],
        false,
      ]);
      expect(ready.lowest).toBe(4);
      expect(await held(stage)).toBe('');
    },
  },
  {
    file: 'nodes-on-delete',
    title: 'OnDelete: nodes get the change when a user deletes their pods',
    summary:
      'The strategy is OnDelete, and a plan bounds it: the first step is one node. For two hours no pod is deleted, and nothing fails. Then the pods of two nodes are deleted: one comes back new, the other old. After the soak the rest may follow.',
    files: { 'kruise.yaml': waves, [MANIFEST]: agent({ strategy: 'OnDelete' }) },
    prepare: fiveNodes,
    async play(stage, expect) {
      await settled(stage);
      await stage.commit('log 2', { [MANIFEST]: agent({ image: NEW, strategy: 'OnDelete' }) });
      await stage.sync();
      await stage.run(7_200_000);
      expect(await imagesOn(stage)).toEqual(newOn());
      expect(await shown(stage)).toMatchObject({ phase: 'Running', step: 'batch-1', boundedBy: 'OnDelete' });
      await dropOn(stage, 'node-1');
      await stage.until('Soaking');
      expect(await imagesOn(stage)).toEqual(newOn(1));
      await dropOn(stage, 'node-2');
      await stage.run(60_000);
      expect(await imagesOn(stage)).toEqual(newOn(1));
      await stage.untilStep('batch-2');
      for (const node of ['node-2', 'node-3', 'node-4', 'node-5']) await dropOn(stage, node);
      await stage.until('Succeeded');
      expect(await imagesOn(stage)).toEqual(newOn(1, 2, 3, 4, 5));
      expect(await held(stage)).toBe('');
    },
  },
];
