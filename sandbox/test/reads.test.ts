import { describe, expect, test } from 'vitest';
import {
  ApiError,
  type Cluster,
  type ListOptions,
  type WatchEvent,
  type WatchOptions,
} from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { configMap, configMaps, pod, refusal, stage, widget, widgets } from './world.ts';

const at = (name: string) => ({ namespace: 'default', name });

async function names(cluster: Cluster, options: ListOptions): Promise<string> {
  const { items } = await cluster.list(configMaps, options);
  return items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).join(' ');
}

describe('list', () => {
  test('is sorted as etcd sorts its keys', async () => {
    const { alice } = stage({ namespaces: ['default', 'default-b'] });
    for (const name of ['b', 'a', 'a-b', 'a.b', 'c'])
      await alice.create(configMaps, configMap(name, name === 'c' ? { namespace: 'default-b' } : {}));
    expect(await names(alice, {})).toBe('default-b/c default/a default/a-b default/a.b default/b');
    expect(await names(alice, { namespace: 'default-b' })).toBe('default-b/c');
  });

  const selectors: [string, string][] = [
    ['', 'a b c'],
    ['app=web', 'a b'],
    ['app==web', 'a b'],
    ['app!=web', 'c'],
    ['app', 'a b'],
    ['!app', 'c'],
    ['app=web,tier=front', 'a'],
    ['tier in (front, back)', 'a b'],
    ['tier notin (front)', 'b c'],
    ['tier in (front),app', 'a'],
    ['weight>5', 'b'],
    ['weight<5', 'a'],
    ['toString', ''],
  ];
  test.each(selectors)('labels: %j selects %j', async (labelSelector, expected) => {
    const { alice } = stage();
    await alice.create(configMaps, configMap('a', { labels: { app: 'web', tier: 'front', weight: '1' } }));
    await alice.create(configMaps, configMap('b', { labels: { app: 'web', tier: 'back', weight: '10' } }));
    await alice.create(configMaps, configMap('c'));
    const { items } = await alice.list(configMaps, { labelSelector });
    expect(items.map((item) => item.metadata.name).join(' ')).toBe(expected);
  });

  const fieldSelectors: [string, string][] = [
    ['metadata.name=a', 'a'],
    ['metadata.name!=a', 'b'],
    ['metadata.namespace=default,metadata.name=b', 'b'],
    ['spec.nodeName=', 'b'],
    ['spec.nodeName=node-1', 'a'],
    ['status.phase=Running', 'a'],
  ];
  test.each(fieldSelectors)('fields: %j selects %j', async (fieldSelector, expected) => {
    const { alice, clock } = stage({ nodes: 1 });
    await alice.create(resources.Pod, pod('a'));
    await clock.advance(10_000);
    await alice.create(resources.Pod, pod('b'));
    const { items } = await alice.list(resources.Pod, { fieldSelector });
    expect(items.map((item) => item.metadata.name).join(' ')).toBe(expected);
  });

  const bad: [string, ListOptions, number, string][] = [
    [
      'a field nobody selects by',
      { fieldSelector: 'spec.x=1' },
      400,
      '"spec.x" is not a known field selector: only "metadata.name", "metadata.namespace"',
    ],
    ['half a requirement', { labelSelector: 'a in (b' }, 400, 'unable to parse requirement'],
    ['a bad label value', { labelSelector: 'a=b!c' }, 400, "found '!', expected: ',' or 'end of string'"],
    [
      'a revision that is yet to come',
      { resourceVersion: '999999' },
      504,
      'Too large resource version: 999999, current: ',
    ],
    ['a foreign continue key', { continue: 'abc' }, 400, 'continue key is not valid'],
  ];
  test.each(bad)('refuses %s', async (_what, options, code, message) => {
    const status = await refusal(stage().alice.list(configMaps, options));
    expect(status.code).toBe(code);
    expect(status.message).toContain(message);
  });

  test('pages show one state, whatever happens in between', async () => {
    const { alice, world } = stage();
    for (const name of ['a', 'b', 'c', 'd']) await alice.create(configMaps, configMap(name));
    const first = await alice.list(configMaps, { limit: 2 });
    expect(first.items.map((item) => item.metadata.name)).toEqual(['a', 'b']);
    expect(first.metadata.remainingItemCount).toBe(2);
    await alice.delete(configMaps, at('c'));
    await alice.create(configMaps, configMap('bb'));
    await alice.patch(configMaps, at('d'), { type: 'merge', body: { data: { x: 'y' } } });
    const second = await alice.list(configMaps, { limit: 2, continue: first.metadata.continue ?? '' });
    expect(second.items.map((item) => item.metadata.name)).toEqual(['c', 'd']);
    expect(second.items[1]?.['data']).toBeUndefined();
    expect(second.metadata).toEqual({ resourceVersion: first.metadata.resourceVersion });
    world.compact(configMaps);
    const late = await refusal(alice.list(configMaps, { continue: first.metadata.continue ?? '' }));
    expect(late).toMatchObject({ code: 410, reason: 'Expired' });
  });
});

