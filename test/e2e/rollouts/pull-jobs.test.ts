import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isKubectlShipped } from '../../../examples/demo/kubectl-binary.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { listPullJob, shownList } from '../../fixtures/list-pull-jobs.ts';
import { nodeImage, shownImages } from '../../fixtures/node-images.ts';
import { pullJob, shownPull } from '../../fixtures/pull-jobs.ts';
import { findBinaries } from '../binaries.ts';
import { eventually } from './programs.ts';
import { startWorld, type World } from './world.ts';

const patience = 240_000;
const kubectl = findBinaries().at(-1);
/** A node takes part half a minute after it was created. */
const WAITS = { limitMs: 120_000 };
const KRUISE = '/apis/apps.kruise.io/v1beta1';

/** Jobs and NodeImages that pull, by the shipped program, roles and policies, with a simulated kubelet. */
describe.skipIf(kubectl === undefined && !isKubectlShipped)('images that are pulled ahead', () => {
  let world: World | undefined;
  const namespace = `e2e-pulls-${process.pid}`;
  const jobs = `${KRUISE}/namespaces/${namespace}/imagepulljobs`;
  const lists = `${KRUISE}/namespaces/${namespace}/imagelistpulljobs`;
  let nodes: string[] = [];

  const rest = (verb: string, path: string, body?: object): Promise<unknown> => {
    if (world === undefined) throw new Error('there is no server');
    return world.server.rest(verb, path, body);
  };
  const read = async (path: string): Promise<KubeObject> => (await rest('GET', path)) as KubeObject;
  const listed = async (path: string): Promise<KubeObject[]> =>
    ((await rest('GET', path)) as { items: KubeObject[] }).items;
  const pods = async (where = namespace): Promise<Pod[]> =>
    (await listed(`/api/v1/namespaces/${where}/pods`)) as Pod[];
  const post = (path: string, object: KubeObject): Promise<unknown> =>
    rest('POST', path, { ...object, metadata: { ...object.metadata, namespace } });
  /** What an object shows once it shows an end. */
  async function shownAtEnd(
    path: string,
    shown: (object: KubeObject) => string,
    isEnd: RegExp,
  ): Promise<string> {
    let text = '';
    await eventually(
      `the end of ${path}`,
      async () => {
        text = shown(await read(path));
        return isEnd.test(text);
      },
      { ...WAITS, context: () => text },
    );
    return text;
  }
  const create = (name: string): Promise<unknown> =>
    rest('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

  beforeAll(async () => {
    if (kubectl === undefined) throw new Error('there is no kubectl');
    world = await startWorld(kubectl);
    await world.startRuntime({ args: ['--policy', 'Auto'] });
    await create(namespace);
    nodes = (await listed('/api/v1/nodes')).map(({ metadata }) => metadata.name).sort();
  }, patience);

  afterAll(async () => {
    await rest('DELETE', `${KRUISE}/nodeimages/${nodes[0] ?? ''}`).catch(() => undefined);
    await rest('DELETE', `/api/v1/namespaces/${namespace}`).catch(() => undefined);
    await world?.close();
  }, patience);

  test(
    'a job brings an image to every node by unprivileged pods, and leaves none',
    { timeout: patience },
    async () => {
      const seen = new Map<string, Pod>();
      await post(jobs, pullJob('ahead', { parallelism: 1 }));
      await eventually(
        'the job is over, and its pods are gone',
        async () => {
          const found = await pods();
          for (const pod of found) seen.set(pod.metadata.name, pod);
          return found.length === 0 && shownPull(await read(`${jobs}/ahead`)).includes('job has completed');
        },
        WAITS,
      );
      const all = nodes.length;
      expect(shownPull(await read(`${jobs}/ahead`))).toBe(
        `${all} desired, 0 active, ${all} succeeded, 0 failed: job has completed`,
      );
      const [one] = seen.values();
      expect(one?.spec).toMatchObject({
        ...{ automountServiceAccountToken: false, restartPolicy: 'Never', activeDeadlineSeconds: 600 },
        securityContext: { runAsNonRoot: true },
      });
      expect(one?.spec['volumes'] ?? []).toEqual([]);
    },
  );

  test('one that no registry has fails on its nodes, and says where', { timeout: patience }, async () => {
    const [first = ''] = nodes;
    const spec: JsonObject = {
      ...{ image: 'example.com/web:2-missing', selector: { names: [first, 'nowhere'] } },
      pullPolicy: { backoffLimit: 0 },
    };
    await post(jobs, pullJob('broken', spec));
    const text = await shownAtEnd(`${jobs}/broken`, shownPull, /job has completed/);
    expect(text).toBe(`1 desired, 0 active, 0 succeeded, 1 failed (${first}): job has completed`);
  });

  test('a list has a job for each image', { timeout: patience }, async () => {
    const [first = ''] = nodes;
    await post(lists, listPullJob('list', { images: ['web:2', 'db:2'], selector: { names: [first] } }));
    expect(await shownAtEnd(`${lists}/list`, shownList, /: over$/)).toBe(
      '2 desired, 0 active, 2 completed, 2 succeeded: over',
    );
  });

  test('a NodeImage says what one node is to have', { timeout: patience }, async () => {
    const [first = ''] = nodes;
    const daemon = 'kruise-daemon-config';
    await create(daemon).catch(() => undefined);
    await rest('POST', `${KRUISE}/nodeimages`, nodeImage(first, { web: { tags: [{ tag: '3' }] } }));
    expect(await shownAtEnd(`${KRUISE}/nodeimages/${first}`, shownImages, /Succeeded|Failed/)).toBe(
      'web:3 Succeeded: 1 desired, 1 succeeded',
    );
    await eventually('its pod is gone', async () => (await pods(daemon)).length === 0);
  });

  test('the server refuses what is no job, and other Secrets', { timeout: patience }, async () => {
    await expect(post(jobs, pullJob('none', { image: '' }))).rejects.toThrow(/422/);
    await expect(post(jobs, pullJob('part', { parallelism: '10%' }))).rejects.toThrow(/422/);
    const job = await read(`${jobs}/ahead`);
    const changed = { ...job, spec: { ...(job['spec'] as object), pullSecrets: ['other'] } };
    await expect(rest('PUT', `${jobs}/ahead`, changed)).rejects.toThrow(/422/);
  });
});
