import { describe, expect, test, vi } from 'vitest';
import { ApiError } from '../../schemas/wire/cluster.ts';
import { sampled } from '../lanes.ts';
import { holdAgainst, outcome, type Trial } from './compare.ts';
import { refusedAt, refusedFirst, undisturbed } from './disturbances.ts';
import { drawnWorlds } from './drawn.ts';
import { worldsFor } from './worlds.ts';
import { play } from './play.ts';
import { type Call, callText, isWrite } from 'kruise-sandbox';

vi.mock('../../semantics/registry/registered.ts', () => import('../fixture-kind/registered.ts'));

const refusals = [
  { code: 409, reason: 'Conflict' },
  { code: 429, reason: 'TooManyRequests', details: { retryAfterSeconds: 1 } },
  { code: 500, reason: 'InternalError' },
].map((status) => new ApiError({ ...status, message: `injected ${status.reason}` }));

/** How many of some 100 to 400 trials are run in the sampled lane, and in the full lane. */
const TRIALS = 3;
const MANY_TRIALS = 5;

/** What is refused is asked for again within so long, each time. */
const AGAIN_MS = 2_500;
/** Some pods are ready a little later than others, and some batches wait for them. */
const SLACK_MS = 10_000;
/** After an error of the server its clocks count anew what was not written of a minute of soak. */
const SOAK_MS = 60_000;

/** How much later a play may end in which so many writes were refused. */
function laterMs({ code }: ApiError['status'], refused: number): number {
  return refused * AGAIN_MS + SLACK_MS + (code === 500 ? SOAK_MS : 0);
}

/** One trial for each write of the undisturbed run and each refusal. */
function everyRefusal(calls: readonly Call[]): Trial[] {
  return calls.filter(isWrite).flatMap((call, index) =>
    refusals.map((refusal) => ({
      title: `write ${index + 1} (${callText(call)}) gets ${refusal.status.code}`,
      how: refusedAt(index + 1, refusal),
      laterMs: () => laterMs(refusal.status, 1),
    })),
  );
}

/** Every write, refused at its first try: whatever is not asked for again is missing at the end, or late. */
function everyFirstTry(): Trial[] {
  return refusals.map((refusal) => {
    const counts = { refused: 0 };
    return {
      title: `every first try gets ${refusal.status.code}`,
      how: refusedFirst(refusal, counts),
      laterMs: () => laterMs(refusal.status, counts.refused),
    };
  });
}

// Nothing else changes, so the runtime must retry by itself.
describe.each(drawnWorlds('refusals', worldsFor.refusals))(
  '$title: one write is refused once, and nothing else happens',
  ({ subject, worlds }) => {
    test.each(worlds.map((world) => [world.title, world] as const))(
      '%s',
      { timeout: 300_000 },
      async (title, world) => {
        const calls: Call[] = [];
        const expected = await play(subject, world, undisturbed(calls));
        expect(calls.filter(isWrite).length).toBeGreaterThan(10);
        const trials = [...everyFirstTry(), ...sampled(title, everyRefusal(calls), TRIALS, MANY_TRIALS)];
        const isInjected = (error: unknown): boolean => refusals.some((each) => each === error);
        await holdAgainst(subject, world, expected, trials, outcome(isInjected));
      },
    );
  },
);
