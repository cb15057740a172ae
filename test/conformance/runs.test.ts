import { describe, expect, test } from 'vitest';
import { createRuntime, type RuntimeOptions } from '../../runtime/runtime.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { sampled } from '../lanes.ts';
import { createRunWorld, type Fix, MINUTE, ZONE } from '../runtime/run-world.ts';
import { restored } from './disturbances.ts';
import { type Call, callText, coalesced, crashing, delayed, type Fate, isWrite } from 'kruise-sandbox';

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

type Start = NonNullable<Parameters<typeof createRunWorld>[0]>['start'];

/** A whole run of a BroadcastJob; returns how it ended. */
async function played(start: Start, parts: Fix = {}) {
  const world = await createRunWorld({ nodes: NODES, ...(start && { start }) });
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

/** Every call of an undisturbed run. */
async function callsOf(parts: Fix = {}): Promise<Call[]> {
  const calls: Call[] = [];
  const watched = (options: RuntimeOptions) => {
    const fate = (call: Call): Fate => {
      calls.push(call);
      return 'lives';
    };
    return createRuntime({ ...options, cluster: crashing(options.cluster, options.clock, fate, () => {}) });
  };
  expect(await played(watched, parts)).toEqual(expected);
  return calls;
}

describe('a run in waves', () => {
  test('ends the same wherever the runtime ends, and another continues', { timeout: 300_000 }, async () => {
    const calls = await callsOf();
    const writes = calls.flatMap((call, index) =>
      isWrite(call) ? [[index + 1, callText(call)] as const] : [],
    );
    expect(writes.length).toBeGreaterThan(20);
    const fates: Exclude<Fate, 'lives'>[] = ['unsent', 'unanswered', { arrivesAfterMs: 900 }];
    const ends = writes.flatMap(([k, text]) => fates.map((fate) => [k, text, fate] as const));
    for (const [k, text, fate] of sampled('runs', ends, 6, 60)) {
      let made = 0;
      const ending = await played((options) => restored(options, () => ((made += 1) === k ? fate : 'lives')));
      expect([k, text, fate, ending]).toEqual([k, text, fate, expected]);
    }
  });

  test('whose containers start in an order ends the same, too', { timeout: 300_000 }, async () => {
    const env = [{ name: 'KRUISE_CONTAINER_PRIORITY', value: '1' }];
    const first = { name: 'first', image: 'fix:2', env };
    const parts: Fix = { pod: { containers: [{ name: 'main', image: 'fix:1' }, first] } };
    const writes = (await callsOf(parts)).flatMap((call, index) =>
      isWrite(call) && /configmaps|pods/.test(callText(call)) ? [[index + 1, callText(call)] as const] : [],
    );
    expect(writes.filter(([, text]) => text.includes('configmaps')).length).toBe(NODES * 3);
    const fates: Exclude<Fate, 'lives'>[] = ['unsent', 'unanswered'];
    const ends = writes.flatMap(([k, text]) => fates.map((fate) => [k, text, fate] as const));
    for (const [k, text, fate] of sampled('ordered runs', ends, 6, 30)) {
      let made = 0;
      const ending = await played(
        (options) => restored(options, () => ((made += 1) === k ? fate : 'lives')),
        parts,
      );
      expect([k, text, fate, ending]).toEqual([k, text, fate, expected]);
    }
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

  test('ends the same where watches are late or lose events', { timeout: 300_000 }, async () => {
    const slow = await played((options) =>
      createRuntime({ ...options, cluster: delayed(options.cluster, options.clock, () => 3_000) }),
    );
    const sparse = await played((options) =>
      createRuntime({ ...options, cluster: coalesced(options.cluster, options.clock, 7_000) }),
    );
    expect([slow, sparse]).toEqual([expected, expected]);
  });

  test('ends the same where two runtimes are at work', { timeout: 300_000 }, async () => {
    const ending = await played((options) => {
      const both = ['a', 'b'].map((identity) => createRuntime({ ...options, identity, onError: () => {} }));
      return {
        start: () => both.forEach((each) => each.start()),
        stop: () => Promise.all(both.map((each) => each.stop())),
      };
    });
    expect(ending).toEqual(expected);
  });
});
