import { describe, expect, it } from 'vitest';
import { readRuntimeConfig } from '../../../runtime/check/config.ts';

const http = { url: 'http://web/' };
const prometheus = { address: 'http://prometheus:9090', query: 'up' };

function problemsOf(value: unknown): string[] {
  const read = readRuntimeConfig(value);
  return 'problems' in read ? read.problems : [];
}

/** The problems of one check, without the path to it. */
function problemsOfCheck(check: object): string[] {
  const all = problemsOf({ checks: [{ name: 'a', ...check }] });
  return all.map((problem) => problem.replace(/^checks\.0\.?/, ''));
}

describe('the configuration of the runtime', () => {
  it('is returned if it has no problem', () => {
    const config = {
      checks: [
        {
          name: 'error-rate',
          prometheus: {
            address: 'https://prometheus.monitoring.svc:9090/tenant/',
            query: 'sum(rate(errors{service="{service}",namespace="{namespace}"}[5m]))',
          },
          pass: { below: 0.05 },
          interval: '1m',
          failures: 3,
          args: { service: { pattern: '^[a-z]+$', maxLength: 63 } },
        },
        {
          name: 'alive',
          http: { url: 'http://web/{namespace}', headers: { Authorization: 'Bearer x' } },
          pass: {},
        },
        {
          name: 'queue',
          http: { url: 'http://127.0.0.1/', json: '/depth/0' },
          pass: { atMost: 5, atLeast: 0 },
        },
        { name: 'least', http, interval: '5s' },
        { name: 'most', http, interval: '5m' },
      ],
      addresses: ['10.0.0.0/8', '127.0.0.1', 'fd00::/8'],
    };
    expect(readRuntimeConfig(config)).toEqual({ config });
    expect(readRuntimeConfig({ checks: [] })).toEqual({ config: { checks: [] } });
  });

  it.each([
    [undefined, ['configuration: must be object']],
    [null, ['configuration: must be object']],
    [[], ['configuration: must be object']],
    [{}, ['configuration: missing field "checks"']],
    [{ checks: {} }, ['checks: must be array']],
    [{ checks: [null, 1] }, ['checks.0: must be object', 'checks.1: must be object']],
    [{ checks: [], check: [] }, ['configuration: unknown field "check"']],
    [JSON.parse('{"checks":[],"__proto__":{}}'), ['configuration: unknown field "__proto__"']],
    [{ checks: [], addresses: [1] }, ['addresses.0: must be string']],
    [
      { checks: [], addresses: ['10.0.0.0/33', '10.0.0.1', 'web'] },
      [
        'addresses.0: must be an address or a block of addresses, such as 127.0.0.0/8',
        'addresses.2: must be an address or a block of addresses, such as 127.0.0.0/8',
      ],
    ],
    [
      { checks: [{ http }, { name: 'a' }, { name: 'a', http, prometheus, pass: { below: 1 } }] },
      [
        'checks.0: missing field "name"',
        'checks.1: must have exactly one of http, prometheus',
        'checks.2: must have exactly one of http, prometheus',
        'checks.2.name: is already the name of another check',
      ],
    ],
    [
      { checks: ['pods', 'nodes', 'Web', '-', ''].map((name) => ({ name, http })) },
      [
        'checks.2.name: must match ^[a-z0-9]([-a-z0-9]*[a-z0-9])?$',
        'checks.3.name: must match ^[a-z0-9]([-a-z0-9]*[a-z0-9])?$',
        'checks.4.name: must have at least 1 characters',
        'checks.4.name: must match ^[a-z0-9]([-a-z0-9]*[a-z0-9])?$',
        'checks.0.name: pods is built in; a check needs another name',
        'checks.1.name: nodes is built in; a check needs another name',
      ],
    ],
  ])('%j', (value, problems) => {
    expect(problemsOf(value)).toEqual(problems);
  });

  const needs = 'pass: needs a bound for the number: below, above, atMost or atLeast';
  const statusOnly = 'pass: has a bound, but no number to compare; set http.json, or remove the bound';
  it.each([
    [{ http: { url: 'web' } }, ['http.url: must begin with http:// or https://']],
    [{ http: { url: 'ftp://web/' } }, ['http.url: must begin with http:// or https://']],
    [{ http: {} }, ['http: missing field "url"']],
    [{ http, pass: { below: 1 } }, [statusOnly]],
    [{ http: { ...http, json: '/n' } }, [needs]],
    [{ http: { ...http, json: '/n' }, pass: {} }, [needs]],
    [{ http: { ...http, json: '' } }, [needs]],
    [{ http: { ...http, json: 'n' }, pass: { below: 1 } }, [expect.stringMatching(/^http.json: must match/)]],
    [
      { http: { ...http, json: '/\u001b' }, pass: { below: 1 } },
      [expect.stringMatching(/^http.json: must match/)],
    ],
    [{ http: { ...http, json: '/{x}' }, pass: { below: 1 } }, ['http.json: must have no placeholder: {x}']],
    [{ prometheus }, [needs]],
    [{ prometheus, pass: { below: '1' } }, ['pass.below: must be number']],
    [{ prometheus, pass: { below: Infinity } }, ['pass.below: must be number']],
    [{ prometheus, pass: { under: 1 } }, ['pass: unknown field "under"', needs]],
    [{ prometheus, pass: { below: 1, above: 2 } }, ['pass: has bounds that no number satisfies']],
    [
      { prometheus: { ...prometheus, address: 'http://{x}:9090' }, pass: { below: 1 } },
      ['prometheus.address: must have no placeholder'],
    ],
    [
      { prometheus: { ...prometheus, address: 'http://prometheus/?x=1' }, pass: { below: 1 } },
      ['prometheus.address: must have no query'],
    ],
    [
      { prometheus: { ...prometheus, address: 'http://a:b@prometheus/' }, pass: { below: 1 } },
      ['prometheus.address: must not contain a user name or password'],
    ],
    [
      { prometheus: { ...prometheus, query: 'up[{w}]' }, pass: { below: 1 }, args: { w: {} } },
      ['prometheus.query: {w} must be within quotes'],
    ],
    [
      { http: { url: 'http://127.0.0.1:9090/' } },
      ['http.url: has a loopback address as its host; list it in addresses to allow it'],
    ],
    [
      { prometheus: { ...prometheus, address: 'http://[::1]:9090' }, pass: { below: 1 } },
      ['prometheus.address: has a loopback address as its host; list it in addresses to allow it'],
    ],
    [{ http, interval: '4s' }, ['interval: must be from 5s to 5m']],
    [{ http, interval: '301s' }, ['interval: must be from 5s to 5m']],
    [{ http, interval: '9999999999h' }, ['interval: must be from 5s to 5m']],
    [{ http, interval: 30 }, ['interval: must be string']],
    [{ http, failures: 0 }, ['failures: must be at least 1']],
    [{ http, failures: 1.5 }, ['failures: must be integer']],
    [
      { http: { url: 'http://web/{x}/{y}/{x}' }, args: { y: {} } },
      ['http.url: uses {x}, which args does not declare'],
    ],
    [{ http: { url: 'http://web/{toString}' } }, ['http.url: uses {toString}, which args does not declare']],
    [{ http, args: { x: {} } }, ['args.x: is used by no placeholder']],
    [
      { http: { url: 'http://web/{namespace}' }, args: { namespace: {} } },
      ['args.namespace: is always the namespace of the plan; remove it'],
    ],
    [
      { http, args: { 'a-b': {} } },
      ['args.a-b: is not a valid argument name: a letter, then letters, digits and _'],
    ],
    [
      { http, args: { '\u001b': {} } },
      ['args."\\u001b": is not a valid argument name: a letter, then letters, digits and _'],
    ],
    [
      { http: { url: 'http://web/{x}' }, args: { x: { pattern: '^(a$' } } },
      ['args.x.pattern: is not a regular expression as Go reads it (RE2)'],
    ],
    [
      { http: { url: 'http://web/{x}' }, args: { x: { pattern: '^a)|(b$' } } },
      ['args.x.pattern: is not a regular expression as Go reads it (RE2)'],
    ],
    [
      { http: { url: 'http://web/{x}' }, args: { x: { pattern: 'a' } } },
      [expect.stringMatching(/^args.x.pattern: must match/)],
    ],
    [
      { http: { url: 'http://web/{x}' }, args: { x: { maxLength: 1025 } } },
      ['args.x.maxLength: must be at most 1024'],
    ],
    [
      {
        http: {
          ...http,
          headers: {
            Cookie: 'a',
            hOsT: 'b',
            'A b': 'c',
            'X-A': 'a\r\nX-B: c',
            'x-a': '{y}',
            'Proxy-Authorization': '',
          },
        },
      },
      [
        'http.headers.Cookie: is a header that a check cannot set',
        'http.headers.hOsT: is a header that a check cannot set',
        'http.headers."A b": is not a valid header name',
        'http.headers.X-A: must be printable ASCII',
        'http.headers.x-a: must have no placeholder: {y}',
        'http.headers.Proxy-Authorization: is a header that a check cannot set',
        'http.headers.x-a: is set twice',
      ],
    ],
  ])('of a check: %j', (check, problems) => {
    expect(problemsOfCheck(check)).toEqual(problems);
  });

  it('has all its problems reported at once', () => {
    const checks = [
      { name: 'a', http: { url: 'web', colour: 1 }, interval: '1s', failures: '1' },
      { name: 'a', prometheus: { ...prometheus, query: '"' }, pass: { above: 1, below: 0 } },
    ];
    expect(problemsOf({ checks, addresses: ['x'] })).toEqual([
      'addresses.0: must have at least 2 characters',
      'checks.0.failures: must be integer',
      'checks.0.http: unknown field "colour"',
      'checks.0.http.url: must begin with http:// or https://',
      'checks.0.interval: must be from 5s to 5m',
      'checks.1.prometheus.query: has a string without a closing "',
      'checks.1.pass: has bounds that no number satisfies',
      'checks.1.name: is already the name of another check',
    ]);
  });
});
