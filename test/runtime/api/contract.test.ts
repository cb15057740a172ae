import { describe, expect, test } from 'vitest';
import { createHttpCluster } from '../../../runtime/api/http-cluster.ts';
import { createWallClock } from 'kruise-sandbox/clock';
import { serve } from 'kruise-sandbox/http';
import { ApiError, type Cluster, type WatchOptions } from '../../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { configMap, configMaps, pod, stage, widget, widgets, type Stage } from '../../fixtures/widgets.ts';
import { afterwards, connectionTo } from './scripted.ts';

/** The same calls of the port, to a world in process and to one over HTTP. */
type Step = (cluster: Cluster, stage: Stage) => Promise<unknown>;

const at = (name: string) => ({ namespace: 'default', name });
const manager = { fieldManager: 'test' };
const user = 'kubernetes-admin';

async function inProcess(): Promise<[Cluster, Stage]> {
  const staged = stage({ nodes: 1 });
  afterwards(() => staged.world.stop());
  return [staged.world.cluster(user), staged];
}

async function overHttp(): Promise<[Cluster, Stage]> {
  const staged = stage({ nodes: 1 });
  const tokens = new Map([['secret', user]]);
  const listener = await serve(staged.world, { tokens });
  const cluster = createHttpCluster({
    connection: connectionTo(listener.url),
    clock: createWallClock(),
    random: () => 0,
    userAgent: 'test/1',
  });
  afterwards(() => {
    cluster.close();
    staged.world.stop();
    void listener.close();
  });
  return [cluster, staged];
}

/** What every step came to. */
async function transcript([cluster, staged]: [Cluster, Stage], steps: readonly Step[]): Promise<unknown[]> {
  const outcomes: unknown[] = [];
  for (const step of steps) {
    const outcome = await step(cluster, staged).then(
      (answer) => ({ answer: answer ?? null }),
      (error: unknown) => {
        if (error instanceof ApiError) return { refused: error.status };
        throw error;
      },
    );
    // As JSON, so that what is undefined and what is not there are the same.
    outcomes.push(JSON.parse(JSON.stringify(outcome)));
    await staged.clock.settle();
  }
  return outcomes;
}

async function same(steps: readonly Step[], refusals: number): Promise<void> {
  const expected = await transcript(await inProcess(), steps);
  const actual = await transcript(await overHttp(), steps);
  expect(actual).toEqual(expected);
  // A suite in which everything is refused would prove nothing.
  expect(expected.filter((outcome) => Object.hasOwn(outcome as object, 'refused'))).toHaveLength(refusals);
}

const binding = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Binding',
  metadata: { name, namespace: 'default' },
  target: { apiVersion: 'v1', kind: 'Node', name: 'node-1' },
});

const eviction = (name: string): KubeObject => ({
  apiVersion: 'policy/v1',
  kind: 'Eviction',
  metadata: { name, namespace: 'default' },
});

