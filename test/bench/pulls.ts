import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { newPullPod } from '../../semantics/pull/pod.ts';
import { pullVerdict } from '../../semantics/pull/verdict.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { numberOf, objectOf, textOf } from '../../semantics/values/read.ts';
import { pullJob } from '../fixtures/pull-jobs.ts';
import { pullJobOf, pullPlan } from '../semantics/imagepulljob/run-cluster.ts';
import { MINUTE, OPS, type RunWorld } from '../runtime/run-world.ts';
import type { Print } from './print.ts';
import { inWorld, NODES } from './run.ts';
import type { Report } from './runtime-setup.ts';

const IMAGE = 'web:1';
const ATTEMPT_MS = 10 * MINUTE;
/** How long the registry takes for a node. */
const PULL_MS = 20_000;

/** The CPU time and the writes of an ImagePullJob, beside the same pods created and deleted by hand, in process and on a virtual clock. */
export async function pullsBench(print: Print, report: Report): Promise<void> {
  const written = { alone: 0, byJob: 0, inWaves: 0 };
  const alone = { name: 'by hand', ms: await inWorld(counted(written, 'alone', byHand)) };
  print(
    `sandbox: an image pulled to ${NODES} nodes by pods created and deleted by hand`,
    alone.ms,
    undefined,
  );
  const ms = await inWorld(counted(written, 'byJob', byJob));
  print(`runtime and sandbox: an ImagePullJob to ${NODES} nodes, 100 at a time`, ms, alone);
  const inSteps = await inWorld(counted(written, 'inWaves', inWaves));
  print(`runtime and sandbox: an ImagePullJob to ${NODES} nodes in waves of a plan`, inSteps, alone);
  const [hand, job, waves] = [written.alone, written.byJob, written.inWaves].map((writes) =>
    (writes / NODES).toFixed(2),
  );
  report('ImagePullJob: writes a node, without Events', job ?? '', `by all; by hand ${hand}; the bound: 8`);
  report('ImagePullJob in waves: writes a node, without Events', waves ?? '', 'by all; the bound: 8');
}

/** A play of which every write is counted, those of its kubelets, too. */
function counted(
  written: Record<string, number>,
  name: keyof typeof written,
  play: (run: RunWorld) => Promise<void>,
): typeof play {
  return async (run) => {
    run.world.images.set(IMAGE, { pullMs: PULL_MS });
    run.world.onCommit(({ resource }) => {
      if (resource !== 'events') written[name] = (written[name] ?? 0) + 1;
    });
    await play(run);
  };
}

async function byHand({ user, clock, world }: RunWorld): Promise<void> {
  const done = new Set<string>();
  let gone = 0;
  world.onCommit(({ resource, type, object }) => {
    const { name } = object.metadata;
    if (resource !== 'pods') return;
    if (type === 'DELETED') gone += 1;
    else if (
      !done.has(name) &&
      pullVerdict(object as Pod, ATTEMPT_MS, clock.now(), clock.now()).is === 'pulled'
    ) {
      done.add(name);
      void user.delete(resources.Pod, { namespace: OPS, name });
    }
  });
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: OPS, name: 'ahead' } };
  for (let n = 1; n <= NODES; n += 1) {
    const work = { owner, key: 'ahead', images: [IMAGE], podSpec: {}, attemptMs: ATTEMPT_MS };
    const pod = newPullPod(work, `node-${n}`, 1);
    const { ownerReferences: _none, ...metadata } = pod.metadata;
    await user.create(resources.Pod, { ...pod, metadata });
  }
  await clock.runUntil(() => gone === NODES, { what: 'all pods' });
}

async function byJob(run: RunWorld): Promise<void> {
  const job = pullJob('ahead', { image: IMAGE, parallelism: 100 });
  await pulledBy(run, { ...job, metadata: { ...job.metadata, namespace: OPS } });
}

/** One node, a tenth of them, and the rest, with a soak after each. */
const WAVES: Step[] = [
  { id: 'one', run: { to: 1 } },
  { id: 'soak-1', soak: { for: '10m' } },
  { id: 'tenth', run: { to: '10%' } },
  { id: 'soak-2', soak: { for: '10m' } },
  { id: 'rest', run: { to: '100%' } },
];

async function inWaves(run: RunWorld): Promise<void> {
  const { uid: _uid, ...metadata } = pullJobOf(1, {}).metadata;
  await run.user.create(resources.RolloutPlan, {
    apiVersion: 'plan.kruise.io/v1alpha1',
    kind: 'RolloutPlan',
    metadata: { name: 'imagepulljob-fix', namespace: OPS },
    spec: pullPlan(1, WAVES),
  });
  await pulledBy(run, { ...pullJobOf(1, { parallelism: 100 }), metadata });
}

/** Creates the job, and waits until every node has the image and no pod is left. */
async function pulledBy({ user, clock, world }: RunWorld, job: KubeObject): Promise<void> {
  let isDone = false;
  const left = new Set<string>();
  world.onCommit(({ resource, type, object }) => {
    if (resource === 'pods') left[type === 'DELETED' ? 'delete' : 'add'](object.metadata.name);
    const { completionTime, succeeded } = objectOf(object['status']);
    if (object.kind !== 'ImagePullJob' || textOf(completionTime) === '') return;
    if (numberOf(succeeded) !== NODES) throw new Error(`${numberOf(succeeded)} nodes have the image`);
    isDone = true;
  });
  await user.create(resources.ImagePullJob, job);
  await clock.runUntil(() => isDone && left.size === 0, { what: 'the job', limitMs: 600 * MINUTE });
}
