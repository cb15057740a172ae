import { expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { front, token, type Front } from './front.ts';

const pods = '/api/v1/namespaces/default/pods';
const one = { containers: [{ name: 'main', image: 'web:1' }] };
const scripts = {
  main: {
    exec: {
      'cat /etc/version': '1.27\n',
      migrate: { stdout: 'begun\n', stderr: 'no room\n', exitCode: 3 },
    },
  },
};

async function withPod(spec: object = one, ageMs = 10_000): Promise<Front> {
  const set = await front();
  const metadata = { name: 'p', annotations: { 'sandbox/containers': JSON.stringify(scripts) } };
  await set.ask(pods, { method: 'POST', body: { apiVersion: 'v1', kind: 'Pod', metadata, spec } });
  await set.clock.advance(ageMs);
  return set;
}

/** What arrives on each channel, and the protocol that was chosen; or the refusal of the connection. */
async function executed(
  { listener }: Front,
  query: string,
  protocols = ['v5.channel.k8s.io'],
): Promise<{ protocol: string; channels: Record<number, string> } | { code: number; message: string }> {
  const url = `${listener.url.replace('http', 'ws')}${pods}/p/exec?${query}`;
  const socket = new WebSocket(url, protocols, { headers: { authorization: `Bearer ${token}` } });
  const channels: Record<number, string> = {};
  return new Promise((resolve, reject) => {
    socket.on('message', (data: Buffer) => {
      const [channel = 0] = data;
      channels[channel] = (channels[channel] ?? '') + data.subarray(1).toString();
    });
    socket.on('close', () => resolve({ protocol: socket.protocol, channels }));
    socket.on('unexpected-response', (_request, response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => {
        const { message } = JSON.parse(text) as { message: string };
        resolve({ code: response.statusCode ?? 0, message });
      });
    });
    socket.on('error', reject);
  });
}

const statusIn = (channels: Record<number, string>): unknown => JSON.parse(channels[3] ?? '');

it('prints what the script of the container says, and ends with a Status', async () => {
  const set = await withPod();
  const done = await executed(set, 'command=cat&command=/etc/version&stdout=true');
  expect(done).toMatchObject({ protocol: 'v5.channel.k8s.io', channels: { 1: '1.27\n' } });
  expect('channels' in done && statusIn(done.channels)).toMatchObject({ status: 'Success' });
});

it('sends the exit code of a command that fails as a server does', async () => {
  const set = await withPod();
  const done = await executed(set, 'command=migrate&container=main', ['v4.channel.k8s.io', 'channel.k8s.io']);
  expect(done).toMatchObject({
    protocol: 'v4.channel.k8s.io',
    channels: { 1: 'begun\n', 2: 'no room\n' },
  });
  expect('channels' in done && statusIn(done.channels)).toMatchObject({
    status: 'Failure',
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: '3' }] },
  });
});

it.each([
  'command=kill&command=-TERM&command=1',
  `command=sh&command=-c&command=${encodeURIComponent('kill -TERM 1')}`,
])(
  'a signal to the first process ends the container, which starts again as after any exit: %s',
  async (query) => {
    const set = await withPod();
    const statusOf = async () => {
      const { json } = await set.ask(`${pods}/p`);
      return (
        json as {
          status: { containerStatuses: { restartCount: number; ready: boolean; lastState: object }[] };
        }
      ).status.containerStatuses[0];
    };
    const done = await executed(set, query);
    expect('channels' in done && statusIn(done.channels)).toMatchObject({ status: 'Success' });
    await set.clock.advance(60_000);
    expect(await statusOf()).toMatchObject({
      restartCount: 1,
      ready: true,
      lastState: { terminated: { exitCode: 0, reason: 'Completed' } },
    });
  },
);

it('a container whose script has no kill gets no signal', async () => {
  const set = await front();
  const failing = { main: { exec: { 'kill -TERM 1': { stderr: 'sh: kill: not found', exitCode: 127 } } } };
  const metadata = { name: 'p', annotations: { 'sandbox/containers': JSON.stringify(failing) } };
  await set.ask(pods, { method: 'POST', body: { apiVersion: 'v1', kind: 'Pod', metadata, spec: one } });
  await set.clock.advance(10_000);
  const done = await executed(set, 'command=kill&command=-TERM&command=1');
  expect('channels' in done && statusIn(done.channels)).toMatchObject({ reason: 'NonZeroExitCode' });
  await set.clock.advance(60_000);
  const { json } = await set.ask(`${pods}/p`);
  expect(json).toMatchObject({ status: { containerStatuses: [{ restartCount: 0 }] } });
});

