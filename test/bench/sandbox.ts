import { fork, type ChildProcess } from 'node:child_process';
import { Agent, request, type IncomingMessage } from 'node:http';
import { bundled } from './bundle.ts';

type Print = (what: string, ms: number, baseline: { name: string; ms: number } | undefined) => void;

interface Server {
  port: number;
  /** The most memory it ever had, in KiB. */
  peakKiB(): Promise<number>;
  stop(): void;
}

interface Ask {
  method: string;
  path: string;
  body?: string;
  contentType?: string;
}

const lanes = 8;
const pods = '/api/v1/namespaces/default/pods';

async function reply(child: ChildProcess): Promise<Record<string, number>> {
  return new Promise((resolve, reject) => {
    child.once('message', (message) => resolve(message as Record<string, number>));
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
  });
}

async function start(script: string, words: string[], execArgv: string[] = []): Promise<Server> {
  const child = fork(script, words, { execArgv });
  const { port = 0 } = await reply(child);
  return {
    port,
    async peakKiB() {
      const answer = reply(child);
      child.send('peak');
      return (await answer)['peakKiB'] ?? 0;
    },
    stop: () => child.kill(),
  };
}

async function open(
  agent: Agent,
  port: number,
  { method, path, body, contentType }: Ask,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = {
      Authorization: 'Bearer bench',
      ...(body === undefined
        ? {}
        : { 'Content-Type': contentType ?? 'application/json', 'Content-Length': Buffer.byteLength(body) }),
    };
    const asked = request({ agent, host: '127.0.0.1', port, method, path, headers }, resolve);
    asked.on('error', reject);
    asked.end(body);
  });
}

async function ask(agent: Agent, port: number, asked: Ask): Promise<string> {
  const message = await open(agent, port, asked);
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  if ((message.statusCode ?? 500) >= 300) throw new Error(`${asked.method} ${asked.path}: ${text}`);
  return text;
}

/** Sends `count` requests over a few connections that stay open; the milliseconds all of them took. */
async function timed(port: number, count: number, one: (index: number) => Ask): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: lanes });
  let next = 0;
  const lane = async () => {
    while (next < count) await ask(agent, port, one(next++));
  };
  const begun = performance.now();
  await Promise.all(Array.from({ length: lanes }, lane));
  const ms = performance.now() - begun;
  agent.destroy();
  return ms;
}

function podText(index: number): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `pod-${index}`,
      labels: { app: 'web', tier: 'front' },
      annotations: { note: 'a pod like many' },
    },
    spec: {
      containers: ['main', 'side'].map((name) => ({
        name,
        image: `${name}:1`,
        env: [{ name: 'LEVEL', value: 'info' }],
        resources: { requests: { cpu: '1m', memory: '1Mi' } },
      })),
    },
  });
}

/** The milliseconds until a watch has delivered `count` events. */
async function watched(
  port: number,
  path: string,
  count: number,
  then: () => Promise<void>,
): Promise<number> {
  const agent = new Agent();
  const message = await open(agent, port, { method: 'GET', path });
  const begun = performance.now();
  let lines = 0;
  const all = new Promise<number>((resolve) => {
    message.on('data', (chunk: Buffer) => {
      for (const byte of chunk) if (byte === 0x0a) lines += 1;
      if (lines >= count) resolve(performance.now() - begun);
    });
    message.on('error', () => {});
  });
  await then();
  const ms = await all;
  message.destroy();
  return ms;
}

const STARTS = 9;

/** The median of the milliseconds from the start of a server's process to its first answer. */
async function startTime(script: string, words: string[], path: string): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < STARTS; run += 1) {
    const begun = performance.now();
    const server = await start(script, words);
    await ask(new Agent(), server.port, { method: 'GET', path });
    times.push(performance.now() - begun);
    server.stop();
  }
  return times.sort((a, b) => a - b)[Math.floor(STARTS / 2)] ?? 0;
}

/** From nothing to the first answer, compared with a bare Node server in a process of its own. */
async function starts(script: string, print: Print): Promise<void> {
  const bare = await startTime(script, ['bare'], '/?2');
  const baseline = { name: `bare server (${bare.toFixed(0)} ms)`, ms: bare };
  print(
    `sandbox: start to first answer, median of ${STARTS}`,
    await startTime(script, ['world', '3'], pods),
    baseline,
  );
}

const rate = (count: number, ms: number) => Math.round((count * 1000) / ms);

