import { describe, expect, it } from 'vitest';
import { fillQuery, parseQuery } from '../../../runtime/check/query.ts';
import { fillUrl, parseUrl } from '../../../runtime/check/url.ts';

type Args = Record<string, string>;

function url(text: string, args: Args = {}): string {
  const parsed = parseUrl(text);
  if ('problem' in parsed) return `problem: ${parsed.problem}`;
  const filled = fillUrl(parsed.template, new Map(Object.entries(args)));
  return 'url' in filled ? filled.url : `refused: ${filled.refusal}`;
}

function query(text: string, args: Args = {}): string {
  const parsed = parseQuery(text);
  if ('problem' in parsed) return `problem: ${parsed.problem}`;
  const filled = fillQuery(parsed.pieces, new Map(Object.entries(args)));
  return 'query' in filled ? filled.query : `refused: ${filled.refusal}`;
}

describe('URLs of the configuration', () => {
  it.each([
    ['http://web.shop.svc:8080/healthz?full=1', 'http://web.shop.svc:8080/healthz?full=1'],
    ['HTTPS://Web.Shop', 'https://web.shop/'],
    ['https://web:443/', 'https://web/'],
    ['http://web:443/', 'http://web:443/'],
    ['http://[fd00::1]:80/x', 'http://[fd00::1]/x'],
    ['http://web?x=1', 'http://web/?x=1'],
    ['http://web/a%20b', 'http://web/a%20b'],
  ])('%s is sent as %s', (text, sent) => {
    expect(url(text)).toBe(sent);
  });

  const blanks = 'must not contain spaces or backslashes; characters beyond ASCII must be percent-encoded';
  const authority =
    'must have a host, and a number as its port; placeholders are allowed in the host, the path and the query';
  const braces = 'has a brace outside of a placeholder; a placeholder is {name}, of letters, digits and _';
  const escape = 'has a % that is not followed by two hexadecimal digits';
  it.each([
    ['', 'must begin with http:// or https://'],
    ['web/healthz', 'must begin with http:// or https://'],
    ['ftp://web/', 'must begin with http:// or https://'],
    ['file:///etc/passwd', 'must begin with http:// or https://'],
    ['{scheme}://web/', 'must begin with http:// or https://'],
    ['http:/web', 'must begin with http:// or https://'],
    ['http://', authority],
    ['http://:80/', authority],
    ['http://web:{port}/', authority],
    ['http://web:8{port}/', authority],
    ['http://web:/', authority],
    ['http://[fd00::{x}]/', authority],
    ['http://user@web/', 'must not contain a user name or password'],
    ['http://{user}:pw@web/', 'must not contain a user name or password'],
    ['http://web/#top', 'must not have a fragment'],
    ['http://web/a b', blanks],
    ['http://web/\n', blanks],
    ['http://web\\evil/', blanks],
    ['http://wéb/', blanks],
    ['http://web/{my-service}', braces],
    ['http://web/{}', braces],
    ['http://web/{{service}}', braces],
    ['http://web/%zz', escape],
    ['http://web/%{x}', escape],
    ['http://web:99999/', 'has an invalid host or port'],
    ['http://a.1/', 'has an invalid host or port'],
    ['http://127.1/', 'is not in its normal form: http://127.0.0.1/'],
    ['http://web/a/../b', 'is not in its normal form: http://web/b'],
    ['http://web/{x}/%2e%2E/b', 'is not in its normal form'],
    ['http://[::ffff:127.0.0.1]/', 'is not in its normal form: http://[::ffff:7f00:1]/'],
  ])('%j is refused: %s', (text, problem) => {
    expect(url(text)).toBe(`problem: ${problem}`);
  });
});