it('a command does nothing without a web socket', async () => {
  const set = await withPod();
  await set.ask(`${pods}/p/exec?command=kill&command=1`, { method: 'POST', body: {} });
  await set.clock.advance(60_000);
  const { json } = await set.ask(`${pods}/p`);
  expect(json).toMatchObject({ status: { containerStatuses: [{ restartCount: 0 }] } });
});

it('does not find a command that the script does not have', async () => {
  const done = await executed(await withPod(), 'command=nope');
  expect('channels' in done && statusIn(done.channels)).toMatchObject({
    status: 'Failure',
    message: expect.stringContaining('exec: "nope": executable file not found in $PATH') as string,
  });
});

it.each([
  ['command=nope&container=x', 400, 'container x is not valid for pod p'],
  ['', 400, 'you must specify at least 1 command for the container'],
])('refuses the connection: %j', async (query, code, message) => {
  expect(await executed(await withPod(), query)).toEqual({ code, message });
});

it('refuses the connection where the container does not run', async () => {
  const set = await withPod({ ...one, nodeSelector: { zone: 'none' } });
  expect(await executed(set, 'command=migrate')).toEqual({
    code: 400,
    message: 'pod p does not have a host assigned',
  });
  const pulling = await withPod({ containers: [{ name: 'main', image: 'slow:1' }] }, 100);
  expect(await executed(pulling, 'command=migrate')).toEqual({
    code: 400,
    message: 'container not found ("main")',
  });
});

it('needs a web socket with a known protocol, a token, and a pod', async () => {
  const set = await withPod();
  const asked = await set.ask(`${pods}/p/exec?command=migrate`, { method: 'POST', body: {} });
  expect(asked).toMatchObject({ code: 400, json: { message: 'Upgrade request required' } });
  expect(await executed(set, 'command=migrate', ['other.k8s.io'])).toMatchObject({ code: 400 });
  expect((await set.ask(`${pods}/q/exec?command=migrate`)).code).toBe(404);
  expect((await set.ask(`${pods}/p/exec`, { method: 'DELETE' })).code).toBe(405);
  const raw = await set.raw(
    `GET ${pods}/p/exec?command=x HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
  );
  expect(raw).toMatch(/^HTTP\/1\.1 401 /);
});

it('a request to upgrade to something else is answered', async () => {
  const set = await withPod();
  const raw = await set.raw(
    `GET /version HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n`,
  );
  expect(raw).toMatch(/^HTTP\/1\.1 200 /);
});

it('a world closes though a client stays connected', async () => {
  const set = await withPod();
  const url = `${set.listener.url.replace('http', 'ws')}${pods}/p/exec?command=migrate`;
  const socket = new WebSocket(url, ['v5.channel.k8s.io'], {
    headers: { authorization: `Bearer ${token}` },
  });
  await new Promise((resolve) => socket.on('open', resolve));
  socket.pause();
  await set.listener.close();
  socket.terminate();
});

const policies = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
const bindings = `${policies.slice(0, -'ies'.length)}ybindings`;

it('a policy decides by the words and streams of a command, whoever may connect', async () => {
  const set = await withPod();
  const apiVersion = 'admissionregistration.k8s.io/v1';
  const resourceRules = [
    { apiGroups: [''], apiVersions: ['*'], operations: ['CONNECT'], resources: ['pods/exec'] },
  ];
  const expression =
    "request.subResource == 'exec' && object.kind == 'PodExecOptions' && object.command == ['migrate'] && !object.?stdin.orValue(false)";
  const messageExpression =
    "request.operation + ' ' + request.kind.kind + ' ' + request.namespace + '/' + request.name";
  const policy = { matchConstraints: { resourceRules }, validations: [{ expression, messageExpression }] };
  for (const [path, kind, spec] of [
    [policies, 'ValidatingAdmissionPolicy', policy],
    [bindings, 'ValidatingAdmissionPolicyBinding', { policyName: 'only', validationActions: ['Deny'] }],
  ] as const) {
    const made = await set.ask(path, {
      method: 'POST',
      body: { apiVersion, kind, metadata: { name: 'only' }, spec },
    });
    expect(made.code).toBe(201);
  }
  expect(await executed(set, 'command=migrate&stderr=true')).toHaveProperty('channels');
  for (const query of ['command=migrate&stdin=true', 'command=migrate&command=x', 'stderr=true'])
    expect(await executed(set, query)).toMatchObject({
      message: expect.stringContaining('denied request: CONNECT PodExecOptions default/p') as string,
    });
});
