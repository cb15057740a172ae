import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readRuntimeConfig } from '../../../runtime/check/config.ts';
import { secretReader } from '../../../runtime/notify/secret.ts';

const chat = { url: 'https://chat.example/hook', format: 'Text' };
const event = { url: 'https://chat.example/hook', secretFile: '/etc/kruise/webhook-key' };

describe('the webhook of the configuration', () => {
  test.each([
    [chat],
    [event],
    [{ ...event, format: 'Event', events: ['Halted'], source: 'prod-eu.1' }],
    [{ ...chat, url: 'http://chat.shop.svc:8080/' }],
  ])('%j is returned', (webhook) => {
    const config = { checks: [], webhook };
    expect(readRuntimeConfig(config)).toEqual({ config });
  });

  test.each<[object, string]>([
    [{ ...event, url: 'ftp://a/' }, 'webhook.url: must begin with http:// or https://'],
    [{ ...event, url: 'http://{a}/' }, 'webhook.url: must have no placeholder: {a}'],
    [
      { ...event, url: 'http://169.254.169.254/' },
      'webhook.url: has a cloud metadata address as its host; list it in addresses to allow it',
    ],
    [{ ...event, url: 'https://a:b@c/' }, 'webhook.url: must not contain a user name or password'],
    [{ ...event, secretFile: 'key' }, 'webhook.secretFile: must be an absolute path'],
    [
      { url: event.url },
      'webhook.secretFile: is required: without a signature anybody could send such an event',
    ],
    [{ ...event, headers: {} }, 'webhook: unknown field "headers"'],
    [{ ...chat, source: '<b>' }, 'webhook.source: must match'],
    [{ ...chat, events: ['Succeeded'] }, 'webhook.events.0: must be one of'],
  ])('%j is refused', (webhook, problem) => {
    const read = readRuntimeConfig({ checks: [], webhook });
    expect('problems' in read ? read.problems.map((each) => each.slice(0, problem.length)) : []).toEqual([
      problem,
    ]);
  });
});

describe('the key of the signature', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'kruise-key-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  test('is read each time, without line breaks at its end', () => {
    const path = join(folder, 'key');
    const read = secretReader(path);
    for (const [text, wanted] of [
      ['0123456789abcdef', '0123456789abcdef'],
      ['another key of many bytes\r\n\n', 'another key of many bytes'],
    ] as const) {
      writeFileSync(path, text);
      expect(Buffer.from(read()).toString()).toBe(wanted);
    }
  });

  test.each([
    ['', 'it is shorter than 16 bytes'],
    ['0123456789abcde\n', 'it is shorter than 16 bytes'],
    ['x'.repeat(4_097), 'it is longer than 4096 bytes'],
    [undefined, 'it does not exist'],
  ])('%.20s cannot be used', (text, why) => {
    const path = join(folder, 'key');
    if (text !== undefined) writeFileSync(path, text);
    expect(() => secretReader(path)()).toThrow(`the secret ${path} cannot be used: ${why}`);
  });
});
