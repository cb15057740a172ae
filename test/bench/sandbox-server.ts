import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createWallClock } from '../../sandbox/clock/wall.ts';
import { listen } from '../../sandbox/http/listen.ts';
import { createWorld } from '../../sandbox/world.ts';

/**
 * One of the servers that `sandbox.ts` measures, in a process of its own: `bare` reads each body and answers with JSON
 * of the length that the query asks for; `world NODES [events]` is a sandbox. Says its port, and its peak memory when asked.
 */
const [what, nodes = '0', events] = process.argv.slice(2);

function ready(port: number): void {
  process.send?.({ port });
  process.on('message', () => process.send?.({ peakKiB: process.resourceUsage().maxRSS }));
  process.on('disconnect', () => process.exit(0));
}

if (what === 'bare') {
  const texts = new Map<string, string>();
  const server = createServer((message, response) => {
    const chunks: Buffer[] = [];
    message.on('data', (chunk: Buffer) => chunks.push(chunk));
    message.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      if (body !== '') JSON.parse(body);
      const length = message.url?.split('?')[1] ?? '2';
      let text = texts.get(length);
      if (text === undefined) texts.set(length, (text = JSON.stringify('x'.repeat(Number(length) - 2))));
      response.setHeader('Content-Type', 'application/json');
      response.setHeader('Content-Length', Buffer.byteLength(text));
      response.end(text);
    });
  });
  server.listen(0, '127.0.0.1', () => ready((server.address() as AddressInfo).port));
} else {
  const clock = createWallClock();
  const world = createWorld({ clock, nodes: Number(nodes), logSize: 1_000, podEvents: events === 'events' });
  void listen(world.server, {
    clock,
    tokens: new Map([['bench', 'bench']]),
    readYaml: () => ({ value: null, duplicates: [] }),
  }).then(({ port }) => ready(port));
}
