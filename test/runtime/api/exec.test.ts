import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { serve } from 'kruise-sandbox/http';
import { describe, expect, test } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { ApiError, type Cluster } from '../../../schemas/wire/cluster.ts';
import { execOptions, failedCommand, lacksProgram } from '../../../schemas/wire/exec.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { TransportError } from '../../../runtime/api/transport-error.ts';
import { afterwards, clientOf, connectionTo, failureOf, until } from './scripted.ts';

const at = { namespace: 'default', name: 'p' };
const run = (cluster: Cluster, command: readonly string[], container?: string, name = 'p') =>
  cluster.create(resources.Pod, execOptions({ ...at, name }, { container, command }), {
    subresource: 'exec',
  });

const scripts = {
  main: {
    exec: {
      'say yes': 'yes\n',
      migrate: { stdout: 'begun\n', stderr: 'no room\n', exitCode: 3 },
      missing: { stderr: 'sh: missing: not found\n', exitCode: 127 },
    },
  },
};

/** A pod that runs, by the port in process and by the one over HTTP. */
async function withPod(): Promise<{
  ports: Cluster[];
  restarts(): Promise<number>;
  advance(ms: number): Promise<void>;
}> {
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const world = createWorld({ clock, nodes: 1 });
  const admin = world.cluster('admin');
  await admin.create(resources.Pod, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...at, annotations: { 'sandbox/containers': JSON.stringify(scripts) } },
    spec: { containers: [{ name: 'main', image: 'web:1' }] },
  });
  await clock.advance(10_000);
  const listener = await serve(world, { tokens: new Map([['secret', 'admin']]) });
  afterwards(() => {
    world.stop();
    void listener.close();
  });
  return {
    ports: [admin, clientOf(listener.url).cluster],
    async restarts() {
      const { status } = (await admin.get(resources.Pod, at)) as {
        status?: { containerStatuses?: { restartCount: number }[] };
      };
      return status?.containerStatuses?.[0]?.restartCount ?? -1;
    },
    advance: (ms) => clock.advance(ms),
  };
}

const refusal = async (promise: Promise<unknown>, program = ''): Promise<unknown> => {
  const error = await failureOf(promise);
  if (!(error instanceof ApiError)) throw error;
  const { code, reason, message } = error.status;
  return { code, reason, message, lacksProgram: lacksProgram(error, program) };
};

describe('a command, in process and over HTTP alike', () => {
  test('that succeeds answers with a Status', async () => {
    for (const port of (await withPod()).ports)
      expect(await run(port, ['say', 'yes'])).toMatchObject({ kind: 'Status', status: 'Success' });
  });

  test.each<[string, readonly string[], string | undefined, string, object]>([
    [
      'that fails',
      ['migrate'],
      'main',
      'p',
      {
        code: 422,
        reason: 'NonZeroExitCode',
        message: 'command terminated with non-zero exit code: exit status 3: no room',
        lacksProgram: false,
      },
    ],
    ['that a shell does not find', ['missing'], 'main', 'p', { code: 422, lacksProgram: true }],
    ['whose program is not there', ['kil'], 'main', 'p', { code: 422, lacksProgram: true }],
    ['in a container that is not there', ['migrate'], 'side', 'p', { code: 400, lacksProgram: false }],
    ['in a pod that is not there', ['migrate'], 'main', 'q', { code: 404, lacksProgram: false }],
  ])('%s rejects', async (_what, command, container, name, expected) => {
    const answers = [];
    for (const port of (await withPod()).ports)
      answers.push(await refusal(run(port, command, container, name), command[0]));
    expect(answers[0]).toMatchObject(expected);
    expect(answers[1]).toEqual(answers[0]);
  });

  test('that sends a signal ends the container once', async () => {
    const { ports, restarts, advance } = await withPod();
    let ended = 0;
    for (const port of ports) {
      await run(port, ['kill', '-TERM', '1'], 'main');
      await advance(120_000);
      expect(await restarts()).toBe((ended += 1));
    }
  });
});

