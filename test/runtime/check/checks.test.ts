import { describe, expect, it } from 'vitest';
import type { CheckRequest } from '../../../semantics/plan/rollout-view.ts';
import { checkFixture, wanting } from './check-stage.ts';

describe('asking', () => {
  it('begins at once and goes on every interval', async () => {
    const { clock, checks: running, asked, heard, options } = checkFixture(200, 503, 200, 200);
    running.want('a', wanting('alive'));
    expect(running.resultOf('a')).toBeUndefined();
    await clock.advance(0);
    expect(asked).toEqual(['0 http://web/']);
    expect(running.resultOf('a')).toEqual({
      digest: 'h1:a',
      step: 'check',
      at: 1_000_000,
      is: 'pass',
      message: 'answered 200',
    });
    expect(options[0]).toMatchObject({
      headers: { 'X-Team': 'shop' },
      timeoutMs: 5000,
      maxBytes: 1_048_576,
    });
    await clock.advance(20_000);
    expect(heard).toEqual(['0 a pass answered 200', '10 a fail answered 503', '20 a pass answered 200']);
  });

  it('asks every 30 s where the configuration does not say', async () => {
    const { clock, checks: running, asked } = checkFixture(200, 200);
    running.want('a', wanting('slow'));
    await clock.advance(30_000);
    expect(asked).toEqual(['0 http://web/slow', '30 http://web/slow']);
  });

  it('never asks while an answer is awaited, and at once when that took longer than the interval', async () => {
    const { clock, checks: running, asked, answer } = checkFixture();
    running.want('a', wanting('alive'));
    await clock.advance(25_000);
    expect(asked).toEqual(['0 http://web/']);
    answer(0, { status: 200, body: '' });
    await clock.advance(4_000);
    expect(asked).toEqual(['0 http://web/', '25 http://web/']);
    answer(1, { status: 200, body: '' });
    await clock.advance(6_000);
    expect(asked).toEqual(['0 http://web/', '25 http://web/', '35 http://web/']);
  });

  it('the same request again changes nothing', async () => {
    const { clock, checks: running, asked } = checkFixture(200, 200);
    const args = { service: 'web', path: 'a' };
    running.want('a', wanting('service', { args }));
    await clock.advance(5_000);
    const result = running.resultOf('a');
    running.want('a', wanting('service', { args: { path: 'a', service: 'web' } }));
    await clock.advance(5_000);
    expect(asked).toHaveLength(1);
    expect(running.resultOf('a')).toBe(result);
  });

  it.each<[string, Partial<CheckRequest>]>([
    ['digest', { digest: 'h1:b' }],
    ['step', { step: 'again' }],
    ['use', { use: 'alive' }],
    ['namespace', { namespace: 'other' }],
    ['an argument', { args: { service: 'api', path: 'a' } }],
    ['a missing argument', { args: { service: 'web' } }],
    ['an argument of another name', { args: { service: 'web', toString: 'a' } }],
  ])('another request forgets the result of the one before: %s', async (_name, change) => {
    const { clock, checks: running, options } = checkFixture(200);
    const request = wanting('service', { args: { service: 'web', path: 'a' } });
    running.want('a', request);
    await clock.advance(0);
    expect(running.resultOf('a')).toMatchObject({ is: 'pass' });
    running.want('a', { ...request, ...change });
    expect(running.resultOf('a')).toBeUndefined();
    expect(options[0]?.signal.aborted).toBe(true);
  });

  it('an answer that comes after its request was dropped is not heard', async () => {
    const { clock, checks: running, asked, heard, answer, options } = checkFixture();
    running.want('a', wanting('alive'));
    await clock.advance(1_000);
    running.want('a', wanting('alive', { step: 'later' }));
    await clock.advance(1_000);
    answer(0, { status: 503, body: '' });
    await clock.advance(0);
    expect(heard).toEqual([]);
    answer(1, { status: 200, body: '' });
    await clock.advance(0);
    expect(heard).toEqual(['2 a pass answered 200']);
    running.want('a', undefined);
    expect(running.resultOf('a')).toBeUndefined();
    await clock.advance(60_000);
    expect(asked).toHaveLength(2);
    expect(options.map(({ signal }) => signal.aborted)).toEqual([true, true]);
  });

  it('what is dropped at once is never asked', async () => {
    const { clock, checks: running, asked } = checkFixture();
    running.want('a', wanting('alive'));
    running.want('a', undefined);
    running.want('b', undefined);
    await clock.advance(60_000);
    expect(asked).toEqual([]);
  });

  it('keys do not wait for each other', async () => {
    const { clock, checks: running, heard, answer } = checkFixture();
    running.want('a', wanting('alive'));
    running.want('b', wanting('alive'));
    await clock.advance(0);
    answer(1, { status: 200, body: '' });
    await clock.advance(0);
    expect(heard).toEqual(['0 b pass answered 200']);
  });

  it('stops for good', async () => {
    const { clock, checks: running, asked, heard, answer, options } = checkFixture(200);
    running.want('a', wanting('alive'));
    await clock.advance(10_000);
    running.stop();
    answer(0, { status: 200, body: '' });
    running.want('b', wanting('alive'));
    await clock.advance(60_000);
    expect(asked).toHaveLength(2);
    expect(heard).toHaveLength(1);
    expect(options[1]?.signal.aborted).toBe(true);
    expect(running.resultOf('a')).toBeUndefined();
  });
});

describe('failing answers in a row', () => {
  it('do not fail the check before there are as many as asked', async () => {
    const { clock, checks: running, heard } = checkFixture(503, 404, 200, 503, 302, 503, 503, 503, 200);
    running.want('a', wanting('patient'));
    await clock.advance(80_000);
    expect(heard.map((each) => each.replace(/^\d+ a /, ''))).toEqual([
      'unknown answered 503 (1 of 3 failing answers in a row)',
      'unknown answered 404 (2 of 3 failing answers in a row)',
      'pass answered 200',
      'unknown answered 503 (1 of 3 failing answers in a row)',
      'unknown the answer is a redirect (302), and redirects are not followed',
      'unknown answered 503 (2 of 3 failing answers in a row)',
      'fail answered 503',
      'fail answered 503',
      'pass answered 200',
    ]);
  });

  it('are counted anew for another request', async () => {
    const { clock, checks: running, heard } = checkFixture(503, 503, 503);
    running.want('a', wanting('patient'));
    await clock.advance(10_000);
    running.want('a', wanting('patient', { step: 'later' }));
    await clock.advance(0);
    expect(heard[2]).toBe('10 a unknown answered 503 (1 of 3 failing answers in a row)');
  });
});
