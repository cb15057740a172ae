import { describe, expect, test, vi } from 'vitest';
import { createRuntime, type Runtime } from '../../runtime/runtime.ts';
import { sampled } from '../lanes.ts';
import { holdAgainst, isConflict, outcome } from './compare.ts';
import { optionsOf, undisturbed } from './disturbances.ts';
import { drawnWorlds } from './drawn.ts';
import { historiesOf } from './histories.ts';
import { type Disturbance, play } from './play.ts';
import { type Call, intercepting, isWrite } from 'kruise-sandbox';

vi.mock('../../semantics/registry/registered.ts', () => import('../fixture-kind/registered.ts'));

const ANSWER_MS = 40;
const AWAY_MS = 5_000;

interface Stops {
  calls: number;
  /** Writes that were sent after `stop()` was called, as texts. */
  sentAfterStop: string[];
  /** Milliseconds that `stop()` took, and its result. */
  took: number;
  rested: boolean | undefined;
  /** Writes without a response when `stop()` had returned. */
  open: number;
}

/** The runtime is stopped while its k-th write is in flight, and another one starts afterwards. */
function stopsAt(k: number, stops: Stops): Disturbance {
  return {
    leniencyMs: 10_000,
    start(here, errors) {
      const { clock } = here;
      const options = optionsOf(here, errors);
      let open = 0;
      let stopping = false;
      const begin = (): Runtime => {
        const runtime = createRuntime({
          ...options,
          cluster: intercepting(options.cluster, {
            async request(call: Call, send) {
              if (!isWrite(call)) return send();
              if (stopping) stops.sentAfterStop.push(`${call.verb} ${call.name}`);
              stops.calls += 1;
              open += 1;
              if (stops.calls === k) clock.after(ANSWER_MS / 2, stop);
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
        });
        runtime.start();
        return runtime;
      };
      const stop = (): void => {
        const startedAt = clock.now();
        stopping = true;
        void present.stop().then((rested) => {
          Object.assign(stops, { took: clock.now() - startedAt, rested, open });
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

const nothing = (): Stops => ({ calls: 0, sentAfterStop: [], took: -1, rested: undefined, open: -1 });
/** The first world of every change, in which nothing else happens. */
const plays = drawnWorlds(
  'stopped',
  (subject) => subject.changes.flatMap((change) => historiesOf(subject, change).slice(0, 1)),
  2,
).flatMap(({ title, subject, worlds }) =>
  worlds.map((world) => [title, world.title, subject, world] as const),
);
/** Every second write is tried: sixteen are sent at a time. */
const APART = 2;

describe.each(plays)('%s: a graceful stop: %s', (_kind, title, subject, world) => {
  test(
    'at any of its writes, it finishes that one and starts no other; the next runtime completes the rollout',
    { timeout: 120_000 },
    async () => {
      const expected = await play(subject, world, undisturbed());
      const all = nothing();
      await play(subject, world, stopsAt(0, all));
      expect(all.calls).toBeGreaterThan(20);
      const writes = Array.from({ length: Math.ceil(all.calls / APART) }, (_each, n) => 1 + n * APART);
      const stops: Stops[] = [];
      const trials = sampled(title, writes, 4).map((write) => {
        const each = nothing();
        stops.push(each);
        return { title: `at write ${write} of ${all.calls}`, how: stopsAt(write, each) };
      });
      await holdAgainst(subject, world, expected, trials, outcome(isConflict));
      for (const each of stops) {
        expect(each).toMatchObject({ sentAfterStop: [], rested: true, open: 0 });
        expect(each.took).toBeLessThanOrEqual(ANSWER_MS);
      }
    },
  );
});