const OCI = 'OCI runtime exec failed: exec failed: unable to start container process: ';

test.each([
  [`${OCI}exec: "kill": executable file not found in $PATH: unknown`, true],
  [`${OCI}exec: "kill": stat kill: no such file or directory: unknown`, true],
  [
    'executable file `kill` not found in $PATH: No such file or directory: OCI runtime attempted to invoke a command',
    true,
  ],
  [`${OCI}exec: "sh": executable file not found in $PATH: unknown`, false],
  ['unable to upgrade connection: container not found ("main")', false],
  ['failed to load task: no running task found: task abc not found: not found', false],
  ['dial unix /run/containerd/containerd.sock: connect: no such file or directory', false],
])('whether a program is missing by what a node says: %s', (text, expected) => {
  const error = failedCommand({ reason: 'InternalError', message: `Internal error occurred: ${text}` }, '');
  expect(lacksProgram(error, 'kill')).toBe(expected);
});

/** A server that speaks the protocol, or something else, on each connection. */
async function speaking(
  speak: (socket: WebSocket) => void,
  refusing: (index: number) => boolean = () => false,
): Promise<{ url: string; asked: { url: string; token: string }[] }> {
  const asked: { url: string; token: string }[] = [];
  const server = createServer();
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, socket, head) => {
    asked.push({ url: request.url ?? '', token: request.headers.authorization ?? '' });
    if (refusing(asked.length - 1)) socket.end('HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\n\r\n');
    else sockets.handleUpgrade(request, socket, head, speak);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterwards(() => {
    for (const each of sockets.clients) each.terminate();
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

const message = (channel: number, text: string): Buffer =>
  Buffer.concat([Buffer.from([channel]), Buffer.from(text)]);
const SUCCESS = JSON.stringify({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' });

describe('over HTTP a command', () => {
  test('asks for nothing but errors, in an address that no word can leave', async () => {
    const { url, asked } = await speaking((socket) => socket.send(message(3, SUCCESS)));
    const { cluster, calls } = clientOf(`${url}/base`);
    await run(cluster, ['sh', '-c', 'kill -TERM 1&stdin=true'], 'main');
    expect(asked.map((each) => each.url)).toEqual([
      '/base/api/v1/namespaces/default/pods/p/exec?container=main&command=sh&command=-c&command=kill%20-TERM%201%26stdin%3Dtrue&stderr=true',
    ]);
    expect(calls).toEqual(['create pods/exec 200 0']);
  });

  test('is sent by the fence of the leader alone', async () => {
    const { url, asked } = await speaking((socket) => socket.send(message(3, SUCCESS)));
    const { cluster } = clientOf(url, {
      beforeWrite() {
        throw new Error('it does not lead');
      },
    });
    expect(String(await failureOf(run(cluster, ['kill'])))).toBe('Error: it does not lead');
    expect(asked).toEqual([]);
  });

  test('is tried again once with renewed credentials', async () => {
    const { url, asked } = await speaking(
      (socket) => socket.send(message(3, SUCCESS)),
      (index) => index === 0,
    );
    let renewed = 0;
    const headers = async (refresh?: boolean) => {
      if (refresh === true) renewed += 1;
      return { authorization: `Bearer ${renewed}` };
    };
    const { cluster, calls } = clientOf({ ...connectionTo(url), headers });
    await run(cluster, ['kill']);
    expect([asked.map(({ token }) => token), calls]).toEqual([
      ['Bearer 0', 'Bearer 1'],
      ['create pods/exec 200 1'],
    ]);
  });

  test.each<[string, (socket: WebSocket) => void, string]>([
    ['prints without end', (socket) => flood(socket), 'oversized'],
    ['sends one long message', (socket) => socket.send(message(3, 'x'.repeat(70_000))), 'reset'],
    ['is cut off', (socket) => socket.terminate(), 'reset'],
    ['ends with no Status', (socket) => socket.send(message(3, '{}')), 'garbled'],
  ])('that %s fails, and it is unknown what it has done', async (_what, speak, kind) => {
    const { url } = await speaking(speak);
    const error = await failureOf(run(clientOf(url).cluster, ['kill']));
    expect(error).toBeInstanceOf(TransportError);
    expect(error).toMatchObject({ kind, outcomeUnknown: true });
  });

  test('that finds no server has surely not arrived; one whose answer is cut off may have', async () => {
    const gone = createServer();
    await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve));
    const { port } = gone.address() as AddressInfo;
    await new Promise((resolve) => gone.close(resolve));
    const unheard = await failureOf(run(clientOf(`http://127.0.0.1:${port}`).cluster, ['kill']));
    expect(unheard).toMatchObject({ kind: 'refused', outcomeUnknown: false });

    const cut = createServer();
    cut.on('upgrade', (_request, socket) => socket.destroy());
    await new Promise<void>((resolve) => cut.listen(0, '127.0.0.1', resolve));
    afterwards(() => void cut.close());
    const unanswered = await failureOf(
      run(clientOf(`http://127.0.0.1:${(cut.address() as AddressInfo).port}`).cluster, ['kill']),
    );
    expect(unanswered).toMatchObject({ kind: 'reset', outcomeUnknown: true });
  });

  test('has half a minute', async () => {
    let isOpen = false;
    const { url } = await speaking(() => (isOpen = true));
    const { cluster, clock } = clientOf(url);
    const failed = failureOf(run(cluster, ['kill']));
    await until(() => isOpen);
    await clock.advance(29_999);
    await clock.advance(1);
    expect(await failed).toMatchObject({ kind: 'timeout', outcomeUnknown: true });
  });

  test('is cut in its message, without control characters', async () => {
    const status = {
      kind: 'Status',
      status: 'Failure',
      reason: 'NonZeroExitCode',
      message: 'm'.repeat(9_000),
    };
    const { url } = await speaking((socket) => {
      socket.send(message(2, `\u001b[31m\u202e${'e'.repeat(9_000)}`));
      socket.send(message(3, JSON.stringify(status)));
    });
    const error = (await failureOf(run(clientOf(url).cluster, ['kill']))) as ApiError;
    expect(error.message.length).toBeLessThan(4_500);
    expect(error.message).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  test('waits while a hundred others hang, and is not sent late', async () => {
    const hanging: WebSocket[] = [];
    const { url, asked } = await speaking((socket) => hanging.push(socket));
    const { cluster, clock } = clientOf(url);
    const all = Array.from({ length: 100 }, async () => run(cluster, ['kill']));
    await until(() => hanging.length === 100);
    const [next, late] = [run(cluster, ['next']), failureOf(run(cluster, ['late']))];
    await clock.advance(4_999);
    expect(asked.length).toBe(100);
    hanging[0]?.send(message(3, SUCCESS));
    await until(() => hanging.length === 101);
    await clock.advance(1);
    expect(await late).toMatchObject({ kind: 'timeout', outcomeUnknown: false });
    for (const socket of hanging) socket.send(message(3, SUCCESS));
    await Promise.all([...all, next]);
    expect(asked.length).toBe(101);
  });

  test('ends with its client', async () => {
    let isOpen = false;
    const { url } = await speaking(() => (isOpen = true));
    const { cluster } = clientOf(url);
    const failed = failureOf(run(cluster, ['kill']));
    await until(() => isOpen);
    cluster.close();
    expect(await failed).toMatchObject({ kind: 'closed', outcomeUnknown: true });
  });
});

function flood(socket: WebSocket): void {
  const next = (): void => {
    if (socket.readyState === socket.OPEN) socket.send(message(2, 'x'.repeat(10_000)), next);
  };
  next();
}
