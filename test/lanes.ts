import { drawn } from './random.ts';
import { seed } from './seed.ts';

/**
 * `npm test` plays a sample of each long list. `npm run test:full` plays every case, but a larger sample of the lists that
 * grow with every kind. `KRUISE_TEST=all` plays those whole, too, for as long as it takes.
 */
export const isAll = process.env['KRUISE_TEST'] === 'all';
export const isFull = isAll || process.env['KRUISE_TEST'] === 'full';

/** The changed kinds, in lower case: the full lane plays more of their worlds. `lane-seed.ts` finds them and prints them. */
export const wholeKinds: ReadonlySet<string> = new Set(
  (process.env['KRUISE_TEST_KINDS'] ?? '').toLowerCase().split(',').filter(Boolean),
);

/**
 * `count` of the cases in their order: which, hangs on the seed and the list's name. In the full lane all of them, or
 * `inFull` where even that one has no time for all.
 */
export function sampled<Case>(
  name: string,
  cases: readonly Case[],
  count: number,
  inFull = Infinity,
): readonly Case[] {
  return drawn(seed, name, cases, isAll ? Infinity : isFull ? inFull : count);
}

/** How often something is tried: in full, or `share` of it (0 to 1). */
export function shareOf(count: number, share: number): number {
  return isFull ? count : Math.ceil(count * share);
}
