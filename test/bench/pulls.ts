import { resources } from '../../schemas/wire/resources.ts';
import { newPullPod } from '../../semantics/pull/pod.ts';
import { pullVerdict } from '../../semantics/pull/verdict.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { numberOf, objectOf, textOf } from '../../semantics/values/read.ts';
import { pullJob } from '../fixtures/pull-jobs.ts';
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
  const written = { alone: 0, byJob: 0 };
  const alone = { name: 'by hand', ms: await inWorld(counted(written, 'alone', byHand)) };
  print(
    `sandbox: an image pulled to ${NODES} nodes by pods created and deleted by hand`,
    alone.ms,
    undefined,
  );
  const ms = await inWorld(counted(written, 'byJob', byJob));
  print(`runtime and sandbox: an ImagePullJob to ${NODES} nodes, 100 at a time`, ms, alone);
  const [hand, job] = [written.alone, written.byJob].map((writes) => (writes / NODES).toFixed(2));
  report('ImagePullJob: writes a node, without Events', job ?? '', `by all; by hand ${hand}; the bound: 8`);
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

async function byJob({ user, clock, world }: RunWorld): Promise<void> {
  let isDone = false;
  const left = new Set<string>();
  world.onCommit(({ resource, type, object }) => {
    if (resource === 'pods') left[type === 'DELETED' ? 'delete' : 'add'](object.metadata.name);
    const { completionTime, succeeded } = objectOf(object['status']);
    if (object.kind !== 'ImagePullJob' || textOf(completionTime) === '') return;
    if (numberOf(succeeded) !== NODES) throw new Error(`${numberOf(succeeded)} nodes have the image`);
    isDone = true;
  });
  const job = pullJob('ahead', { image: IMAGE, parallelism: 100 });
  await user.create(resources.ImagePullJob, { ...job, metadata: { ...job.metadata, namespace: OPS } });
  await clock.runUntil(() => isDone && left.size === 0, { what: 'the job', limitMs: 600 * MINUTE });
}