describe('arguments in a URL', () => {
  const form = 'must be a DNS label: a-z, 0-9, and - not at the ends, at most 63 characters';
  const label = `refused: the argument service is part of a host name and ${form}`;
  const dots = 'refused: the argument service is part of a path and must not contain . or .. as a segment';
  const template = 'http://{service}.shop.svc:8080/';
  it.each([
    [template, 'web', 'http://web.shop.svc:8080/'],
    [template, '0', 'http://0.shop.svc:8080/'],
    [template, '', label],
    [template, 'a.b', label],
    [template, 'a.b@evil', label],
    [template, 'evil/', label],
    [template, 'evil:80', label],
    [template, 'evil#', label],
    [template, 'evil?', label],
    [template, 'Web', label],
    [template, '-web', label],
    [template, 'w'.repeat(64), label],
    [template, '$&', label],
    ['http://{service}/', '2130706433', 'refused: the arguments form a URL that is not in its normal form'],
    ['http://{service}/', '0x7f000001', 'refused: the arguments form a URL that is not in its normal form'],
    [
      'http://{service}.{service}.{service}.{service}/',
      '127',
      'refused: the arguments do not form a host name',
    ],
    ['http://w-{service}/', 'w'.repeat(62), 'refused: the arguments do not form a host name'],
    ['http://web/a/{service}/b', 'c', 'http://web/a/c/b'],
    ['http://web/a/{service}/b', '..', dots],
    ['http://web/a/{service}/b', '.', dots],
    ['http://web/a/{service}/b', '../x', dots],
    ['http://web/a/{service}/b', 'x/..', dots],
    ['http://web/a/{service}/b', '..\\x', dots],
    ['http://web/a/.{service}/b', '%2e', 'http://web/a/.%252e/b'],
    ['http://web/a/{service}{service}/b', '..x', 'http://web/a/..x..x/b'],
    ['http://web/a/{service}/b', '%2e%2e', 'http://web/a/%252e%252e/b'],
    ['http://web/a/{service}', 'x/y?z#w', 'http://web/a/x%2Fy%3Fz%23w'],
    ['http://web/a/{service}', '${x}$&$1', 'http://web/a/%24%7Bx%7D%24%26%241'],
    ['http://web/a/{service}', '{service}', 'http://web/a/%7Bservice%7D'],
    ['http://web/a/{service}', 'ä\u{1F600}', 'http://web/a/%C3%A4%F0%9F%98%80'],
    ['http://web/?q={service}&r=1', 'a&r=2#+ \'"', 'http://web/?q=a%26r%3D2%23%2B%20%27%22&r=1'],
    ['http://web/?q={service}', '..', 'http://web/?q=..'],
  ])('%s with %j', (text, service, result) => {
    expect(url(text, { service })).toBe(result);
  });

  it('a label that is not punycode is refused, or sent unchanged if the URL parser accepts it (Node.js 24)', () => {
    expect(['refused: the arguments form a URL that is not in its normal form', 'http://xn--a/']).toContain(
      url('http://{service}/', { service: 'xn--a' }),
    );
  });

  it('two arguments cannot form dots together', () => {
    const made = url('http://web/a/{x}.{y}/b', { x: '', y: '' });
    expect(made).toBe('refused: the arguments form a URL that is not in its normal form');
  });
});

describe('arguments in a query', () => {
  const refused =
    'refused: the argument service is part of a query and must contain no quote and no backslash';
  it.each([
    ['up{job="{service}"}', 'web', 'up{job="web"}'],
    ["up{job='{service}'}", 'web', "up{job='web'}"],
    ['up{job=`{service}`}', 'web', 'up{job=`web`}'],
    ['up{job="a-{service}-{service}"}', 'web', 'up{job="a-web-web"}'],
    ['up{job="{service}"}', 'a.b', 'up{job="a.b"}'],
    ['up{job=~"{service}-.*"}', 'a.b', 'up{job=~"a\\\\.b-.*"}'],
    ["up{job!~ '{service}'}", 'a|b', "up{job!~ 'a\\\\|b'}"],
    ['up{job=~`{service}`}', '.*', 'up{job=~`\\.\\*`}'],
    ['up{job=~"x",a="{service}"}', 'a.b', 'up{job=~"x",a="a.b"}'],
    ['up{a="{service}",job=~"{service}"}', 'a.b', 'up{a="a.b",job=~"a\\\\.b"}'],
    ['up{a="\\"",job="{service}"}', 'web', 'up{a="\\"",job="web"}'],
    ['up{a=`\\`,job="{service}"}', 'web', 'up{a=`\\`,job="web"}'],
    ['up # "\n{a="{service}"}', 'web', 'up \n{a="web"}'],
    ['up{code=~"5[0-9]{2}"}', 'web', 'up{code=~"5[0-9]{2}"}'],
    ['up{job="{service}"}', '${x}$&', 'up{job="${x}$&"}'],
    ['up{job="{service}"}', '{service}', 'up{job="{service}"}'],
    ['up{job="{service}"}', 'x} or vector(1)', 'up{job="x} or vector(1)"}'],
    ['up{job="{service}"}', '"} or vector(1)', refused],
    ['up{job="{service}"}', "'", refused],
    ['up{job="{service}"}', '`', refused],
    ['up{job="{service}"}', '\\', refused],
    ['up{job="{service}"}', 'a\nb', refused],
    ['up{job={service}}', 'web', 'problem: {service} must be within quotes'],
    ['up[{service}]', '5m', 'problem: {service} must be within quotes'],
    ['up{a="x"} + {service}', 'web', 'problem: {service} must be within quotes'],
    ['up{a="\\"} + {service} + "', 'web', 'up{a="\\"} + web + "'],
    ['up{job="\\{service}"}', 'web', 'problem: a backslash before a brace is not allowed'],
    ['up{job="{service}}', 'web', 'problem: has a string without a closing "'],
  ])('%s with %j', (text, service, result) => {
    expect(query(text, { service })).toBe(result);
  });
});
