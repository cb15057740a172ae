import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { crds } from '../../../schemas/generated/crds.ts';
import type { Step } from '../../../schemas/generated/types/rolloutplan.ts';
import type { Cluster, Resource } from '../../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { imagePullJobKind } from '../../../semantics/imagepulljob/kind.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { isPullPod, pullOf } from '../../../semantics/pull/pod.ts';
import { shownPull } from '../../fixtures/pull-jobs.ts';
import { pullJobOf, pullPlan } from '../../semantics/imagepulljob/run-cluster.ts';
import type { KindPlay, Start } from '../plays.ts';

/**
 * Jobs that ask for a plan: whatever becomes of the runtime, no image is pulled to a node twice, no wave is larger than its step allows,
 * and no pod is left.
 */
const MINUTE = 60_000;
const NODES = 6;
const OPS = 'ops';
const AT = { namespace: OPS, name: 'fix' };
const WAVES: Step[] = [
  { id: 'one', run: { to: 1 } },
  { id: 'soak', soak: { for: '2m' } },
  { id: 'agree', approve: {} },
  { id: 'rest', run: { to: '100%', parallelism: 2 } },
];

/** Six nodes, and the runtime. */
async function createPullWorld(start: Start) {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const world = createWorld({ clock, namespaces: ['default', OPS], nodes: NODES, crds: [...crds] });
  const runtime = start({ cluster: world.cluster('kruise'), clock, policy: 'Required', onError: () => {} });
  runtime.start();
  await clock.advance(2 * MINUTE);
  const user = world.cluster('user');
  /** `web:1 node-1`, one for each pod. */
  const pulls: string[] = [];
  const unfinished = new Set<string>();
  let most = 0;
  world.onCommit(({ resource, type, object, previous }) => {
    if (resource !== 'pods' || !isPullPod(object)) return;
    const { metadata, spec, status } = object as Pod;
    if (previous === undefined) pulls.push(`${spec.containers[0]?.image ?? ''} ${pullOf(object).node}`);
    if (type === 'DELETED' || status?.phase === 'Failed') unfinished.delete(metadata.name);
    else unfinished.add(metadata.name);
    most = Math.max(most, unfinished.size);
  });
  const put = async (resource: Resource, object: KubeObject): Promise<void> => {
    const { namespace = '', name } = object.metadata;
    const body = object as unknown as JsonObject;
    await user.patch(resource, { namespace, name }, { type: 'apply', body, force: true }, BY);
  };
  let commands = 0;
  return {
    ...{ clock, user, pulls },
    /** A commit: the job with this image, and the plan for it. Returns the digest of the plan. */
    async commit(run: number, supersedes: readonly string[] = []): Promise<string> {
      const spec = pullPlan(run, WAVES, supersedes.length === 0 ? {} : { supersedes: [...supersedes] });
      await put(resources.RolloutPlan, {
        apiVersion: 'plan.kruise.io/v1alpha1',
        kind: 'RolloutPlan',
        metadata: { name: 'imagepulljob-fix', namespace: OPS },
        spec,
      });
      const { uid: _uid, ...metadata } = pullJobOf(run, {}).metadata;
      await put(resources.ImagePullJob, { ...pullJobOf(run, {}), metadata });
      return spec.digest;
    },
    async approve(digest: string): Promise<void> {
      commands += 1;
      const { apiVersion, kind } = pullJobOf(1, {});
      await user.create(resources.RolloutCommand, {
        apiVersion: 'plan.kruise.io/v1alpha1',
        kind: 'RolloutCommand',
        metadata: { namespace: OPS, name: `approve-${commands}` },
        spec: {
          target: { apiVersion, kind, name: 'fix' },
          ...{ action: 'Approve', by: 'mona', step: 'agree', digest },
        },
      });
    },
    async end() {
      const [job, plan] = await Promise.all([
        user.get(resources.ImagePullJob, AT),
        user.get(resources.RolloutPlan, { namespace: OPS, name: 'imagepulljob-fix' }),
      ]);
      const left = await podsIn(user);
      await Promise.all([runtime.stop(), clock.settle()]);
      world.stop();
      await clock.settle();
      const { phase } = (plan['status'] ?? {}) as JsonObject;
      return { shown: shownPull(job), plan: phase, pulls: [...pulls].sort(), most, left };
    },
  };
}

const BY = { fieldManager: 'user' };

async function podsIn(user: Cluster): Promise<number> {
  return (await user.list(resources.Pod, { namespace: OPS })).items.length;
}

/** One node, a soak, an approval, and the rest. */
async function playedInWaves(start: Start) {
  const world = await createPullWorld(start);
  const digest = await world.commit(1);
  await world.clock.advance(15 * MINUTE);
  const before = [...world.pulls];
  await world.approve(digest);
  await world.clock.advance(30 * MINUTE);
  return { before, ...(await world.end()) };
}

/** The image of a second commit gets to one node, and a third commit takes it back: the first one goes on where it was. */
async function playedBack(start: Start) {
  const world = await createPullWorld(start);
  const digests: string[] = [];
  for (const run of [1, 2, 1]) {
    digests.push(await world.commit(run, digests));
    await world.clock.advance(15 * MINUTE);
  }
  await world.approve(digests.at(-1) ?? '');
  await world.clock.advance(30 * MINUTE);
  return world.end();
}

const all = Array.from({ length: NODES }, (_, index) => `web:1 node-${index + 1}`);
const ended = {
  shown: `${NODES} desired, 0 active, ${NODES} succeeded, 0 failed: job has completed`,
  plan: 'Succeeded',
  most: 2,
  left: 0,
};
/**
 * After a disturbance that lasts, no more pull at one time. A creation that was on its way while another process led may arrive when the
 * pod of that name has pulled and is gone: it is deleted at once.
 */
const lasting = (ending: unknown): unknown => {
  const { pulls, most, ...rest } = ending as typeof ended & { pulls: string[] };
  return { ...rest, pulls: [...new Set(pulls)], most: Math.max(most, ended.most) };
};
const sends = (writes: readonly string[]): boolean =>
  writes.some((text) => text.includes('pods')) && writes.some((text) => text.includes('controllerrevisions'));
const kind = imagePullJobKind;

export const runs: readonly KindPlay[] = [
  {
    kind,
    title: 'an image in waves of a plan',
    play: playedInWaves,
    expected: { before: ['web:1 node-1'], ...ended, pulls: all },
    sends,
    lasting,
  },
  {
    kind,
    title: 'an image in waves, taken back half way',
    play: playedBack,
    expected: { ...ended, pulls: [...all, 'web:2 node-1'] },
    sends,
    lasting,
  },
];
