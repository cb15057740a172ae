import { resources } from '../../../schemas/wire/resources.ts';
import { createRunWorld, type Fix, MINUTE, ZONE } from '../../runtime/run-world.ts';
import { broadcastJobKind } from '../../../semantics/broadcastjob/kind.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import type { KindPlay, Start } from '../plays.ts';

/**
 * A run on each node: whatever becomes of the runtime, no node runs twice, no wave is larger than its step allows, and no two
 * failure domains run at one time.
 */
const spread = ZONE;
const STEPS = [
  { id: 'one', run: { to: 1, spread } },
  { id: 'agree', approve: {} },
  { id: 'rest', run: { to: '100%', spread } },
];
const NODES = 6;

/** A whole run of a BroadcastJob; returns how it ended. */
async function played(start: Start, parts: Fix = {}) {
  const world = await createRunWorld({ nodes: NODES, start });
  await world.apply(parts, STEPS);
  await world.clock.advance(5 * MINUTE);
  const before = [...world.created];
  await world.command('Approve', { step: 'agree', digest: await digestOf(world) });
  await world.clock.advance(20 * MINUTE);
  const { status } = await world.job();
  const ending = {
    before,
    nodes: [...world.created].sort(),
    zones: world.mostZones,
    plan: (await world.plan()).phase,
    job: [status['phase'], status['succeeded']],
  };
  await world.stop();
  return ending;
}

async function digestOf({ user }: Awaited<ReturnType<typeof createRunWorld>>): Promise<string> {
  const plan = await user.get(resources.RolloutPlan, { namespace: 'ops', name: 'broadcastjob-fix' });
  return (plan['spec'] as { digest: string }).digest;
}

const expected = {
  before: ['node-1'],
  nodes: Array.from({ length: NODES }, (_, index) => `node-${index + 1}`),
  zones: 1,
  plan: 'Succeeded',
  job: ['completed', NODES],
};

const env = [{ name: 'KRUISE_CONTAINER_PRIORITY', value: '1' }];
const inOrder: Fix = {
  pod: {
    containers: [
      { name: 'main', image: 'fix:1' },
      { name: 'first', image: 'fix:2', env },
    ],
  },
};

/** How long the limit of before may still be followed, milliseconds: that of a runtime that sees the target late. */
const LATE_MS = 10_000;

/** `parallelism` is 3, then 1 before the first pods end, then 2: what exceeds it, and the end. */
async function playedWithMoves(start: Start) {
  const world = await createRunWorld({ nodes: NODES, start });
  const { clock } = world;
  const at = (parallelism: number): Fix => ({ spec: { parallelism } });
  const limits = [{ from: clock.now(), most: 3 }];
  const broken: string[] = [];
  const unfinished = new Set<string>();
  world.world.onCommit(({ resource, type, object, previous }) => {
    if (resource !== 'pods') return;
    const { name } = object.metadata;
    const { phase } = (object as Pod).status ?? {};
    if (type === 'DELETED' || phase === 'Succeeded') unfinished.delete(name);
    else unfinished.add(name);
    if (previous !== undefined) return;
    const may = limits.filter((_, index) => (limits[index + 1]?.from ?? Infinity) > clock.now() - LATE_MS);
    const most = Math.max(...may.map((each) => each.most));
    if (unfinished.size > most) broken.push(`${unfinished.size} pods run, ${most} may`);
  });
  await world.apply(at(3), [{ id: 'all', run: { to: '100%' } }]);
  for (const most of [1, 2]) {
    await clock.advance(5_000);
    limits.push({ from: clock.now(), most });
    await world.apply(at(most));
    await clock.advance(20_000);
  }
  await clock.advance(20 * MINUTE);
  const ending = { nodes: [...world.created].sort(), plan: (await world.plan()).phase };
  await world.stop();
  return { ending, broken };
}

export const plays: readonly KindPlay[] = [
  { kind: broadcastJobKind, title: 'a run in waves', play: (start) => played(start), expected },
  {
    kind: broadcastJobKind,
    title: 'a run whose containers start in an order',
    trait: 'ordered',
    play: (start) => played(start, inOrder),
    expected,
    // A ConfigMap for each pod is created, written and deleted.
    sends: (writes) => writes.filter((text) => text.includes('configmaps')).length === NODES * 3,
  },
  {
    kind: broadcastJobKind,
    title: 'a run while its parallelism moves',
    trait: 'limits',
    play: playedWithMoves,
    expected: { ending: { nodes: expected.nodes, plan: 'Succeeded' }, broken: [] },
  },
];
