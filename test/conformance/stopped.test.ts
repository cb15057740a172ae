import { describe, expect, test, vi } from 'vitest';
import { createRuntime, type Runtime } from '../../runtime/runtime.ts';
import { sampled } from '../lanes.ts';
import { holdAgainst, isConflict, outcome } from './compare.ts';
import { optionsOf, undisturbed } from './disturbances.ts';
import { historiesOf } from './histories.ts';
import { type Disturbance, play } from './play.ts';
import { intercepting, type Call, isWrite } from './port.ts';
import { subjects } from './subjects.ts';

vi.mock('../../semantics/kinds/registered.ts', () => import('../fixture-kind/registered.ts'));

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
/** Every change, without anything else in the middle of it. */
const plays = subjects.flatMap((subject) =>
  subject.changes.flatMap((change) =>
    historiesOf(subject, change)
      .slice(0, 1)
      .map((world) => [subject.kind.id.kind, world.title, subject, world] as const),
  ),
);
/** Writes go out sixteen at a time: every second one stands for the one before it. */
const APART = 2;

describe.each(sampled('stopped', plays, 2))('%s: stopped in order: %s', (_kind, title, subject, world) => {
  test(
    'at any of its writes, it ends that and begins no other; the next one finishes',
    { timeout: 120_000 },
    async () => {
      const expected = await play(subject, world, undisturbed());
      const all = nothing();
      await play(subject, world, stopsAt(0, all));
      expect(all.calls).toBeGreaterThan(20);
      const places = Array.from({ length: Math.ceil(all.calls / APART) }, (_each, n) => 1 + n * APART);
      const seen: Stops[] = [];
      const trials = sampled(title, places, 4).map((write) => {
        const each = nothing();
        seen.push(each);
        return { title: `at write ${write} of ${all.calls}`, how: stopsAt(write, each) };
      });
      await holdAgainst(subject, world, expected, trials, outcome(isConflict));
      for (const each of seen) {
        expect(each).toMatchObject({ late: [], rested: true, open: 0 });
        expect(each.took).toBeLessThanOrEqual(ANSWER_MS);
      }
    },
  );
});
