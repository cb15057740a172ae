import { describe, expect, it } from 'vitest';
import type { CheckRequest } from '../../../semantics/plan/rollout-context.ts';
import { checkFixture, wanting } from './check-stage.ts';

describe('requests', () => {
  it('start at once and are repeated at every interval', async () => {
    const { clock, checks: running, asked, results, options } = checkFixture(200, 503, 200, 200);
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
    expect(results).toEqual(['0 a pass answered 200', '10 a fail answered 503', '20 a pass answered 200']);
  });

  it('are repeated every 30 s by default', async () => {
    const { clock, checks: running, asked } = checkFixture(200, 200);
    running.want('a', wanting('slow'));
    await clock.advance(30_000);
    expect(asked).toEqual(['0 http://web/slow', '30 http://web/slow']);
  });

  it('are never concurrent, and start at once if the last one took longer than the interval', async () => {
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

  it('the same check again changes nothing', async () => {
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
  ])('another check deletes the former result: %s', async (_name, change) => {
    const { clock, checks: running, options } = checkFixture(200);
    const request = wanting('service', { args: { service: 'web', path: 'a' } });
    running.want('a', request);
    await clock.advance(0);
    expect(running.resultOf('a')).toMatchObject({ is: 'pass' });
    running.want('a', { ...request, ...change });
    expect(running.resultOf('a')).toBeUndefined();
    expect(options[0]?.signal.aborted).toBe(true);
  });

  it('a response to a canceled request is ignored', async () => {
    const { clock, checks: running, asked, results, answer, options } = checkFixture();
    running.want('a', wanting('alive'));
    await clock.advance(1_000);
    running.want('a', wanting('alive', { step: 'later' }));
    await clock.advance(1_000);
    answer(0, { status: 503, body: '' });
    await clock.advance(0);
    expect(results).toEqual([]);
    answer(1, { status: 200, body: '' });
    await clock.advance(0);
    expect(results).toEqual(['2 a pass answered 200']);
    running.want('a', undefined);
    expect(running.resultOf('a')).toBeUndefined();
    await clock.advance(60_000);
    expect(asked).toHaveLength(2);
    expect(options.map(({ signal }) => signal.aborted)).toEqual([true, true]);
  });

  it('a check that is canceled at once sends nothing', async () => {
    const { clock, checks: running, asked } = checkFixture();
    running.want('a', wanting('alive'));
    running.want('a', undefined);
    running.want('b', undefined);
    await clock.advance(60_000);
    expect(asked).toEqual([]);
  });

  it('keys are independent', async () => {
    const { clock, checks: running, results, answer } = checkFixture();
    running.want('a', wanting('alive'));
    running.want('b', wanting('alive'));
    await clock.advance(0);
    answer(1, { status: 200, body: '' });
    await clock.advance(0);
    expect(results).toEqual(['0 b pass answered 200']);
  });

  it('a stopped instance sends nothing more', async () => {
    const { clock, checks: running, asked, results, answer, options } = checkFixture(200);
    running.want('a', wanting('alive'));
    await clock.advance(10_000);
    running.stop();
    answer(0, { status: 200, body: '' });
    running.want('b', wanting('alive'));
    await clock.advance(60_000);
    expect(asked).toHaveLength(2);
    expect(results).toHaveLength(1);
    expect(options[1]?.signal.aborted).toBe(true);
    expect(running.resultOf('a')).toBeUndefined();
  });
});

describe('failing answers in a row', () => {
  it('fail the check only after the configured number', async () => {
    const { clock, checks: running, results } = checkFixture(503, 404, 200, 503, 302, 503, 503, 503, 200);
    running.want('a', wanting('patient'));
    await clock.advance(80_000);
    expect(results.map((each) => each.replace(/^\d+ a /, ''))).toEqual([
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

  it('are counted from zero for another check', async () => {
    const { clock, checks: running, results } = checkFixture(503, 503, 503);
    running.want('a', wanting('patient'));
    await clock.advance(10_000);
    running.want('a', wanting('patient', { step: 'later' }));
    await clock.advance(0);
    expect(results[2]).toBe('10 a unknown answered 503 (1 of 3 failing answers in a row)');
  });
});
