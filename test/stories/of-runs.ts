import { resources } from '../../schemas/wire/resources.ts';
import type { StoryCluster } from './stage.ts';
import { held, MANIFEST, type Story } from './story.ts';

const ZONE = 'topology.kubernetes.io/zone';

/** A BroadcastJob `web`, which runs on every node, and ends after five seconds. */
function job(image = 'repair:1', parallelism = 2): string {
  return `apiVersion: apps.kruise.io/v1beta1
kind: BroadcastJob
metadata:
  name: web
  namespace: shop
spec:
  parallelism: ${parallelism}
  template:
    spec:
      restartPolicy: Never
      containers:
      - {name: repair, image: "${image}"}
`;
}

/** One node, a soak, and the rest, one zone at a time. */
const waves = `steps:
- match: {kind: BroadcastJob, namespace: shop}
  batches:
  - {to: 1}
  - {to: 100%, spread: ${ZONE}}
  between: {soak: 10m}
assume: {nodes: 3}
`;

const files = { [MANIFEST]: job(), 'kruise.yaml': waves };

/** `node-1` and `node-3` are in zone a, `node-2` is in zone b. */
const zones: Story['prepare'] = async ({ user }) => {
  for (const [name, zone] of [
    ['node-1', 'a'],
    ['node-2', 'b'],
    ['node-3', 'a'],
  ] as const)
    await user.patch(
      resources.Node,
      { name },
      { type: 'merge', body: { metadata: { labels: { [ZONE]: zone } } } },
    );
};

/** How the repairs of this image end. */
function ends(stage: StoryCluster, image: string, exitCode = 0): void {
  stage.world.images.set(image, { exitAfterMs: 5_000, exitCode });
}

/** The nodes in the order in which they get a pod from now on. */
function watchNodes(stage: StoryCluster): string[] {
  const order: string[] = [];
  stage.world.onCommit(({ resource, object, previous }) => {
    const { nodeName } = (object['spec'] ?? {}) as { nodeName?: string };
    const before = (previous?.['spec'] ?? {}) as { nodeName?: string };
    if (resource === 'pods' && nodeName !== undefined && before.nodeName === undefined) order.push(nodeName);
  });
  return order;
}

const counts = async (stage: StoryCluster): Promise<unknown> => (await stage.target())['status'];

export const runs: readonly Story[] = [
  {
    file: 'run-waves-by-zone',
    title: 'A run on every node, in waves by zone',
    summary:
      'A BroadcastJob is new, and its plan comes with it. It runs on one node, soaks, and then runs on the others, one zone at a time.',
    files,
    prepare: zones,
    async play(stage, expect) {
      ends(stage, 'repair:1');
      const order = watchNodes(stage);
      await stage.sync();
      await stage.until('Soaking');
      expect(order).toEqual(['node-1']);
      await stage.until('Succeeded');
      await stage.run(20_000);
      expect(order).toEqual(['node-1', 'node-3', 'node-2']);
      expect(await counts(stage)).toMatchObject({ phase: 'completed', desired: 3, succeeded: 3 });
    },
  },
  {
    file: 'run-hurts-its-node',
    title: 'A repair that hurts its node is stopped after one',
    summary:
      'The repair exits with 0, and its node has a problem that it did not have before. The soak fails, names the node, and no other node gets a pod.',
    files,
    prepare: zones,
    async play(stage, expect) {
      ends(stage, 'repair:1');
      const order = watchNodes(stage);
      await stage.sync();
      await stage.until('Soaking');
      stage.transcript.note('the kubelet of node-1 reports NetworkUnavailable');
      const conditions = [{ type: 'NetworkUnavailable', status: 'True', reason: 'NoRoute' }];
      await stage.user.patch(
        resources.Node,
        { name: 'node-1' },
        { type: 'strategic', body: { status: { conditions } } },
        { subresource: 'status' },
      );
      await stage.until('Halted');
      await stage.run(3_600_000);
      expect(order).toEqual(['node-1']);
      expect(await held(stage)).toContain(
        'node-1 is worse than before its run, which fails step soak-1: it has the condition NetworkUnavailable',
      );
    },
  },
  {
    file: 'run-fails-and-resumes',
    title: 'A repair that fails on a node, and Resume',
    summary:
      'The repair fails on its first node. Nothing else begins. Once the cause is gone, Resume runs that node again, and the run goes on.',
    files,
    prepare: zones,
    async play(stage, expect) {
      ends(stage, 'repair:1', 1);
      const order = watchNodes(stage);
      await stage.sync();
      await stage.until('Halted');
      await stage.run(600_000);
      expect(order).toEqual(['node-1']);
      ends(stage, 'repair:1');
      stage.transcript.note('what made the repair fail is mended');
      await stage.command('resume', { target: 'BroadcastJob/web' });
      await stage.until('Succeeded');
      await stage.run(20_000);
      expect(order).toEqual(['node-1', 'node-1', 'node-3', 'node-2']);
    },
  },
  {
    file: 'run-pruned-half-way',
    title: 'A run that is pruned and applied again',
    summary:
      'The engine prunes the job after its first node, and applies it again. What ran is on record outside of the job: the first node does not run again, and the plan starts at its step 1.',
    files,
    prepare: zones,
    async play(stage, expect) {
      ends(stage, 'repair:1');
      const order = watchNodes(stage);
      await stage.sync();
      await stage.until('Soaking');
      stage.transcript.note('the job is pruned');
      await stage.user.delete(resources.BroadcastJob, { namespace: 'shop', name: 'web' });
      await stage.run(10_000);
      await stage.sync();
      await stage.until('Succeeded');
      await stage.run(20_000);
      expect(order).toEqual(['node-1', 'node-3', 'node-2']);
    },
  },
];
