import { expect, test } from 'vitest';
import { ApiError } from '../../schemas/wire/cluster.ts';
import { createBackoff } from '../../runtime/observe/backoff.ts';

const error = (code: number): ApiError => new ApiError({ code, reason: 'Any', message: 'any' });

/** The pauses after these answers, milliseconds, without jitter. */
function pausesAfter(...codes: readonly number[]): number[] {
  const pauses: number[] = [];
  const clock = {
    now: () => 0,
    monotonic: () => 0,
    after(ms: number) {
      pauses.push(ms);
      return () => {};
    },
  };
  const backoff = createBackoff(clock, () => 0);
  for (const code of codes) backoff.retry(() => {}, error(code));
  return pauses;
}

test('pauses double up to half a minute', () => {
  expect(pausesAfter(...Array.from({ length: 8 }, () => 503))).toEqual([
    800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000,
  ]);
});

test('a resource that is not served is asked for every two seconds, and soon, whatever the first answer after that is', () => {
  expect(pausesAfter(404, 404, 404, 404, 404, 503, 503)).toEqual([
    800, 1_600, 2_000, 2_000, 2_000, 2_000, 4_000,
  ]);
});
