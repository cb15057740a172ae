import { describe, expect, test } from 'vitest';
import { createRuntime, type RuntimeOptions } from '../../runtime/runtime.ts';
import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import { sampled } from '../lanes.ts';
import { createCronWorld, planFor, tidy } from '../runtime/cron-world.ts';
import { restored } from './disturbances.ts';
import { type Call, callText, coalesced, crashing, delayed, type Fate, isWrite } from 'kruise-sandbox';

/**
 * Kinds that create children at the times of a schedule, under disturbances: whatever becomes of the runtime, each time has one
 * child of the template that the plan allows, and the plan ends the same.
 */
const STEPS: readonly Step[] = [
  { id: 'first', update: { to: 1 } },
  { id: 'soak', soak: { for: '60s' } },
  { id: 'all', update: { to: '100%' } },
];

type Start = NonNullable<Parameters<typeof createCronWorld>[0]>['start'];

/** A change of a template under a plan; returns what ran, and how it ended. */
async function played(start: Start) {
  const world = await createCronWorld({ ...(start && { start }) });
  await world.apply(tidy());
  await world.until('0:01:40');
  await world.apply(planFor({}, { image: 'tidy:2' }, STEPS), tidy({ image: 'tidy:2' }));
  await world.until('0:07:50');
  const ending = {
    created: [...world.created],
    children: await world.children(),
    plan: (await world.plan()).phase,
    held: (await world.status()).held,
  };
  await world.stop();
  return ending;
}

const expected = {
  created: [
    '00:01 tidy:1',
    '00:02 tidy:2',
    // In the soak the stable template runs.
    '00:03 tidy:1',
    '00:04 tidy:2',
    '00:05 tidy:2',
    '00:06 tidy:2',
    '00:07 tidy:2',
  ],
  children: ['00:05 Complete', '00:06 Complete', '00:07 Complete'],
  plan: 'Succeeded',
  held: '',
};

/** Every call of an undisturbed play. */
async function callsOf(): Promise<Call[]> {
  const calls: Call[] = [];
  const watched = (options: RuntimeOptions) => {
    const fate = (call: Call): Fate => {
      calls.push(call);
      return 'lives';
    };
    return createRuntime({ ...options, cluster: crashing(options.cluster, options.clock, fate, () => {}) });
  };
  expect(await played(watched)).toEqual(expected);
  return calls;
}

describe('ticks under a plan', () => {
  test('run the same wherever the runtime ends, and another continues', { timeout: 300_000 }, async () => {
    const calls = await callsOf();
    const writes = calls.flatMap((call, index) =>
      isWrite(call) ? [[index + 1, callText(call)] as const] : [],
    );
    expect(writes.length).toBeGreaterThan(20);
    const fates: Exclude<Fate, 'lives'>[] = ['unsent', 'unanswered', { arrivesAfterMs: 900 }];
    const ends = writes.flatMap(([k, text]) => fates.map((fate) => [k, text, fate] as const));
    for (const [k, text, fate] of sampled('ticks', ends, 6, 60)) {
      let made = 0;
      const ending = await played((options) => restored(options, () => ((made += 1) === k ? fate : 'lives')));
      expect([k, text, fate, ending]).toEqual([k, text, fate, expected]);
    }
  });

  test('run the same where watches are late or lose events', { timeout: 300_000 }, async () => {
    const slow = await played((options) =>
      createRuntime({ ...options, cluster: delayed(options.cluster, options.clock, () => 3_000) }),
    );
    const sparse = await played((options) =>
      createRuntime({ ...options, cluster: coalesced(options.cluster, options.clock, 7_000) }),
    );
    expect([slow, sparse]).toEqual([expected, expected]);
  });

  test('run once where two runtimes are at work (AC-26)', { timeout: 300_000 }, async () => {
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
