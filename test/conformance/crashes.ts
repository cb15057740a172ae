import { describe, expect, test } from 'vitest';
import { sampled } from '../lanes.ts';
import { everything, holdAgainst, type Trial } from './compare.ts';
import { endsAt, shortLived, undisturbed } from './disturbances.ts';
import { play } from './play.ts';
import { type Call, callText, type Fate, isWrite } from './port.ts';
import type { Subject, World } from './subject.ts';

/** A request that was under way when its process ended arrives this long after: in the middle of what the next one does. */
const ARRIVES_MS = 6_300;
/**
 * A create names no version, and nothing refuses it once its name is free again. It arrives before pods that were made
 * meanwhile are taken: a server that carries it out later is beyond what a client can guard.
 */
const CREATE_ARRIVES_MS = 900;

/** Every call of the undisturbed run, ended in every way there is. */
function everyEnd(calls: readonly Call[]): Trial[] {
  return calls.flatMap((call, index) => {
    const k = index + 1;
    const trial = (fate: Exclude<Fate, 'lives'>, words: string): Trial => ({
      title: `call ${k} (${callText(call)}) ${words}`,
      how: endsAt(k, fate),
    });
    const unanswered = trial('unanswered', 'done and not answered');
    if (!isWrite(call)) return [unanswered];
    return [
      unanswered,
      trial('unsent', 'not sent'),
      trial(
        { arrivesAfterMs: call.verb === 'create' ? CREATE_ARRIVES_MS : ARRIVES_MS },
        'under way, and late',
      ),
    ];
  });
}

/** How many of them a sample has, of some 150 to 300, and the full lane where not every call is one. */
const ENDS = 3;
const MANY_ENDS = 30;

/** Writes after which each of a row of runtimes ends. */
const LIFETIMES = [1, 2, 3, 5, 8, 14];

/** A runtime that ends at any call, and runtimes that always end early. */
export function describeCrashes(subject: Subject, worlds: readonly World[]): void {
  describe.each(worlds.map((world) => [world.title, world] as const))(
    `${subject.kind.id.kind}: %s`,
    (_, world) => {
      test(
        'the runtime ends at any of its calls, and another goes on (IU-47)',
        { timeout: 300_000 },
        async (context) => {
          const calls: Call[] = [];
          const expected = await play(subject, world, undisturbed(calls));
          expect([expected.broken, expected.errors]).toEqual([[], []]);
          expect(calls.filter(isWrite).length).toBeGreaterThan(10);
          const trials = sampled(
            world.title,
            everyEnd(calls),
            ENDS,
            world.everyCall === true ? Infinity : MANY_ENDS,
          );
          await context.annotate(`${calls.length} calls, ${trials.length} ends`, 'kill points');
          await holdAgainst(subject, world, expected, trials, everything);
        },
      );

      test('no runtime lives for long', { timeout: 300_000 }, async () => {
        const expected = await play(subject, world, undisturbed());
        const trials = sampled(world.title, LIFETIMES, 1).map((writes) => ({
          title: `each after ${writes} writes`,
          how: shortLived(writes),
        }));
        await holdAgainst(subject, world, expected, trials, everything);
      });
    },
  );
}