describe('the HTTP cluster and the in-process cluster behave alike', () => {
  test('create, get, replace, delete, and their refusals', async () => {
    await same(
      [
        async (c) => c.create(configMaps, configMap('a', { labels: { x: 'y' } }, { k: 'v' }), manager),
        async (c) => c.create(configMaps, configMap('a'), manager),
        async (c) =>
          c.create(
            configMaps,
            { ...configMap('-'), metadata: { name: '', generateName: 'g-', namespace: 'default' } },
            manager,
          ),
        async (c) => c.create(configMaps, { ...configMap('b'), metadata: { name: 'b' } }, manager),
        async (c) => c.create(widgets, widget('w', { size: 11, colour: 'green' }), manager),
        async (c) => c.create(widgets, widget('w'), manager),
        async (c) =>
          c.create(
            resources.Namespace,
            { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } },
            manager,
          ),
        async (c) => c.get(configMaps, at('a')),
        async (c) => c.get(configMaps, at('none')),
        async (c) => c.get(configMaps, { name: 'a' }),
        async (c) => c.get({ ...widgets, plural: 'gadgets' }, at('a')),
        async (c) =>
          c.replace(configMaps, { ...(await c.get(configMaps, at('a'))), data: { k: 'w' } }, manager),
        async (c) => c.replace(configMaps, configMap('a', { resourceVersion: '1' }), manager),
        async (c) => c.replace(configMaps, configMap('a', { uid: 'another' }), manager),
        async (c) => c.replace(configMaps, configMap('none'), manager),
        async (c) => c.delete(configMaps, at('a'), { uid: 'another' }),
        async (c) => c.delete(configMaps, at('a'), { resourceVersion: '1' }),
        async (c) => c.delete(configMaps, at('a')),
        async (c) => c.delete(configMaps, at('a')),
      ],
      12,
    );
  });

  test('each type of patch, with its preconditions', async () => {
    await same(
      [
        async (c) => c.create(configMaps, configMap('a', {}, { k: 'v' }), manager),
        async (c) => c.create(resources.Pod, pod('p'), manager),
        async (c) => c.create(widgets, widget('w'), manager),
        async (c) =>
          c.patch(configMaps, at('a'), { type: 'merge', body: { data: { k: null, l: '1' } } }, manager),
        async (c) =>
          c.patch(
            configMaps,
            at('a'),
            { type: 'merge', body: { metadata: { resourceVersion: '1' } } },
            manager,
          ),
        async (c) =>
          c.patch(configMaps, at('a'), { type: 'merge', body: { metadata: { uid: 'other' } } }, manager),
        async (c) =>
          c.patch(
            configMaps,
            at('a'),
            {
              type: 'json',
              body: [
                { op: 'test', path: '/data/l', value: '1' },
                { op: 'add', path: '/data/m', value: '2' },
              ],
            },
            manager,
          ),
        async (c) =>
          c.patch(
            configMaps,
            at('a'),
            { type: 'json', body: [{ op: 'test', path: '/data/l', value: '2' }] },
            manager,
          ),
        async (c) =>
          c.patch(
            resources.Pod,
            at('p'),
            { type: 'strategic', body: { spec: { containers: [{ name: 'main', image: 'web:2' }] } } },
            manager,
          ),
        async (c) => c.patch(widgets, at('w'), { type: 'strategic', body: {} }, manager),
        async (c) => c.patch(widgets, at('w'), { type: 'merge', body: { spec: { size: -1 } } }, manager),
        async (c) =>
          c.patch(
            configMaps,
            at('b'),
            {
              type: 'apply',
              body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b' }, data: { k: '1' } },
            },
            { fieldManager: 'one' },
          ),
        async (c) =>
          c.patch(
            configMaps,
            at('b'),
            {
              type: 'apply',
              body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b' }, data: { k: '2' } },
            },
            { fieldManager: 'two' },
          ),
        async (c) =>
          c.patch(
            configMaps,
            at('b'),
            {
              type: 'apply',
              force: true,
              body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b' }, data: { k: '2' } },
            },
            { fieldManager: 'two' },
          ),
        async (c) => c.patch(configMaps, at('none'), { type: 'merge', body: {} }, manager),
      ],
      7,
    );
  });

  test('subresources', async () => {
    const resized = { spec: { containers: [{ name: 'main', resources: { requests: { cpu: '2m' } } }] } };
    await same(
      [
        async (c) => c.create(resources.Pod, pod('p'), manager),
        async (c) =>
          c.create(
            resources.Pod,
            pod('q', 'web:1', {
              schedulerName: 'nobody',
              containers: [{ name: 'main', image: 'web:1', resources: { requests: { cpu: '1m' } } }],
            }),
            manager,
          ),
        async (c) => c.create(widgets, widget('w'), manager),
        async (_, { clock }) => clock.advance(10_000),
        async (c) =>
          c.patch(
            widgets,
            at('w'),
            { type: 'merge', body: { status: { replicas: 3 } } },
            { ...manager, subresource: 'status' },
          ),
        async (c) =>
          c.replace(
            widgets,
            { ...(await c.get(widgets, at('w'))), status: { note: 'x' } },
            { ...manager, subresource: 'status' },
          ),
        async (c) =>
          c.patch(
            widgets,
            at('w'),
            { type: 'merge', body: { spec: { replicas: 5 } } },
            { ...manager, subresource: 'scale' },
          ),
        async (c) =>
          c.patch(configMaps, at('w'), { type: 'merge', body: {} }, { ...manager, subresource: 'scale' }),
        async (c) => c.create(resources.Pod, binding('q'), { ...manager, subresource: 'binding' }),
        async (c) => c.create(resources.Pod, binding('p'), { ...manager, subresource: 'binding' }),
        async (c) =>
          c.patch(
            resources.Pod,
            at('q'),
            { type: 'strategic', body: resized },
            { ...manager, subresource: 'resize' },
          ),
        async (c) =>
          c.patch(
            resources.Pod,
            at('q'),
            { type: 'merge', body: { status: { message: 'x' } } },
            { ...manager, subresource: 'status' },
          ),
        async (c) => c.create(resources.Pod, eviction('p'), { ...manager, subresource: 'eviction' }),
        async (c) => c.create(resources.Pod, eviction('none'), { ...manager, subresource: 'eviction' }),
        async (c) => c.get(resources.Pod, at('p')),
      ],
      3,
    );
  });

  test('options of writes and of deletions', async () => {
    const wrong = { ...configMap('a'), unknown: 1 };
    await same(
      [
        async (c) => c.create(configMaps, configMap('a'), { ...manager, dryRun: true }),
        async (c) => c.get(configMaps, at('a')),
        async (c) => c.create(configMaps, wrong, { ...manager, fieldValidation: 'Strict' }),
        async (c) => c.create(configMaps, wrong, { ...manager, fieldValidation: 'Ignore' }),
        async (c) => c.create(configMaps, configMap('f', { finalizers: ['test.example/hold'] }), manager),
        async (c) => c.delete(configMaps, at('f'), { dryRun: true }),
        async (c) => c.delete(configMaps, at('f'), { propagationPolicy: 'Foreground' }),
        async (c) => c.delete(configMaps, at('f')),
        async (c) =>
          c.patch(configMaps, at('f'), { type: 'merge', body: { metadata: { finalizers: null } } }, manager),
        async (c) => c.get(configMaps, at('f')),
        async (c) => c.create(resources.Pod, pod('p'), manager),
        async (_, { clock }) => clock.advance(10_000),
        async (c) => c.delete(resources.Pod, at('p'), { gracePeriodSeconds: 5 }),
        async (_, { clock }) => clock.advance(20_000),
        async (c) => c.get(resources.Pod, at('p')),
        async (c) => c.create(resources.Pod, pod('q'), manager),
        async (c) => c.delete(resources.Pod, at('q'), { gracePeriodSeconds: 0 }),
        async (c) => c.delete(configMaps, at('a'), { propagationPolicy: 'Orphan' }),
      ],
      4,
    );
  });

  test('lists: selectors, pages, versions, and a page that has expired', async () => {
    let token = '';
    await same(
      [
        ...['a', 'b', 'c', 'd'].map(
          (name): Step =>
            async (c) =>
              c.create(configMaps, configMap(name, { labels: { n: name } }), manager),
        ),
        async (c) => c.list(configMaps),
        async (c) => c.list(configMaps, { namespace: 'none' }),
        async (c) =>
          (await c.list(configMaps, { answer: 'metadata' })).items.map(({ kind, metadata }) => [
            kind,
            metadata,
          ]),
        async (c) => c.list(configMaps, { namespace: 'default', labelSelector: 'n in (a,b),n!=b' }),
        async (c) => c.list(configMaps, { fieldSelector: 'metadata.name=c' }),
        async (c) => c.list(configMaps, { labelSelector: 'n in' }),
        async (c) => c.list(configMaps, { fieldSelector: 'spec.x=y' }),
        async (c) => {
          const first = await c.list(configMaps, { limit: 3 });
          token = first.metadata.continue ?? '';
          return [first.items.length, await c.list(configMaps, { limit: 3, continue: token })];
        },
        async (c) => c.list(configMaps, { resourceVersion: '1', resourceVersionMatch: 'Exact' }),
        async (c, { world }) => {
          await c.create(configMaps, configMap('e'), manager);
          world.compact(configMaps);
          return c.list(configMaps, { limit: 3, continue: token });
        },
        async (c) => c.list({ ...widgets, plural: 'gadgets' }),
        async (c) => c.list(resources.Node),
      ],
      4,
    );
  });

  test.each<[what: string, options: WatchOptions, steps: Step[]]>([
    [
      'from a version on, through a selector, with bookmarks',
      { resourceVersion: 'now', namespace: 'default', labelSelector: 'a=b', allowBookmarks: true },
      [
        async (c) => c.create(configMaps, configMap('x', { labels: { a: 'b' } }), manager),
        async (c) => c.create(configMaps, configMap('y'), manager),
        async (c) =>
          c.patch(
            configMaps,
            at('x'),
            { type: 'merge', body: { metadata: { labels: { a: 'c' } } } },
            manager,
          ),
        async (_, { clock }) => clock.advance(120_000),
      ],
    ],
    [
      'with the present state first',
      { resourceVersion: '', sendInitialEvents: true, allowBookmarks: true },
      [async (c) => c.delete(configMaps, at('first'))],
    ],
    ['from a version that is forgotten', { resourceVersion: '1' }, []],
    ['from a version that is none', { resourceVersion: 'abc' }, []],
    ['ended by the server', { resourceVersion: 'now' }, [async (_, { world }) => world.server.endWatches()]],
  ])('a watch %s', async (_, options, steps) => {
    const [expected, actual] = await Promise.all(
      [inProcess(), overHttp()].map(async (made) => watched(await made, options, steps)),
    );
    expect(actual).toEqual(expected);
    expect(expected?.length).toBeGreaterThan(0);
  });
});

/** The events of a watch during the steps. */
async function watched(
  made: [Cluster, Stage],
  options: WatchOptions,
  steps: readonly Step[],
): Promise<unknown[]> {
  const [cluster, staged] = made;
  const events: unknown[] = [];
  await cluster.create(configMaps, configMap('first'), manager);
  const { metadata } = await cluster.list(configMaps);
  if (options.resourceVersion === '1') staged.world.compact(configMaps);
  const resourceVersion =
    options.resourceVersion === 'now' ? metadata.resourceVersion : options.resourceVersion;
  cluster.watch(
    configMaps,
    { ...options, resourceVersion },
    {
      onEvent: (event) => events.push(event),
      onEnd: (error) => events.push(error instanceof ApiError ? error.status : (error ?? 'end')),
    },
  );
  await pause();
  for (const step of steps) {
    await step(cluster, staged);
    await staged.clock.settle();
    await pause();
  }
  return JSON.parse(JSON.stringify(events)) as unknown[];
}

/** What is on its way over a socket arrives. */
async function pause(): Promise<void> {
  await new Promise((resolve) => void setTimeout(resolve, 50));
}
