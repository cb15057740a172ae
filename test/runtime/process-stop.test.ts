import { describe, expect, test } from 'vitest';
import { createRuntime, type Runtime } from '../../runtime/runtime.ts';
import { sampled } from '../lanes.ts';
import { holdAgainst, isConflict, outcome } from '../crash/compare.ts';
import { undisturbed } from '../crash/disturbances.ts';
import { type CrashStory, type Disturbance, play } from '../crash/play.ts';
import { around, type Call, isWrite } from '../crash/port.ts';
import { inPlace, recreation } from '../crash/stories.ts';

const ANSWER_MS = 40;
const AWAY_MS = 5_000;

interface Stops {
  calls: number;
  /** Writes that were sent after `stop()` had been called, in words. */
  late: string[];
  /** Milliseconds that `stop()` took, and what it said. */
  took: number;
  rested: boolean | undefined;
  /** Writes still without an answer when `stop()` had said that it was over. */
  open: number;
}

/** The runtime is told to stop while its k-th write is under way, and another one starts after it. */
function stopsAt(k: number, seen: Stops): Disturbance {
  return {
    leniencyMs: 10_000,
    start(world, clock, errors) {
      let open = 0;
      let stopping = false;
      const begin = (): Runtime => {
        const runtime = createRuntime({
          cluster: around(world.cluster('kruise'), {
            async request(call: Call, send) {
              if (!isWrite(call)) return send();
              if (stopping) seen.late.push(`${call.verb} ${call.name}`);
              seen.calls += 1;
              open += 1;
              if (seen.calls === k) clock.after(ANSWER_MS / 2, stop);
              await new Promise<void>((resolve) => {
                clock.after(ANSWER_MS, resolve);
              });
              try {
                return await send();
              } finally {
                open -= 1;
              }
            },
            watch: (_call, opened, sink) => opened(sink),
          }),
          clock,
          policy: 'Required',
          onError: (_key, error) => errors.push(error),
        });
        runtime.start();
        return runtime;
      };
      const stop = (): void => {
        const began = clock.now();
        stopping = true;
        void present.stop().then((rested) => {
          Object.assign(seen, { took: clock.now() - began, rested, open });
          stopping = false;
          clock.after(AWAY_MS, () => {
            present = begin();
          });
        });
      };
      let present = begin();
      return { stop: () => void present.stop() };
    },
  };
}

const nothing = (): Stops => ({ calls: 0, late: [], took: -1, rested: undefined, open: -1 });
const stories = [inPlace[0], recreation[0]].filter((story): story is CrashStory => story !== undefined);
/** Writes go out sixteen at a time: every second one stands for the one before it. */
const APART = 2;

describe.each(stories.map((story) => [story.title, story] as const))('told to stop: %s', (_, story) => {
  test(
    'at any of its writes, it ends that and begins no other; the next one finishes',
    { timeout: 120_000 },
    async () => {
      const expected = await play(story, undisturbed());
      const all = nothing();
      await play(story, stopsAt(0, all));
      expect(all.calls).toBeGreaterThan(20);
      const places = Array.from({ length: Math.ceil(all.calls / APART) }, (_each, n) => 1 + n * APART);
      const seen: Stops[] = [];
      const trials = sampled(story.title, places, 4).map((write) => {
        const each = nothing();
        seen.push(each);
        return { title: `at write ${write} of ${all.calls}`, how: stopsAt(write, each) };
      });
      await holdAgainst(story, expected, trials, outcome(isConflict));
      for (const each of seen) {
        expect(each).toMatchObject({ late: [], rested: true, open: 0 });
        expect(each.took).toBeLessThanOrEqual(ANSWER_MS);
      }
    },
  );
});

test('a write that is never answered is waited for two and a half seconds', async () => {
  const { createStage, cloneSet } = await import('./stage.ts');
  let silent = false;
  let asked = 0;
  const stage = await createStage(cloneSet('web', 'web:1'), {
    wrap: (cluster) =>
      around(cluster, {
        async request(call, send) {
          if (!silent || !isWrite(call)) return send();
          asked += 1;
          return new Promise<never>(() => {});
        },
        watch: (_call, open, sink) => open(sink),
      }),
  });
  silent = true;
  await stage.change('web:2');
  await stage.clock.advance(1_000);
  expect(asked).toBeGreaterThan(0);
  let rested: boolean | undefined;
  void stage.runtime.stop().then((is) => (rested = is));
  await stage.clock.advance(2_400);
  expect(rested).toBeUndefined();
  await stage.clock.advance(200);
  expect(rested).toBe(false);
  await stage.stop();
});
