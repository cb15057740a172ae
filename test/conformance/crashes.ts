import { describe, expect, test } from 'vitest';
import { isFull, sampled } from '../lanes.ts';
import { everything, holdAgainst, type Trial } from './compare.ts';
import type { Drawn } from './drawn.ts';
import { endsAt, shortLived, undisturbed } from './disturbances.ts';
import { play } from './play.ts';
import { type Call, callText, type Fate, isWrite } from 'kruise-sandbox';
import type { World } from './subject.ts';

/** Milliseconds after which a request of a process that has ended arrives: while the next process works. */
const ARRIVES_MS = 6_300;
/**
 * The same for a create, which has no version, and is accepted once its name is free again. It arrives before pods that were
 * created meanwhile are deleted. No client can guard against a later execution.
 */
const CREATE_ARRIVES_MS = 900;

/** One trial for each call of the undisturbed run and each way in which it can end. */
function everyEnd(calls: readonly Call[]): Trial[] {
  return calls.flatMap((call, index) => {
    const k = index + 1;
    const trial = (fate: Exclude<Fate, 'lives'>, description: string): Trial => ({
      title: `call ${k} (${callText(call)}) ${description}`,
      how: endsAt(k, fate),
    });
    const unanswered = trial('unanswered', 'done and not answered');
    if (!isWrite(call)) return [unanswered];
    return [
      unanswered,
      trial('unsent', 'not sent'),
      trial(
        { arrivesAfterMs: call.verb === 'create' ? CREATE_ARRIVES_MS : ARRIVES_MS },
        'in flight, and arrives late',
      ),
    ];
  });
}

/** How many of some 150 to 300 trials are run in the sampled lane, and in the full lane without and with `everyCall`. */
const ENDS = 3;
const MANY_ENDS = 6;
const MOST_ENDS = 14;

/** In how many tests the ends of a world with `everyCall` are tried: all of them take longer than one test may. */
const PARTS = 4;

/** The ordinals of the tests of a world. */
function partsOf({ everyCall }: World): [part: number, of: number][] {
  const of = isFull && everyCall === true ? PARTS : 1;
  return Array.from({ length: of }, (_, index) => [index + 1, of]);
}

/** After how many writes each runtime of a series ends. */
const LIFETIMES = [1, 2, 3, 5, 8, 14];

/** A runtime that ends at any call, and runtimes that always end early. */
export function describeCrashes({ title: drawn, subject, worlds }: Drawn): void {
  describe.each(worlds.map((world) => [world.title, world] as const))(`${drawn}: %s`, (_, world) => {
    describe.each(partsOf(world))('part %i of %i', (part, of) => {
      test(
        'the runtime ends at any of its calls, and another continues (IU-47)',
        { timeout: 300_000 },
        async (context) => {
          const calls: Call[] = [];
          const expected = await play(subject, world, undisturbed(calls));
          expect([expected.broken, expected.errors]).toEqual([[], []]);
          expect(calls.filter(isWrite).length).toBeGreaterThan(10);
          const all = sampled(
            world.title,
            everyEnd(calls),
            ENDS,
            world.everyCall === true ? MOST_ENDS : MANY_ENDS,
          );
          const trials = all.filter((_trial, index) => index % of === part - 1);
          await context.annotate(`${calls.length} calls, ${trials.length} ends`, 'kill points');
          await holdAgainst(subject, world, expected, trials, everything);
        },
      );
    });

    test('every runtime ends after a few writes', { timeout: 300_000 }, async () => {
      const expected = await play(subject, world, undisturbed());
      const trials = sampled(world.title, LIFETIMES, 1, 3).map((writes) => ({
        title: `each after ${writes} writes`,
        how: shortLived(writes),
      }));
      await holdAgainst(subject, world, expected, trials, everything);
    });
  });
}
