import { resources } from '../../schemas/wire/resources.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { web } from './manifests.ts';
import type { StoryCluster } from './stage.ts';
import { shownPull } from '../fixtures/pull-jobs.ts';
import { batches, images, MANIFEST, settled, shown, type Story } from './story.ts';

const OLD = 'nginx:1.25-alpine';
const NEW = 'nginx:1.27-alpine';

const pullThenCanary = `steps:
- match: {kind: CloneSet, namespace: shop}
  pull: {timeout: 10m}
  batches:
  - {to: 5%}
  - {to: 100%}
`;

/** The pods of the namespace by whether they only pull images. */
async function podsOf({ user }: StoryCluster): Promise<{ pulls: Pod[]; units: Pod[] }> {
  const pods = (await user.list(resources.Pod, { namespace: 'shop' })).items as Pod[];
  const isPull = ({ metadata }: Pod): boolean => metadata.labels?.['plan.kruise.io/pull'] !== undefined;
  return { pulls: pods.filter(isPull), units: pods.filter((pod) => !isPull(pod)) };
}

/** The most pods at a time whose containers still wait for their images, from now on. */
function watchPulls({ world }: StoryCluster): { most: number; nodes: Set<string> } {
  const waiting = new Set<string>();
  const found = { most: 0, nodes: new Set<string>() };
  world.onCommit(({ resource, type, object }) => {
    if (resource !== 'pods' || object.metadata.labels?.['plan.kruise.io/pull'] === undefined) return;
    const pod = object as Pod;
    const isOver = type === 'DELETED' || pod.status?.phase === 'Failed';
    if (isOver) waiting.delete(pod.metadata.name);
    else waiting.add(pod.metadata.name);
    found.most = Math.max(found.most, waiting.size);
    found.nodes.add(pod.metadata.annotations?.['plan.kruise.io/pull-node'] ?? '');
  });
  return found;
}

const ahead = (image: string): string =>
  web({ replicas: 6, maxUnavailable: 1, image }).replace(
    '  namespace: shop\n',
    `  namespace: shop
  annotations:
    plan.kruise.io/image-predownload: "true"
    apps.kruise.io/image-predownload-parallelism: "2"
`,
  );

const JOB = 'manifests/pull.yaml';
const job = (spec: string): string => `apiVersion: apps.kruise.io/v1beta1
kind: ImagePullJob
metadata: {name: ahead, namespace: shop}
spec: {image: "${NEW}", ${spec}}
`;

async function shownJob({ user }: StoryCluster): Promise<string> {
  return shownPull(await user.get(resources.ImagePullJob, { namespace: 'shop', name: 'ahead' }));
}