/** Collects what a watch delivers, one line each. */
function follow(cluster: Cluster, options: WatchOptions, resource = configMaps) {
  const seen: string[] = [];
  const line = (event: WatchEvent) =>
    event.type === 'BOOKMARK'
      ? `BOOKMARK ${event.resourceVersion}`
      : `${event.type} ${event.object.metadata.name} ${event.object.metadata.resourceVersion}`;
  const handle = cluster.watch(resource, options, {
    onEvent: (event) => seen.push(line(event)),
    onEnd: (error) => seen.push(`END ${error instanceof ApiError ? error.status.code : 'closed'}`),
  });
  return { seen, handle };
}

describe('watch', () => {
  test('calls onOpen before its first event, never synchronously, and not if it is refused', async () => {
    const { clock, world, alice } = stage();
    const { metadata } = await alice.list(configMaps);
    await alice.create(configMaps, configMap('a'));
    const said: string[] = [];
    const sink = {
      onOpen: () => said.push('open'),
      onEvent: () => said.push('event'),
      onEnd: () => said.push('end'),
    };
    alice.watch(configMaps, { resourceVersion: metadata.resourceVersion }, sink);
    expect(said).toEqual([]);
    await clock.settle();
    expect(said).toEqual(['open', 'event']);
    said.length = 0;
    world.compact(configMaps);
    alice.watch(configMaps, { resourceVersion: metadata.resourceVersion }, sink);
    await clock.settle();
    expect(said).toEqual(['end']);
  });

  test('delivers what comes after its revision, in order, never synchronously', async () => {
    const { alice, clock } = stage({ nodes: 0 });
    const a = await alice.create(configMaps, configMap('a'));
    const from = Number(a.metadata.resourceVersion);
    await alice.create(configMaps, configMap('b'));
    const { seen } = follow(alice, { resourceVersion: String(from) });
    void alice.patch(configMaps, at('a'), { type: 'merge', body: { data: { x: 'y' } } });
    void alice.delete(configMaps, at('b'));
    expect(seen).toEqual([]);
    await clock.settle();
    expect(seen).toEqual([`ADDED b ${from + 1}`, `MODIFIED a ${from + 2}`, `DELETED b ${from + 3}`]);
  });

  test('from a revision that is yet to come it waits until that has passed', async () => {
    const { alice, clock } = stage({ nodes: 0 });
    const a = await alice.create(configMaps, configMap('a'));
    const { seen } = follow(alice, { resourceVersion: String(Number(a.metadata.resourceVersion) + 1) });
    await alice.create(configMaps, configMap('b'));
    await alice.create(configMaps, configMap('c'));
    await clock.settle();
    expect(seen.map((line) => line.split(' ')[1])).toEqual(['c']);
  });

  test('entering a selector is ADDED, leaving it DELETED', async () => {
    const { alice, clock } = stage({ nodes: 0 });
    const a = await alice.create(configMaps, configMap('a'));
    const from = Number(a.metadata.resourceVersion);
    const { seen } = follow(alice, { resourceVersion: String(from), labelSelector: 'on' });
    const label = (on: string | null) =>
      alice.patch(configMaps, at('a'), { type: 'merge', body: { metadata: { labels: { on } } } });
    await label('1');
    await label('2');
    await label(null);
    await alice.patch(configMaps, at('a'), { type: 'merge', body: { data: { x: 'y' } } });
    await label('3');
    await alice.delete(configMaps, at('a'));
    await clock.settle();
    expect(seen).toEqual([
      `ADDED a ${from + 1}`,
      `MODIFIED a ${from + 2}`,
      `DELETED a ${from + 3}`,
      `ADDED a ${from + 5}`,
      `DELETED a ${from + 6}`,
    ]);
  });

  test('sees its namespace only', async () => {
    const { alice, clock } = stage({ nodes: 0, namespaces: ['default', 'other'] });
    const { seen } = follow(alice, { resourceVersion: '', namespace: 'other' });
    await alice.create(configMaps, configMap('a'));
    await alice.create(configMaps, configMap('b', { namespace: 'other' }));
    await clock.settle();
    expect(seen.map((line) => line.split(' ')[1])).toEqual(['b']);
  });

  test.each(['', '0'])('from %j it starts with the current objects', async (resourceVersion) => {
    const { alice, clock } = stage({ nodes: 0 });
    await alice.create(configMaps, configMap('b'));
    await alice.create(configMaps, configMap('a'));
    const { seen } = follow(alice, { resourceVersion });
    await clock.settle();
    expect(seen.map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual(['ADDED a', 'ADDED b']);
  });

  test('is refused with 410 when the history is forgotten, compacted or overrun', async () => {
    const { alice, clock, world } = stage({ nodes: 0, historySize: 2 });
    const made = await alice.create(configMaps, configMap('a'));
    const from = made.metadata.resourceVersion ?? '';
    for (const x of ['1', '2', '3'])
      await alice.patch(configMaps, at('a'), { type: 'merge', body: { data: { x } } });
    const overrun = follow(alice, { resourceVersion: from });
    expect(overrun.seen).toEqual([]);
    const recent = follow(alice, { resourceVersion: String(Number(from) + 1) });
    await clock.settle();
    expect(overrun.seen).toEqual(['END 410']);
    expect(recent.seen.length).toBe(2);
    world.compact(configMaps);
    const compacted = follow(alice, { resourceVersion: String(Number(from) + 2) });
    await clock.settle();
    expect(compacted.seen).toEqual(['END 410']);
  });

  test('sends nothing after stop', async () => {
    const { alice, clock } = stage({ nodes: 0 });
    const { seen, handle } = follow(alice, { resourceVersion: '' });
    await alice.create(configMaps, configMap('a'));
    await clock.settle();
    void alice.create(configMaps, configMap('b'));
    handle.stop();
    await clock.settle();
    expect(seen.length).toBe(1);
  });

  test('the end of the server closes it, after what happened before', async () => {
    const { alice, clock, world } = stage({ nodes: 0 });
    const { seen } = follow(alice, { resourceVersion: '' });
    void alice.create(configMaps, configMap('a'));
    world.stop();
    await clock.settle();
    expect(seen.map((line) => line.split(' ')[0])).toEqual(['ADDED', 'END']);
  });

  test('bookmarks report the revision, each minute with changes', async () => {
    const { alice, clock } = stage({ nodes: 0 });
    const { seen } = follow(alice, { resourceVersion: '', allowBookmarks: true });
    const made = await alice.create(widgets, widget('a'));
    await clock.advance(59_999);
    expect(seen).toEqual([]);
    await clock.advance(180_001);
    expect(seen).toEqual([`BOOKMARK ${made.metadata.resourceVersion}`]);
  });

  test('shows the version it was asked for', async () => {
    const { alice, clock } = stage({ nodes: 0 });
    const versions: string[] = [];
    alice.watch(
      { ...widgets, version: 'v1beta1' },
      { resourceVersion: '' },
      {
        onEvent: (event) => versions.push(event.type === 'BOOKMARK' ? '' : event.object.apiVersion),
        onEnd: () => {},
      },
    );
    await alice.create(widgets, widget('a'));
    await clock.settle();
    expect(versions).toEqual(['test.example/v1beta1']);
  });
});
