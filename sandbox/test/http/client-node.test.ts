import {
  CoreV1Api,
  Exec,
  KubeConfig,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
  type V1ConfigMap,
  type V1Status,
  Watch,
} from '@kubernetes/client-node';
import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createWallClock } from '../../clock/index.ts';
import { makeIdentity } from '../../http/certificate.ts';
import { serve } from '../../http/serve.ts';
import { createWorld } from '../../world.ts';

/** The client that operators in JavaScript are written with, as its users configure it. */
describe.each(['http', 'https'])('@kubernetes/client-node over %s', (protocol) => {
  let close = async (): Promise<void> => undefined;
  afterEach(async () => close());

  async function connect(): Promise<KubeConfig> {
    const world = createWorld({ clock: createWallClock(50), crds: [], bookmarkMs: 1_000 });
    const front = await serve(world, protocol === 'https' ? { tls: await makeIdentity() } : {});
    close = async () => {
      await front.close();
      world.stop();
    };
    const config = new KubeConfig();
    config.loadFromString(front.kubeconfig);
    return config;
  }

  const namespace = 'default';
  const settings = { metadata: { name: 'settings' }, data: { size: '1' } };
  const as = (type: string) => setHeaderOptions('Content-Type', type);

  test('an informer follows four kinds of patch', async () => {
    const config = await connect();
    const core = config.makeApiClient(CoreV1Api);
    const seen: string[] = [];
    const list = async () => core.listNamespacedConfigMap({ namespace });
    const informer = makeInformer<V1ConfigMap>(config, `/api/v1/namespaces/${namespace}/configmaps`, list);
    for (const event of ['add', 'update', 'delete'] as const)
      informer.on(event, ({ data }) => seen.push(`${event} ${data?.['size']}`));
    await informer.start();
    const { name } = settings.metadata;
    await core.createNamespacedConfigMap({ namespace, body: settings });
    const patch = async (type: string, body: unknown) =>
      core.patchNamespacedConfigMap({ namespace, name, body, fieldManager: 'me' }, as(type));
    await patch(PatchStrategy.MergePatch, { data: { size: '2' } });
    await patch(PatchStrategy.StrategicMergePatch, { data: { size: '3' } });
    await patch(PatchStrategy.JsonPatch, [{ op: 'replace', path: '/data/size', value: '4' }]);
    const applied = { apiVersion: 'v1', kind: 'ConfigMap', ...settings, data: { size: '5' } };
    await expect(patch(PatchStrategy.ServerSideApply, applied)).rejects.toMatchObject({ code: 409 });
    await core.patchNamespacedConfigMap(
      { namespace, name, body: applied, fieldManager: 'me', force: true },
      as(PatchStrategy.ServerSideApply),
    );
    await core.deleteNamespacedConfigMap({ namespace, name });
    await vi.waitFor(() => expect(seen.at(-1)).toBe('delete 5'));
    expect(seen).toEqual(['add 1', 'update 2', 'update 3', 'update 4', 'update 5', 'delete 5']);
    await informer.stop();
  });

  test('a watch gets bookmarks', async () => {
    const types: string[] = [];
    const options = { allowWatchBookmarks: true, resourceVersion: '0' };
    const watch = await new Watch(await connect()).watch(
      '/api/v1/nodes',
      options,
      (type: string) => types.push(type),
      () => undefined,
    );
    await vi.waitFor(() => expect(types).toContain('BOOKMARK'));
    watch.abort();
  });

  test('commands and logs are what the annotation of the pod says', async () => {
    const config = await connect();
    const core = config.makeApiClient(CoreV1Api);
    const script = JSON.stringify({ main: { log: ['hello'], exec: { 'cat /etc/version': '1.27' } } });
    const metadata = { name: 'web', annotations: { 'sandbox/containers': script } };
    const spec = { containers: [{ name: 'main', image: 'web:1' }] };
    await core.createNamespacedPod({ namespace, body: { metadata, spec } });
    await vi.waitFor(async () => {
      const { status } = await core.readNamespacedPod({ namespace, name: 'web' });
      expect(status?.phase).toBe('Running');
    });
    expect(await core.readNamespacedPodLog({ namespace, name: 'web' })).toBe('hello\n');
    const output = new PassThrough();
    const status = await new Promise<V1Status>((resolve, reject) => {
      new Exec(config)
        .exec(namespace, 'web', 'main', ['cat', '/etc/version'], output, null, null, false, resolve)
        .catch(reject);
    });
    expect([status.status, String(output.read())]).toEqual(['Success', '1.27']);
  });
});
