import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';

/** What a program asked of a forge. */
export interface Asked {
  method: string;
  /** With its query. */
  path: string;
  authorization: string | undefined;
  body: { body?: string };
}

export interface RecordedForge {
  url: string;
  asked: Asked[];
  /** What it wrote: every request that is no GET. */
  written(): Asked[];
}

const servers: { close(): void }[] = [];
afterAll(() => {
  for (const server of servers) server.close();
});

/** A forge that answers with recorded bodies by path, without the query, and 404 elsewhere. A function gets the query. */
export async function recordedForge(
  answers: Readonly<Record<string, unknown>>,
  status: Readonly<Record<string, number>> = {},
): Promise<RecordedForge> {
  const asked: Asked[] = [];
  const server = createServer((incoming, outgoing) => {
    void textOf(incoming).then((text) => {
      const path = incoming.url ?? '';
      const { authorization, 'private-token': token } = incoming.headers;
      asked.push({
        method: incoming.method ?? '',
        path,
        authorization: authorization ?? (typeof token === 'string' ? token : undefined),
        body: text === '' ? {} : (JSON.parse(text) as Asked['body']),
      });
      const { pathname, searchParams } = new URL(path, 'http://forge');
      const answer = answers[pathname];
      const found: unknown =
        typeof answer === 'function' ? (answer as (q: URLSearchParams) => unknown)(searchParams) : answer;
      const isWrite = incoming.method !== 'GET';
      outgoing.statusCode = status[pathname] ?? (found === undefined && !isWrite ? 404 : 200);
      outgoing.setHeader('content-type', 'application/json');
      outgoing.end(JSON.stringify(isWrite ? {} : (found ?? {})));
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    written: () => asked.filter(({ method }) => method !== 'GET'),
  };
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of incoming) text += String(part);
  return text;
}
