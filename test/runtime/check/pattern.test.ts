import { afterEach, expect, it, vi } from 'vitest';
import { compilePattern, matches } from '../../../runtime/check/pattern.ts';

const endless = compilePattern('^(a+)+$') ?? /x/;
const value = `${'a'.repeat(200)}!`;

afterEach(() => void vi.restoreAllMocks());

it('a pattern that takes too long is stopped', () => {
  expect(matches(endless, value)).toBeUndefined();
});

it('a match without CPU time is tried again', () => {
  const cpuUsage = process.cpuUsage.bind(process);
  const usage = vi.spyOn(process, 'cpuUsage');
  // The first trial was held up: it used nothing.
  usage.mockReturnValueOnce({ user: 0, system: 0 }).mockReturnValueOnce({ user: 0, system: 0 });
  usage.mockImplementation(cpuUsage);
  expect(matches(endless, value)).toBeUndefined();
  // Two readings a trial; a busy machine may hold up more of them.
  expect(usage.mock.calls.length).toBeGreaterThanOrEqual(4);
});

it('a match that never gets CPU time fails', () => {
  vi.spyOn(process, 'cpuUsage').mockReturnValue({ user: 0, system: 0 });
  expect(matches(endless, 'aaa')).toBe(true);
  expect(matches(endless, value)).toBeUndefined();
});