/** Requests per second over HTTP, each compared with a bare Node server that reads and sends bodies of the same size. */
async function rates(script: string, print: Print, count: number): Promise<void> {
  const bare = await start(script, ['bare']);
  const world = await start(script, ['world', '0']);
  const warm = Math.floor(count / 4);
  const baseline = async (what: string, one: (index: number) => Ask, length: number) => {
    const ms = await timed(bare.port, count, (index) => ({ ...one(index), path: `/?${length}` }));
    return { name: `bare server answering ${length} bytes (${rate(count, ms)}/s)`, ms, what };
  };
  const row = async (what: string, one: (index: number) => Ask, length: number, times = count) => {
    await timed(bare.port, warm, (index) => ({ ...one(index), path: `/?${length}` }));
    const base = await baseline(what, one, length);
    const ms = await timed(world.port, times, one);
    print(`sandbox over HTTP: ${what} (${rate(times, ms)}/s)`, (ms * count) / times, base);
  };
  try {
    const create = (index: number): Ask => ({ method: 'POST', path: pods, body: podText(index) });
    await timed(world.port, warm, (index) => create(1_000_000 + index));
    const one = (await ask(new Agent(), world.port, { method: 'GET', path: `${pods}/pod-1000000` })).length;
    await row('create', create, one);
    const patch = (index: number): Ask => ({
      method: 'PATCH',
      path: `${pods}/pod-${index}`,
      body: `{"metadata":{"labels":{"n":"${index}"}}}`,
      contentType: 'application/strategic-merge-patch+json',
    });
    await row('patch', patch, one);
    await row('get', (index) => ({ method: 'GET', path: `${pods}/pod-${index}` }), one);
    const page: Ask = { method: 'GET', path: `${pods}?limit=500` };
    const pageBytes = (await ask(new Agent(), world.port, page)).length;
    await row('list of 500', () => page, pageBytes, Math.floor(count / 20));
    const events = count + warm;
    const ms = await watched(world.port, `${pods}?watch=true`, events, async () => {});
    print(`sandbox over HTTP: watch, present state (${rate(events, ms)} events/s)`, ms, undefined);
  } finally {
    bare.stop();
    world.stop();
  }
}

interface Crowd {
  count: number;
  /** 0: the pods exist and are not run. */
  nodes: number;
  /** Default: as Node sizes it. */
  heapMiB?: number;
}

/** Many pods created, listed in pages and watched: how much memory the server ever had. */
async function memory(script: string, print: Print, { count, nodes, heapMiB }: Crowd): Promise<void> {
  const flags = heapMiB === undefined ? [] : [`--max-old-space-size=${heapMiB}`];
  const world = await start(script, ['world', String(nodes), 'events'], flags);
  const run = nodes === 0 ? 'created' : `created while ${nodes} nodes run them`;
  const heap = heapMiB === undefined ? 'as Node sizes it' : `of ${heapMiB} MiB`;
  try {
    const ms = await timed(world.port, count, (index) => ({
      method: 'POST',
      path: pods,
      body: podText(index),
    }));
    print(`sandbox: ${count} pods ${run} (${rate(count, ms)}/s)`, ms, undefined);
    const begun = performance.now();
    const agent = new Agent({ keepAlive: true });
    let token = '';
    do {
      const path = `/api/v1/pods?limit=500&continue=${encodeURIComponent(token)}`;
      const text = await ask(agent, world.port, { method: 'GET', path });
      token = /"continue":"([^"]+)"/.exec(text.slice(0, 500))?.[1] ?? '';
    } while (token !== '');
    agent.destroy();
    print(`sandbox: ${count} pods listed in pages of 500`, performance.now() - begun, undefined);
    const deliveredMs = await watched(world.port, '/api/v1/pods?watch=true', count, async () => {});
    print(`sandbox: ${count} pods delivered to a new watch`, deliveredMs, undefined);
    const mib = Math.round((await world.peakKiB()) / 1024);
    process.stdout.write(
      `${`sandbox: peak memory of ${count} pods on ${nodes} nodes, heap ${heap}`.padEnd(62)} ${String(mib).padStart(9)} MiB  (400 allowed)\n`,
    );
  } finally {
    world.stop();
  }
}

/** `folder`: where the servers' script may be written. */
export async function sandboxBench(print: Print, folder: string): Promise<void> {
  const script = bundled(new URL('sandbox-server.ts', import.meta.url), folder);
  await starts(script, print);
  await rates(script, print, 4_000);
  await memory(script, print, { count: 10_000, nodes: 0 });
  await memory(script, print, { count: 10_000, nodes: 100 });
  await memory(script, print, { count: 10_000, nodes: 100, heapMiB: 384 });
}
