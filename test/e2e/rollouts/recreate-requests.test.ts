import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isKubectlShipped } from '../../../examples/demo/kubectl-binary.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { endOf, recreateRequest } from '../../fixtures/recreate-requests.ts';
import { findBinaries } from '../binaries.ts';
import { eventually } from './programs.ts';
import { startWorld, type World } from './world.ts';

const patience = 240_000;
const kubectl = findBinaries().at(-1);
const RUNTIME = 'system:serviceaccount:kruise-system:kruise-runtime';
const RECORD = 'plan.kruise.io/recreated-containers';

/** ContainerRecreateRequests by the shipped program, roles and policies, with a simulated kubelet. */
describe.skipIf(kubectl === undefined && !isKubectlShipped)('restarts of containers', () => {
  let world: World | undefined;
  const namespace = `e2e-restarts-${process.pid}`;
  const pods = `/api/v1/namespaces/${namespace}/pods`;
  const requests = `/apis/apps.kruise.io/v1beta1/namespaces/${namespace}/containerrecreaterequests`;

  const running = (): World => {
    if (world === undefined) throw new Error('there is no server');
    return world;
  };
  const rest = (verb: string, path: string, body?: object): Promise<unknown> =>
    running().server.rest(verb, path, body);
  const listed = async (path: string): Promise<KubeObject[]> =>
    ((await rest('GET', path)) as { items: KubeObject[] }).items;
  const podsOf = async (): Promise<Pod[]> => (await listed(pods)) as Pod[];
  const isReady = ({ status }: Pod): boolean =>
    status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;
  const ask = (name: string, pod: string, spec: JsonObject = {}): Promise<unknown> => {
    const { metadata, ...request } = recreateRequest(name, pod, ['main'], spec);
    return rest('POST', requests, { ...request, metadata: { ...metadata, namespace } });
  };

  beforeAll(async () => {
    if (kubectl === undefined) throw new Error('there is no kubectl');
    world = await startWorld(kubectl, ['container-exec']);
    await world.startRuntime({ args: ['--policy', 'Auto'] });
    const container = { name: 'main', image: 'example.com/web:1', imagePullPolicy: 'IfNotPresent' };
    await rest('POST', '/api/v1/namespaces', {
      ...{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    });
    await rest('POST', `/apis/apps.kruise.io/v1beta1/namespaces/${namespace}/clonesets`, {
      apiVersion: 'apps.kruise.io/v1beta1',
      kind: 'CloneSet',
      metadata: { name: 'web' },
      spec: {
        replicas: 3,
        selector: { matchLabels: { app: 'web' } },
        template: {
          metadata: { labels: { app: 'web' } },
          spec: {
            terminationGracePeriodSeconds: 1,
            readinessGates: [{ conditionType: 'KruisePodReady' }],
            containers: [container],
          },
        },
        updateStrategy: { maxUnavailable: 1 },
      },
    });
    // Of nobody: only the policy for pods of others lets the runtime change it.
    await rest('POST', pods, {
      ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'alone' } },
      spec: { terminationGracePeriodSeconds: 1, containers: [container] },
    });
    await eventually('four pods are ready', async () => {
      const all = await podsOf();
      return all.length === 4 && all.every(isReady);
    });
  }, patience);

  afterAll(async () => {
    await world?.server.rest('DELETE', `/api/v1/namespaces/${namespace}`).catch(() => undefined);
    await world?.close();
  }, patience);

  test(
    'each container restarts once, in its pod, and its image has the digest that runs',
    { timeout: patience },
    async () => {
      const before = await podsOf();
      for (const { metadata } of before)
        await ask(metadata.name, metadata.name, { strategy: { unreadyGracePeriodSeconds: 1 } });
      await eventually('all requests are over', async () =>
        (await listed(requests)).every((each) => endOf(each)[0] === 'Completed'),
      );
      const ends = (await listed(requests)).map(endOf);
      expect(ends).toEqual(before.map(() => ['Completed', 'main Succeeded true']));
      await eventually('all pods are back in traffic', async () => (await podsOf()).every(isReady));
      const after = await podsOf();
      expect(after.map(({ metadata }) => metadata.uid)).toEqual(before.map(({ metadata }) => metadata.uid));
      for (const { spec, status } of after) {
        expect(spec.containers[0]?.image).toMatch(/^example\.com\/web:1@sha256:[0-9a-f]{64}$/);
        expect(status?.containerStatuses?.[0]?.restartCount).toBe(1);
      }
    },
  );

  test('the server refuses another spec, and what is no request', { timeout: patience }, async () => {
    const [first] = await listed(requests);
    const name = first?.metadata.name ?? '';
    const changed = { ...first, spec: { ...(first?.['spec'] as object), activeDeadlineSeconds: 60 } };
    await expect(rest('PUT', `${requests}/${name}`, changed)).rejects.toThrow(/422/);
    await expect(ask('none', '')).rejects.toThrow(/422/);
    await expect(ask('soon', 'alone', { activeDeadlineSeconds: -1 })).rejects.toThrow(/422/);
  });

  test('the account of the runtime gives a pod of nobody no other image', { timeout: patience }, async () => {
    const patch = (image: string, annotations: JsonObject = {}): Promise<string> => {
      const body = JSON.stringify({
        metadata: { annotations },
        spec: { containers: [{ name: 'main', image }] },
      });
      const line = `patch pod alone -n ${namespace} --type=strategic --dry-run=server --as=${RUNTIME} -p`;
      return running().administer(`${line} ${body}`);
    };
    const [alone] = (await podsOf()).filter(({ metadata }) => metadata.name === 'alone');
    const [status] = alone?.status?.containerStatuses ?? [];
    const digest = status?.imageID?.slice(status.imageID.lastIndexOf('@')) ?? '';
    expect(digest).toMatch(/^@sha256:/);
    const refused = /may write only objects that a workload/;
    await expect(patch('example.com/web:2')).rejects.toThrow(refused);
    await expect(patch(`example.com/web@sha256:${'b'.repeat(64)}`)).rejects.toThrow(refused);
    await expect(patch(`example.com/web${digest}`, { own: '1' })).rejects.toThrow(refused);
    await patch(`example.com/web${digest}`, { [RECORD]: '{}' });
  });

  const unlike = { strategy: { terminationGracePeriodSeconds: 2 } };
  const ended = async (name: string): Promise<unknown[]> => {
    let end: unknown[] = [];
    await eventually('the request is over', async () => {
      const found = (await listed(requests)).find(({ metadata }) => metadata.name === name);
      end = found === undefined ? [] : endOf(found);
      return end[0] === 'Completed';
    });
    return end;
  };

  test('another grace is kept by a signal, as far as a kubelet runs it', { timeout: patience }, async () => {
    const named = async (): Promise<Pod | undefined> =>
      (await podsOf()).find(({ metadata }) => metadata.name === 'alone');
    const image = (await named())?.spec.containers[0]?.image;
    await ask('signal', 'alone', unlike);
    // A server without kubelets reaches none: the signal fails, and is not sent again.
    expect((await ended('signal')).join()).toMatch(
      /^Completed,main (Succeeded true|Failed kill container error: )/,
    );
    const alone = await named();
    expect(alone?.metadata.annotations?.[RECORD]).toContain('"until":');
    expect(alone?.spec.containers[0]?.image).toBe(image);
  });

  test('the account of the runtime runs nothing but the signal', { timeout: patience }, async () => {
    // kubectl opens no web socket over plain HTTP: test/security/exec.test.ts has the same attempts.
    if (running().name === 'the sandbox') return;
    const exec = async (words: string, options = ''): Promise<string> =>
      running()
        .administer(`exec alone -n ${namespace} --as=${RUNTIME} ${options} -- ${words}`)
        .then(
          () => 'ran',
          (error: unknown) => String(error),
        );
    const refused = /may run nothing in a container but what asks its first process to end/;
    for (const words of ['ls', 'kill -KILL 1', 'kill -TERM 1 2', 'sh'])
      expect(await exec(words)).toMatch(refused);
    expect(await exec('kill -TERM 1', '-i')).toMatch(refused);
    expect(await exec('kill -TERM 1', '-c main')).not.toMatch(/denied request|Forbidden/);
  });
});
