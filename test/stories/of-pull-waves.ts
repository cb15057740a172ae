import { resources } from '../../schemas/wire/resources.ts';
import { shownPull } from '../fixtures/pull-jobs.ts';
import { counts } from './run-stage.ts';
import type { StoryCluster } from './stage.ts';
import { MANIFEST, shown, type Story } from './story.ts';

const IMAGE = 'nginx:1.27-alpine';

const job = `apiVersion: apps.kruise.io/v1beta1
kind: ImagePullJob
metadata:
  name: web
  namespace: shop
  annotations: {plan.kruise.io/policy: Required}
spec:
  image: "${IMAGE}"
  parallelism: 2
  pullPolicy: {backoffLimit: 1}
  completionPolicy: {type: Always}
`;

const waves = `steps:
- match: {kind: ImagePullJob, namespace: shop}
  batches:
  - {to: 1}
  - {to: 50%}
  - {to: 100%}
  between: {soak: 10m}
assume: {nodes: 4}
`;

const files = { [MANIFEST]: job, 'kruise.yaml': waves };

/** The nodes in the order in which a pod pulls to them. */
function watchNodes({ world }: StoryCluster): string[] {
  const order: string[] = [];
  world.onCommit(({ resource, object, previous }) => {
    const node = object.metadata.annotations?.['plan.kruise.io/pull-node'];
    if (resource === 'pods' && previous === undefined && node !== undefined) order.push(node);
  });
  return order;
}

export const pullWaves: readonly Story[] = [
  {
    file: 'pull-waves',
    title: 'Pull in waves, with a registry that fails on one node',
    summary:
      'An ImagePullJob asks for a plan by its annotation. It pulls to one node, soaks, and pulls to a second one, for which the registry fails twice. The plan halts, and no other node begins. Once the registry works, Resume pulls to that node again, and the plan goes on. The job is pruned and applied again: no node pulls twice.',
    files,
    prepare: ({ world }) => {
      world.nodes.add('node-4');
      return Promise.resolve();
    },
    async play(stage, expect) {
      const order = watchNodes(stage);
      stage.world.onCommit(({ resource, object }) => {
        const node = object.metadata.annotations?.['plan.kruise.io/pull-node'];
        if (resource === 'pods' && node !== undefined)
          stage.world.images.set(IMAGE, { pullError: isBroken && node === 'node-2' });
      });
      let isBroken = true;
      await stage.sync();
      await stage.until('Soaking');
      expect(order).toEqual(['node-1']);
      await stage.until('Halted');
      await stage.run(600_000);
      expect(order).toEqual(['node-1', 'node-2', 'node-2']);
      expect((await shown(stage)).message).toContain('failed on node-2 (ImagePullBackOff');
      isBroken = false;
      stage.world.images.set(IMAGE, {});
      stage.transcript.note('the registry works again');
      await stage.command('resume', { target: 'ImagePullJob/web' });
      await stage.until('Succeeded');
      await stage.run(20_000);
      expect(order).toEqual(['node-1', 'node-2', 'node-2', 'node-2', 'node-3', 'node-4']);
      expect(shownPull({ ...(await stage.target()) })).toBe(
        '4 desired, 0 active, 4 succeeded, 0 failed: job has completed',
      );
      stage.transcript.note('the job is pruned');
      await stage.user.delete(resources.ImagePullJob, { namespace: 'shop', name: 'web' });
      await stage.run(10_000);
      await stage.sync();
      await stage.run(60_000);
      expect(order).toHaveLength(6);
      expect(await counts(stage)).toMatchObject({ desired: 4, succeeded: 4 });
    },
  },
];
