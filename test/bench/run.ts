import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { createRunWorld, MINUTE, OPS, type RunWorld } from '../runtime/run-world.ts';
import type { Print } from './print.ts';
import type { Report } from './runtime-setup.ts';

export const NODES = 1_000;

const waves: Step[] = Array.from({ length: 10 }, (_, index) => ({
  id: `wave-${index + 1}`,
  run: { to: `${10 * (index + 1)}%` },
}));

/** The CPU time of a BroadcastJob in waves of 10 %, beside the same pods created by hand, in process and on a virtual clock. */
export async function runBench(print: Print, report: Report): Promise<void> {
  const alone = { name: 'by hand', ms: await inWorld(byHand) };
  print(
    `sandbox: a pod on each of ${NODES} nodes, created by hand, until all have finished`,
    alone.ms,
    undefined,
  );
  let writes = 0;
  const ms = await inWorld(async (run) => {
    run.world.onCommit(({ resource }) => void (writes += resource === 'events' ? 0 : 1));
    await inWaves(run);
  });
  print(`runtime and sandbox: a BroadcastJob on ${NODES} nodes in waves of 10 %`, ms, alone);
  report(`BroadcastJob in waves: writes a node, without Events`, (writes / NODES).toFixed(2), 'by all');
}

/** Milliseconds of CPU time in a new world, without its creation. */
export async function inWorld(play: (run: RunWorld) => Promise<void>): Promise<number> {
  const run = await createRunWorld({ nodes: NODES });
  const begun = process.cpuUsage();
  await play(run);
  const { user, system } = process.cpuUsage(begun);
  await run.stop();
  return (user + system) / 1000;
}

async function byHand({ user, clock, world }: RunWorld): Promise<void> {
  let finished = 0;
  world.onCommit(({ resource, object, previous }) => {
    const has = (each: KubeObject | undefined): boolean =>
      (each?.['status'] as { phase?: string } | undefined)?.phase === 'Succeeded';
    if (resource === 'pods' && has(object) && !has(previous)) finished += 1;
  });
  for (let n = 1; n <= NODES; n += 1) {
    await user.create(resources.Pod, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace: OPS, name: `fix-${n}` },
      spec: {
        nodeName: `node-${n}`,
        restartPolicy: 'Never',
        containers: [{ name: 'main', image: 'fix:1' }],
      },
    });
  }
  await clock.runUntil(() => finished === NODES, { what: 'all pods' });
}

async function inWaves({ apply, clock, world }: RunWorld): Promise<void> {
  let isDone = false;
  world.onCommit(({ resource, object }) => {
    const { phase } = (object['status'] ?? {}) as { phase?: string };
    if (resource === 'rolloutplans.plan.kruise.io') isDone = phase === 'Succeeded';
  });
  await apply({ spec: { parallelism: '10%' } }, waves);
  await clock.runUntil(() => isDone, { what: 'the run', limitMs: 600 * MINUTE });
}
