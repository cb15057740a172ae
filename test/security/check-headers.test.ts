import { describe, expect, it } from 'vitest';
import { readRuntimeConfig } from '../../runtime/check/config.ts';

const headers = { Authorization: 'Bearer 3f9a' };
const args = { x: {}, y: {} };

/** What is wrong with the configuration of one check that sends a credential to this URL. */
function problemsOf(url: string, http: object = { headers }): string[] {
  const used = Object.fromEntries(Object.entries(args).filter(([name]) => url.includes(`{${name}}`)));
  const read = readRuntimeConfig({ checks: [{ name: 'alive', http: { url, ...http }, args: used }] });
  return 'problems' in read ? read.problems : [];
}

const refusal = (name: string): string =>
  `checks.0.http.headers: would be sent to a host that a plan chooses, because {${name}} is part of the host in http.url: ` +
  'write the host in full, or remove the headers';

describe('security 11: no argument of a plan chooses the receiver of a header', () => {
  it.each([
    ['https://{x}.example.com/', 'x'],
    ['https://{x}/', 'x'],
    ['https://api-{x}.shop.svc:8443/health', 'x'],
    ['https://web.{namespace}.svc/', 'namespace'],
    ['https://{x}.{y}.svc/{x}', 'x'],
    ['https://web{x}', 'x'],
    ['https://{x}:8443', 'x'],
    ['https://{x}?a=1', 'x'],
  ])('%s is refused with headers, with the reason', (url, name) => {
    expect(problemsOf(url)).toEqual([refusal(name)]);
    expect(problemsOf(url, {})).toEqual([]);
    expect(problemsOf(url, { headers: {} })).toEqual([]);
  });

  it('the same for every header: any may be a credential', () => {
    expect(problemsOf('https://{x}/', { headers: { 'X-Tenant': 'a' } })).toEqual([refusal('x')]);
  });

  it.each([
    'https://example.com/{x}',
    'https://example.com/?service={x}&namespace={namespace}',
    'https://example.com/%7Bx%7D/{x}',
    'https://example.com//{x}',
    'https://example.com/@{x}',
  ])('%s has its host from the configuration alone', (url) => {
    expect(problemsOf(url)).toEqual([]);
  });

  it.each([
    ['http://{x}@example.com/', 'must not contain a user name or password'],
    ['http://example.com@{x}/', 'must not contain a user name or password'],
    ['http://user:{x}@example.com/', 'must not contain a user name or password'],
    ['{x}://example.com/', 'must begin with http:// or https://'],
    ['http{x}://example.com/', 'must begin with http:// or https://'],
    [
      'http://example.com:{x}/',
      'must have a host, and a number as its port; placeholders are allowed in the host, the path and the query',
    ],
  ])('%s has a placeholder that is not allowed', (url, problem) => {
    expect(problemsOf(url)).toContain(`checks.0.http.url: ${problem}`);
  });

  it('a header must have no placeholder either', () => {
    expect(problemsOf('https://example.com/{x}', { headers: { 'X-A': '{x}' } })).toEqual([
      'checks.0.http.headers.X-A: must have no placeholder: {x}',
    ]);
  });
});
