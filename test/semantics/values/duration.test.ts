import { expect, it } from 'vitest';
import * as fc from '../../property.ts';
import { formatDuration, maxDurationMs, parseDuration } from '../../../semantics/values/duration.ts';

it.each([
  ['90s', 90_000],
  ['10m', 600_000],
  ['1h30m', 5_400_000],
  ['1h0m5s', 3_605_000],
  ['0s', 0],
  ['720h', maxDurationMs],
])('%s is %i ms', (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

it.each([
  '',
  '10',
  'm',
  '1d',
  '1.5h',
  '-1m',
  '1m1h',
  '1m1m',
  ' 1m',
  '1M',
  '721h',
  '720h1s',
  '9'.repeat(400) + 's',
])('refuses %j', (text) => {
  expect(parseDuration(text)).toBeUndefined();
});

it.each([
  [0, '0s'],
  [-5, '0s'],
  [1, '1s'],
  [59_001, '1m'],
  [90_000, '1m30s'],
  [3_600_000, '1h'],
  [3_605_000, '1h5s'],
])('%i ms reads %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

it('is read back', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: maxDurationMs / 1000 }), (seconds) => {
      expect(parseDuration(formatDuration(seconds * 1000))).toBe(seconds * 1000);
    }),
  );
});