export const pulls: readonly Story[] = [
  {
    file: 'pull-job-before-a-rollout',
    title: 'An ImagePullJob before a rollout, and the registry fails for one node',
    summary:
      'A commit adds a job that pulls the next image to the nodes of the pods of `web`, to one node at a time. For the second node the registry fails twice, and the job ends without it. Its status names the node. The next commit changes the image of `web`: two nodes have it, and the third one pulls it as its pods are updated.',
    files: { 'kruise.yaml': batches.replace(/  between[^]*/, ''), [MANIFEST]: web() },
    async play(stage, expect) {
      await settled(stage);
      const nodes = new Set((await stage.pods()).map(({ spec }) => spec.nodeName));
      const spec =
        'podSelector: {matchLabels: {app: web}}, pullPolicy: {backoffLimit: 1}, completionPolicy: {}';
      await stage.commit('pull nginx 1.27 ahead', { [JOB]: job(spec) });
      const pulled = watchPulls(stage);
      const stop = stage.world.onCommit(({ resource, object }) => {
        const node = object.metadata.annotations?.['plan.kruise.io/pull-node'];
        if (resource === 'pods' && node !== undefined)
          stage.world.images.set(NEW, { pullError: node === 'node-2' });
      });
      await stage.sync();
      await stage.run(120_000);
      stop();
      expect(await shownJob(stage)).toBe(
        '3 desired, 0 active, 2 succeeded, 1 failed (node-2): job has completed',
      );
      expect(pulled.nodes).toEqual(nodes);
      expect((await podsOf(stage)).pulls).toEqual([]);
      stage.transcript.note('the registry works again');
      stage.world.images.set(NEW, {});
      await stage.commit('nginx 1.27', { [MANIFEST]: web({ image: NEW }) });
      await stage.sync();
      await stage.until('Succeeded');
      expect(await images(stage)).toEqual({ [NEW]: 5 });
    },
  },
  {
    file: 'pull-job-that-never-ends',
    title: 'A job that never ends, a node that joins it, and its deletion in the middle of a pull',
    summary:
      'A job of type Never pulls an image to every node. A node that joins gets the image after half a minute. After a day the job pulls anew. Two more nodes join, and somebody deletes the job while they pull: the pods that pull go with it, and the other nodes keep the image.',
    files: {
      [MANIFEST]: web(),
      [JOB]: job('parallelism: 2, imagePullPolicy: Always, completionPolicy: {type: Never}'),
    },
    async play(stage, expect) {
      await settled(stage);
      await stage.run(120_000);
      expect(await shownJob(stage)).toMatch(/^3 desired, 0 active, 3 succeeded, 0 failed/);
      stage.transcript.note('node-4 joins');
      stage.world.nodes.add('node-4');
      await stage.run(120_000);
      expect(await shownJob(stage)).toMatch(/^4 desired, 0 active, 4 succeeded, 0 failed/);
      await stage.run(24 * 60 * 60_000);
      expect(await shownJob(stage)).toMatch(/^4 desired, 0 active, 4 succeeded, 0 failed/);
      stage.transcript.note('node-5 and node-6 join, and the registry is slow');
      stage.world.images.set(NEW, { pullMs: 20 * 60_000 });
      for (const name of ['node-5', 'node-6']) stage.world.nodes.add(name);
      await stage.run(120_000);
      expect((await podsOf(stage)).pulls).toHaveLength(2);
      stage.transcript.note('mona deletes the job');
      await stage.user.delete(resources.ImagePullJob, { namespace: 'shop', name: 'ahead' });
      await stage.run(60_000);
      expect((await podsOf(stage)).pulls).toEqual([]);
    },
  },
  {
    file: 'pull-before-canary',
    title: 'A pull before a canary',
    summary:
      'The new image is pulled to every node before the first pod is updated, to one node at a time. The pods that pull never run a program of the image, have no token, and are gone when the canary begins.',
    files: { 'kruise.yaml': pullThenCanary, [MANIFEST]: web() },
    async play(stage, expect) {
      await settled(stage);
      await stage.commit('nginx 1.27', { [MANIFEST]: web({ image: NEW }) });
      const pulled = watchPulls(stage);
      await stage.sync();
      await stage.run(1_000);
      const { pulls: pods, units } = await podsOf(stage);
      expect(pods).toHaveLength(1);
      expect(units.map((pod) => pod.spec.containers[0]?.image)).toEqual(Array(5).fill(OLD));
      await stage.until('Succeeded');
      expect(pulled).toEqual({ most: 1, nodes: new Set(['node-1', 'node-2', 'node-3']) });
      expect((await podsOf(stage)).pulls).toEqual([]);
      expect(await images(stage)).toEqual({ [NEW]: 5 });
    },
  },
  {
    file: 'pull-fails-on-a-node',
    title: 'A pull before a canary, and one node fails',
    summary:
      'The registry breaks while the last node pulls. That node fails in four attempts, so the plan halts before any pod is updated. Once the registry works again, a user resumes the plan, and only the node that lacks the image pulls it.',
    files: { 'kruise.yaml': pullThenCanary, [MANIFEST]: web() },
    async play(stage, expect) {
      await settled(stage);
      await stage.commit('nginx 1.27', { [MANIFEST]: web({ image: NEW }) });
      await stage.sync();
      for (let second = 0; (await shown(stage)).pull?.done !== 2; second++) {
        if (second > 60) throw new Error('two nodes did not get the image');
        await stage.run(1_000);
      }
      stage.transcript.note('the registry breaks');
      stage.world.images.set(NEW, { pullError: true });
      await stage.run(20_000);
      expect((await shown(stage)).pull).toMatchObject({
        ...{ nodes: 3, done: 2, pulling: 1, waiting: 0, failed: 0 },
        listed: [{ node: 'node-3', problem: `ImagePullBackOff ${NEW}` }],
      });
      await stage.until('Halted');
      expect((await shown(stage)).message).toBe(
        `pull: node-3 failed 4 times (ImagePullBackOff ${NEW}); 2 of 3 nodes have the images`,
      );
      await stage.run(5_000);
      expect((await podsOf(stage)).pulls).toEqual([]);
      expect(await images(stage)).toEqual({ [OLD]: 5 });
      stage.transcript.note('the registry works again');
      stage.world.images.set(NEW, {});
      const pulled = watchPulls(stage);
      await stage.command('resume');
      await stage.until('Succeeded');
      expect(pulled.nodes).toEqual(new Set(['node-3']));
      expect(await images(stage)).toEqual({ [NEW]: 5 });
      expect((await podsOf(stage)).pulls).toEqual([]);
    },
  },
  {
    file: 'pull-ahead-in-auto',
    title: 'Images are pulled ahead of an update, in Auto',
    summary:
      'The CloneSet asks for it by an annotation, as OpenKruise does by a gate. While its first pod is updated, the other nodes pull the image, two at a time. The update waits for none of them, and each pod that pulls goes with the last old pod of its node.',
    files: { [MANIFEST]: ahead(OLD) },
    policy: 'Auto',
    async play(stage, expect) {
      await settled(stage);
      const pulled = watchPulls(stage);
      await stage.commit('nginx 1.27', { [MANIFEST]: ahead(NEW) }, { plan: false });
      await stage.sync();
      await stage.run(120_000);
      expect(await images(stage)).toEqual({ [NEW]: 6 });
      expect(pulled.most).toBe(2);
      expect((await podsOf(stage)).pulls).toEqual([]);
    },
  },
];
