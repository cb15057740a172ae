import { describe, expect, test, vi } from 'vitest';
import { ApiError } from '../../schemas/wire/cluster.ts';
import { sampled } from '../lanes.ts';
import { holdAgainst, outcome, type Trial } from './compare.ts';
import { refusedAt, undisturbed } from './disturbances.ts';
import { drawnWorlds } from './drawn.ts';
import { worldsOf } from './histories.ts';
import { play } from './play.ts';
import { type Call, callText, isWrite } from './port.ts';

vi.mock('../../semantics/kinds/registered.ts', () => import('../fixture-kind/registered.ts'));

const refusals = [
  { code: 409, reason: 'Conflict' },
  { code: 429, reason: 'TooManyRequests', details: { retryAfterSeconds: 1 } },
  { code: 500, reason: 'InternalError' },
].map((status) => new ApiError({ ...status, message: `injected ${status.reason}` }));

/** How many of them a sample has, of some 100 to 400, and the full lane. */
const TRIALS = 6;
const MANY_TRIALS = 40;

/** Every write of the undisturbed run, refused once in every way there is. */
function everyRefusal(calls: readonly Call[]): Trial[] {
  return calls.filter(isWrite).flatMap((call, index) =>
    refusals.map((refusal) => ({
      title: `write ${index + 1} (${callText(call)}) gets ${refusal.status.code}`,
      how: refusedAt(index + 1, refusal),
    })),
  );
}

// Nothing else changes: only the runtime itself asks for what was refused again.
describe.each(drawnWorlds('refusals', worldsOf))(
  '%s: one write is refused once, and nothing else happens',
  (_kind, subject, worlds) => {
    test.each(worlds.map((world) => [world.title, world] as const))(
      '%s',
      { timeout: 300_000 },
      async (title, world) => {
        const calls: Call[] = [];
        const expected = await play(subject, world, undisturbed(calls));
        expect(calls.filter(isWrite).length).toBeGreaterThan(10);
        const trials = sampled(title, everyRefusal(calls), TRIALS, MANY_TRIALS);
        const isInjected = (error: unknown): boolean => refusals.some((each) => each === error);
        await holdAgainst(subject, world, expected, trials, outcome(isInjected));
      },
    );
  },
);
