import { afterAll, beforeAll, expect } from 'vitest';
import { eventually } from './rollouts/programs.ts';
import { beginAdmission, type Bundle, makeBundle, mount, setIn } from './sidecars.ts';
import { suite, type Kubectl } from './suite.ts';

let bundle: Bundle;

beforeAll(async () => {
  bundle = await makeBundle();
}, 60_000);

afterAll(() => bundle.remove());

const access = ['--kubeconfig', '.kubeconfig'];
/** How long a container takes to be ready, seconds. */
const READY = 2;
const script = Object.fromEntries(
  ['main', 'agent', 'proxy'].map((name) => [name, { readyAfterSeconds: READY }]),
);

const priority = (value: string): string => `env: [{ name: KRUISE_CONTAINER_PRIORITY, value: '${value}' }]`;

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  selector:
    matchLabels: { app: web }
  template:
    metadata:
      labels: { app: web }
      annotations:
        sandbox/containers: '${JSON.stringify(script)}'
    spec:
      terminationGracePeriodSeconds: 1
      containers:
        - name: agent
          image: example.com/agent:1
          ${priority('-1')}
        - name: main
          image: example.com/web:1
`;

const wrong = `apiVersion: v1
kind: Pod
metadata:
  name: wrong
spec:
  containers:
    - name: main
      image: example.com/web:1
    - name: agent
      image: example.com/agent:1
      ${priority('first')}
`;

/** The containers of the pod in the order of their starts, and the seconds between. */
async function starts(k: Kubectl): Promise<{ names: string[]; pauses: number[] }> {
  const { items } = JSON.parse((await k.raw('get pods -l app=web -o json')).out) as {
    items: { status: { containerStatuses: { name: string; state: { running: { startedAt: string } } }[] } }[];
  };
  const started = items
    .flatMap(({ status }) => status.containerStatuses)
    .map(({ name, state }) => ({ name, at: Date.parse(state.running.startedAt) / 1000 }))
    .sort((one, other) => one.at - other.at);
  return {
    names: started.map(({ name }) => name),
    pauses: started.slice(1).map(({ at }, index) => at - (started[index]?.at ?? 0)),
  };
}

suite(
  'launch-admission',
  (test) => {
    test('the containers of a pod of a Deployment start in their order, that of a SidecarSet among them', async (k) => {
      const ca = await mount(k);
      const admission = await beginAdmission(bundle, k);
      // A server without nodes gets those of `kruise kubelet`.
      const kubelet = k.server.hasNodes
        ? undefined
        : bundle.start(k, 'kubelet', ...access, '--pull-time', '100ms', '--no-events', '--cleanup');
      const runtime = bundle.start(
        k,
        'run',
        '--no-leader-election',
        '--lease-namespace',
        k.namespace,
        '--port',
        '0',
        '--log',
        'text',
        ...access,
      );
      const context = () => runtime.output();
      try {
        await bundle.run(k, 'admission', 'install', '--ca', ca, '--url', admission.url, ...access);
        await k.run('apply -f -', `${setIn(k)}      ${priority('1')}\n`);
        await eventually('the webhook', async () =>
          (await bundle.run(k, 'admission', 'check', ...access)).startsWith('the webhook answers'),
        );
        await k.run('create -f -', deployment);
        await eventually(
          'a ready pod',
          async () => (await k.raw('get deployment web -o jsonpath={.status.readyReplicas}')).out === '1',
          { limitMs: 90_000, context },
        );
        const { names, pauses } = await starts(k);
        expect(names).toEqual(['proxy', 'main', 'agent']);
        expect(Math.min(...pauses)).toBeGreaterThanOrEqual(READY);

        const pod = (await k.raw('get pods -l app=web -o jsonpath={.items[0].metadata.name}')).out;
        expect(pod).toMatch(/^web-.*-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
        const barrier = `configmap ${pod}-barrier`;
        expect(await k.run(`get ${barrier} -o jsonpath={.data}`)).toMatchInlineSnapshot(
          `{"p_-1":"true","p_0":"true","p_1":"true"}`,
        );
        expect((await k.raw(`get ${barrier} -o jsonpath={.metadata.ownerReferences[*].name}`)).out).toBe(pod);
        const done = '.metadata.annotations.apps\\.kruise\\.io/container-launch-priority-completed';
        expect((await k.raw(`get pod ${pod} -o jsonpath={${done}}`)).out).toBe('true');

        expect(await k.run('create -f -', wrong)).toMatchInlineSnapshot(`
          [stderr]
          The request is invalid: error when creating "STDIN": admission webhook "sidecars.admission.plan.kruise.io" denied the request: KRUISE_CONTAINER_PRIORITY of container agent must be an integer from -2147483647 to 2147483647, as text
          [exit 1]
        `);

        await k.run('delete deployment web');
        await eventually(
          'the end of the ConfigMap',
          async () => (await k.raw(`get ${barrier} --ignore-not-found`)).out === '',
          { limitMs: 90_000, context },
        );
        expect(await runtime.stop()).toBe(0);
      } finally {
        await runtime.kill();
        await kubelet?.stop();
        await admission.program.kill();
        await k.run('delete mutatingwebhookconfiguration kruise-admission --ignore-not-found');
        await k.run(`delete sidecarset ${k.namespace} --ignore-not-found`);
      }
    });
  },
  { nodes: 1, workloads: true },
);
