import { describe, expect, test } from 'vitest';
import { resources } from '../../schemas/wire/resources.ts';
import { createRunWorld, type Fix, MINUTE, ZONE } from '../runtime/run-world.ts';
import { restored } from './disturbances.ts';
import { endAtWrites, endWithPoorWatches, endWithTwo, type Start, writesOf } from './plays.ts';
import { isWrite } from 'kruise-sandbox';

/**
 * Kinds that run once on each node, under disturbances: whatever becomes of the runtime, no node runs twice, no wave is
 * larger than its step allows, and no two failure domains run at one time.
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

describe('a run in waves', () => {
  const play = { play: played, expected };

  test('ends the same wherever the runtime ends, and another continues', { timeout: 300_000 }, async () => {
    const writes = await writesOf(play);
    expect(writes.length).toBeGreaterThan(20);
    await endAtWrites(play, writes, { name: 'runs', most: [6, 60] });
  });

  test('whose containers start in an order ends the same, too', { timeout: 300_000 }, async () => {
    const env = [{ name: 'KRUISE_CONTAINER_PRIORITY', value: '1' }];
    const first = { name: 'first', image: 'fix:2', env };
    const parts: Fix = { pod: { containers: [{ name: 'main', image: 'fix:1' }, first] } };
    const ordered = { play: (start: Start) => played(start, parts), expected };
    const writes = (await writesOf(ordered)).filter(([, text]) => /configmaps|pods/.test(text));
    expect(writes.filter(([, text]) => text.includes('configmaps')).length).toBe(NODES * 3);
    const fates = ['unsent', 'unanswered'] as const;
    await endAtWrites(ordered, writes, { name: 'ordered runs', most: [6, 30], fates });
  });

  test.each([1, 2, 5])(
    'ends the same if every runtime ends after %i writes',
    { timeout: 300_000 },
    async (most) => {
      let writes = 0;
      const ending = await played((options) =>
        restored(options, (call, made) => {
          if (made === 1) writes = 0;
          if (isWrite(call)) writes += 1;
          return writes === most ? 'unanswered' : 'lives';
        }),
      );
      expect(ending).toEqual(expected);
    },
  );

  test('ends the same where watches are late or lose events', { timeout: 300_000 }, () =>
    endWithPoorWatches(play),
  );

  test('ends the same where two runtimes are at work', { timeout: 300_000 }, () => endWithTwo(play));
});
