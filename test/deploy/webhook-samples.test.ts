import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { repositoryPath } from '../../schemas/generate/schema.ts';
import { readRuntimeConfig } from '../../runtime/check/config.ts';
import { deliveryId, headersOf, payloadOf } from '../../runtime/notify/payload.ts';
import { deliveryAbout } from '../runtime/notify/delivery.ts';

const folder = repositoryPath('deploy/webhook/samples');
const page = readFileSync(repositoryPath('docs/how-to/notify.md'), 'utf8');
const blockOf = (language: string, at: number): string =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``, 'g'))][at]?.[1] ?? '';
const key = new TextEncoder().encode('a key of sixteen bytes');

describe('the samples of configurations', () => {
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));

  test.each(names)('%s is valid', (name) => {
    const config: unknown = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    expect(readRuntimeConfig(config)).toEqual({ config });
  });

  test('the page shows that of a chat, and an event with the fields that are sent', () => {
    expect(JSON.parse(blockOf('json', 0))).toEqual(
      JSON.parse(readFileSync(join(folder, 'chat.json'), 'utf8')),
    );
    const shown = JSON.parse(blockOf('json', 1)) as object;
    const halted = deliveryAbout('web', { event: 'Halted', mark: 'Halted 1', reason: 'Timeout' });
    const sent = JSON.parse(payloadOf(halted, { url: '', source: 'prod-eu' })) as object;
    expect(Object.keys(shown)).toEqual(Object.keys(sent));
  });
});

test('the function of the page tells a signed body from another one', async () => {
  const source = `data:text/javascript,${encodeURIComponent(blockOf('js', 0))}`;
  const { isSigned } = (await import(source)) as {
    isSigned(body: string, header?: string, key?: unknown): boolean;
  };
  const signature = headersOf('id', '{"a":"ü"}', key)['kruise-signature'];
  expect(isSigned('{"a":"ü"}', signature, key)).toBe(true);
  expect(isSigned('{"a":"u"}', signature, key)).toBe(false);
  expect(isSigned('{"a":"ü"}', undefined, key)).toBe(false);
});

interface Card {
  attachments: [{ content: { body: { type: string; inlines?: unknown[] }[] } }];
}

describe('the program for Microsoft Teams', () => {
  let program: ChildProcess | undefined;
  let teams: Server | undefined;
  let files: string | undefined;
  afterEach(async () => {
    if (program?.exitCode === null) {
      program.kill();
      await once(program, 'exit');
    }
    teams?.close();
    if (files !== undefined) rmSync(files, { recursive: true });
  });

  /** The program, and the cards that arrive at Teams. */
  async function begin(): Promise<{ url: string; cards: unknown[] }> {
    const cards: unknown[] = [];
    teams = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      request.on('end', () => {
        cards.push(JSON.parse(body));
        response.writeHead(202).end();
      });
    });
    teams.listen(0, '127.0.0.1');
    await once(teams, 'listening');
    files = mkdtempSync(join(tmpdir(), 'kruise-teams-'));
    writeFileSync(join(files, 'key'), 'a key of sixteen bytes\n');
    const port = await freePort();
    const TEAMS_URL = `http://127.0.0.1:${(teams.address() as AddressInfo).port}/`;
    const env = { ...process.env, KEY_FILE: join(files, 'key'), TEAMS_URL, PORT: String(port) };
    program = spawn(process.execPath, [join(folder, 'teams.mjs')], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    if (program.stdout !== null) await once(program.stdout, 'data');
    return { url: `http://127.0.0.1:${port}/`, cards };
  }

  test('posts a card for each event once, and takes nothing that is not signed', async () => {
    const { url, cards } = await begin();
    const delivery = deliveryAbout('web');
    const event = { url: '', source: 'prod-eu' };
    const body = payloadOf(delivery, event);
    const headers = headersOf(deliveryId(delivery), body, key);
    const send = async (given: Record<string, string>, content = body): Promise<number> =>
      (await fetch(url, { method: 'POST', headers: given, body: content })).status;
    expect(await send({})).toBe(401);
    expect(await send(headers, body.replace('web', 'api'))).toBe(401);
    expect(await send(headers, 'x'.repeat(64 * 1024))).toBe(413);
    expect(cards).toEqual([]);
    expect([await send(headers), await send(headers)]).toEqual([204, 204]);
    expect(cards).toHaveLength(1);
    expect(JSON.stringify(cards[0])).toContain('AwaitingApproval: CloneSet shop/web prod-eu');
    const message = 'image [run](https://evil.example) **now**';
    const hostile = payloadOf(deliveryAbout('api', { event: 'Held', plan: undefined, message }), event);
    expect(await send(headersOf('other', hostile, key), hostile)).toBe(204);
    const { body: lines } = (cards[1] as Card).attachments[0].content;
    // A TextBlock renders Markdown.
    expect(lines.map(({ type }) => type)).toEqual(['RichTextBlock', 'RichTextBlock']);
    expect(lines.at(-1)?.inlines).toEqual([{ type: 'TextRun', text: message }]);
  });
});

async function freePort(): Promise<number> {
  const server = createTcpServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
