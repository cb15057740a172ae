import { describe, expect, it } from 'vitest';
import { createChecks } from '../../../runtime/check/checks.ts';
import { readRuntimeConfig } from '../../../runtime/check/config.ts';
import type { GetAnswer } from '../../../runtime/check/get.ts';
import { createVirtualClock } from 'kruise-sandbox/clock';
import { checkFixture, wanting } from './check-stage.ts';

describe('requests of checks', () => {
  it.each([
    ['service', { service: 'web', path: 'a/b' }, 'http://web.shop.svc/a%2Fb'],
    [
      'errors',
      { service: 'a.b' },
      'http://prometheus/x/api/v1/query?query=rate%28errors%7Bservice%3D%22a.b%22%2Cns%3D%22shop%22%7D%5B5m%5D%29',
    ],
    ['open', { any: 'a&b=c#d' }, 'http://prometheus/api/v1/query?query=up%7Ba%3D%22a%26b%3Dc%23d%22%7D'],
  ])('%s with %j', async (use, args, url) => {
    const { clock, checks: running, asked } = checkFixture();
    expect(running.refusal(use, args)).toBeUndefined();
    running.want('a', wanting(use, { args }));
    await clock.advance(0);
    expect(asked).toEqual([`0 ${url}`]);
  });

  const pattern = '^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$';
  const bad = `the argument service of the check errors must match ${pattern}`;
  const names = 'alive, endless, errors, open, patient, service, slow, slug';
  it.each<[string, Record<string, string>, string]>([
    ['none', {}, `the configuration has no such check; it has ${names}`],
    ['toString', {}, `the configuration has no such check; it has ${names}`],
    ['pods', {}, `the configuration has no such check; it has ${names}`],
    ['errors', {}, 'the check errors needs the argument service'],
    ['errors', { service: 'web', team: 'x' }, 'the check errors has no argument team; it has service'],
    ['alive', { team: 'x' }, 'the check alive has no argument team; it has none'],
    [
      'errors',
      { service: 'web', toString: 'x' },
      'the check errors has no argument toString; it has service',
    ],
    [
      'errors',
      { service: 'web', '\u001b[31m': 'x' },
      'the check errors has no argument of that name; it has service',
    ],
    [
      'errors',
      { service: 'web', namespace: 'x' },
      'the argument namespace is always the namespace of the plan; a plan cannot set it',
    ],
    ['errors', { service: '' }, bad],
    ['errors', { service: '"} or vector(1)' }, bad],
    ['errors', { service: '../' }, bad],
    ['errors', { service: 'a.b@evil' }, bad],
    ['errors', { service: '${x}' }, bad],
    [
      'errors',
      { service: 'web\n' },
      'the argument service of the check errors contains a control character or an unpaired surrogate',
    ],
    [
      'open',
      { any: '\ud800' },
      'the argument any of the check open contains a control character or an unpaired surrogate',
    ],
    [
      'errors',
      { service: 'w'.repeat(254) },
      'the argument service of the check errors is longer than 253 characters',
    ],
    [
      'service',
      { service: 'web', path: 'a'.repeat(9) },
      'the argument path of the check service is longer than 8 characters',
    ],
    ['slug', { slug: 'axx' }, 'the argument slug of the check slug must match ^a|b$'],
    [
      'open',
      { any: '"} or vector(1)' },
      'the argument any is part of a query and must contain no quote and no backslash (check open)',
    ],
    [
      'service',
      { service: 'a.b', path: '' },
      'the argument service is part of a host name and must be a DNS label: a-z, 0-9, and - not at the ends, at most 63 characters (check service)',
    ],
    [
      'service',
      { service: 'web', path: '../x' },
      'the argument path is part of a path and must not contain . or .. as a segment (check service)',
    ],
    ['endless', { x: `${'a'.repeat(200)}!` }, 'the argument x of the check endless must match ^(a+)+$'],
  ])('%s with %j is refused, and nothing is sent', async (use, args, sentence) => {
    const { clock, checks: running, asked, results } = checkFixture();
    expect(running.refusal(use, args)).toBe(sentence);
    running.want('a', wanting(use, { args }));
    expect(running.resultOf('a')).toBeUndefined();
    await clock.advance(600_000);
    expect(asked).toEqual([]);
    expect(results).toEqual([`0 a unknown ${sentence}`]);
  });

  it("an argument may have the name of an object's built-in property", () => {
    const read = readRuntimeConfig({
      checks: [{ name: 'a', http: { url: 'http://web/{constructor}' }, args: { constructor: {} } }],
    });
    if ('problems' in read) throw new Error(read.problems.join());
    const get = async (): Promise<GetAnswer> => Promise.resolve({ status: 200, body: '' });
    const running = createChecks({ config: read.config, clock: createVirtualClock(0), get, onResult() {} });
    expect(running.refusal('a', {})).toBe('the check a needs the argument constructor');
    expect(running.refusal('a', { constructor: 'x' })).toBeUndefined();
    expect(running.names).toEqual(['a']);
  });

  it('an invalid namespace sends nothing', async () => {
    const { clock, checks: running, asked, results } = checkFixture();
    running.want('a', wanting('service', { args: { service: 'web', path: '' }, namespace: 'a.b/' }));
    await clock.advance(0);
    expect(asked).toEqual([]);
    expect(results).toEqual([expect.stringContaining('the argument namespace is part of a host name')]);
  });
});
