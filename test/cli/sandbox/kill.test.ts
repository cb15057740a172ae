import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isFull, shareOf } from '../../lanes.ts';
import { ROOT_CERTIFICATE } from '../world/sandbox-client.ts';
import { bundleKruise } from '../world/bundle.ts';
import { killAll, startProcess, type Process } from '../world/sandbox-process.ts';

const ROUNDS = shareOf(18, 0.28);
const CONNECTIONS = 4;
const NAMES = 4;
/** Large enough that the state is rewritten every few dozen writes. */
const PADDING = 'x'.repeat(120_000);
const COLLECTION = '/api/v1/namespaces/default/configmaps';

const folder = mkdtempSync(join(tmpdir(), 'kruise-kill-'));
const state = join(folder, 'state');
const kubeconfig = join(folder, 'kubeconfig');

let program = '';
beforeAll(async () => {
  program = await bundleKruise(join(folder, 'program'));
});

afterAll(() => {
  killAll();
  rmSync(folder, { recursive: true, force: true });
});

const start = (): Process => startProcess(program, { state, kubeconfig }, ['--no-runtime']);

interface Answer {
  code: number;
  body: KubeObject & { items?: KubeObject[] };
}

interface KubeObject {
  metadata: { name: string; uid: string; resourceVersion: string };
  data?: { count: string };
}

/** Undefined if the connection broke before the complete response. */
function call(
  agent: Agent,
  server: string,
  method: string,
  path: string,
  body?: object,
): Promise<Answer | undefined> {
  const { hostname, port, username, password } = new URL(server);
  return new Promise((resolve) => {
    const headers = { 'content-type': 'application/json' };
    const auth = `${username}:${password}`;
    const requested = request({ agent, hostname, port, method, path, headers, auth }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      response.on('close', () => {
        const whole = response.complete ? (JSON.parse(text) as Answer['body']) : undefined;
        resolve(whole && { code: response.statusCode ?? 0, body: whole });
      });
    });
    requested.on('error', () => resolve(undefined));
    requested.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** The known state of one ConfigMap: its version and content, or that it does not exist. */
interface Known {
  resourceVersion: string;
  uid: string;
  count: string;
}

function knownOf({ metadata, data }: KubeObject): Known {
  return { resourceVersion: metadata.resourceVersion, uid: metadata.uid, count: data?.count ?? '' };
}

let drawn = 20260101;
/** Equal in every run, although the moment of a kill varies. */
function random(below: number): number {
  drawn = (Math.imul(drawn, 1_664_525) + 1_013_904_223) >>> 0;
  return drawn % below;
}

interface Connection {
  id: number;
  /** The answered writes. */
  known: Map<string, Known>;
  /** The last request without a response; undefined content: a deletion. */
  open: { name: string; count: string | undefined } | undefined;
}

let counter = 0;
/** Of all objects ever created: none may repeat, whichever process assigned it. */
const uids = new Set<string>();

/** Writes continuously until the server ends. */
async function writeOn(server: string, connection: Connection): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (;;) {
    const name = `c${connection.id}-${random(NAMES)}`;
    const before = connection.known.get(name);
    const removes = before !== undefined && random(5) === 0;
    counter += 1;
    const count = String(counter);
    connection.open = { name, count: removes ? undefined : count };
    const body = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name },
      data: { count, padding: PADDING },
    };
    const answer = removes
      ? await call(agent, server, 'DELETE', `${COLLECTION}/${name}`)
      : before === undefined
        ? await call(agent, server, 'POST', COLLECTION, body)
        : await call(agent, server, 'PUT', `${COLLECTION}/${name}`, body);
    if (answer === undefined) break;
    expect([200, 201]).toContain(answer.code);
    if (before === undefined) {
      expect(uids).not.toContain(answer.body.metadata.uid);
      uids.add(answer.body.metadata.uid);
    }
    if (removes) connection.known.delete(name);
    else connection.known.set(name, knownOf(answer.body));
    connection.open = undefined;
  }
  agent.destroy();
}

/**
 * Compares the objects with the answered writes; an unanswered write may or may not be stored. Returns the revision;
 * undefined if the server was killed before it could respond.
 */
async function compare(server: string, connections: readonly Connection[]): Promise<number | undefined> {
  const agent = new Agent();
  const answer = await call(agent, server, 'GET', COLLECTION);
  agent.destroy();
  if (answer === undefined) return undefined;
  const items = new Map((answer.body.items ?? []).map((item) => [item.metadata.name, knownOf(item)]));
  items.delete(ROOT_CERTIFICATE);
  const names = new Set([...items.keys(), ...connections.flatMap(({ known }) => [...known.keys()])]);
  for (const name of names) {
    const connection = connections.find(({ id }) => name.startsWith(`c${id}-`));
    if (connection === undefined) throw new Error(`nobody wrote ${name}`);
    const [found, answered] = [items.get(name), connection.known.get(name)];
    const wasDone = connection.open?.name === name && found?.count === connection.open.count;
    if (!wasDone) expect({ name, found }).toEqual({ name, found: answered });
    if (found === undefined) connection.known.delete(name);
    else connection.known.set(name, found);
  }
  for (const connection of connections) connection.open = undefined;
  return Number(answer.body.metadata.resourceVersion);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

test(
  `killed ${ROUNDS} times at any moment, it restores every answered write, and nothing else`,
  { timeout: 120_000 },
  async () => {
    const connections: Connection[] = Array.from({ length: CONNECTIONS }, (_, id) => ({
      id,
      known: new Map(),
      open: undefined,
    }));
    let revision = 0;
    let written = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const { child, ready, ended, output } = start();
      // Some are killed before they respond at all.
      const early = round % 5 === 4;
      if (early) void pause(random(400)).then(() => child.kill('SIGKILL'));
      const server = await ready;
      if (server === undefined) {
        await ended;
        expect(output()).not.toContain('kruise sandbox:');
        continue;
      }
      const now = await compare(server, connections);
      if (now === undefined) {
        expect(early).toBe(true);
        await ended;
        continue;
      }
      expect(now).toBeGreaterThanOrEqual(revision);
      const before = counter;
      const writers = connections.map((connection) => writeOn(server, connection));
      await pause(random(150));
      // Some are killed while they shut down and rewrite the state.
      if (round % 3 === 2) {
        child.kill('SIGTERM');
        await pause(random(30));
      }
      child.kill('SIGKILL');
      await ended;
      await Promise.all(writers);
      written += counter - before;
      const versions = connections.flatMap(({ known }) =>
        [...known.values()].map((each) => Number(each.resourceVersion)),
      );
      revision = Math.max(now, ...versions);
    }
    // A few rounds may all be too short for any write.
    expect(written).toBeGreaterThan(isFull ? ROUNDS * CONNECTIONS : 0);
    const { child, ready, ended } = start();
    const server = await ready;
    if (server === undefined) throw new Error('it does not start any more');
    expect(await compare(server, connections)).toBeGreaterThanOrEqual(revision);
    child.kill('SIGTERM');
    await ended;
    expect(child.exitCode).toBe(0);
    expect([existsSync(`${state}.lock`), existsSync(kubeconfig)]).toEqual([false, false]);
  },
);
