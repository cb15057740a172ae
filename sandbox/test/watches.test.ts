import { describe, expect, test } from 'vitest';
import { ApiError, type Cluster, type WatchOptions } from '../../schemas/wire/cluster.ts';
import { configMap, configMaps, refusal, stage, type Stage } from './world.ts';

/** The events of a watch, one line each, with revisions relative to `base`. */
function follow(cluster: Cluster, options: WatchOptions, base = 0): string[] {
  const seen: string[] = [];
  const since = (revision: string | undefined) => Number(revision) - base;
  cluster.watch(configMaps, options, {
    onEvent: (event) =>
      seen.push(
        event.type === 'BOOKMARK'
          ? `BOOKMARK ${since(event.resourceVersion)}${event.initialEventsEnd === true ? ' end' : ''}`
          : `${event.type} ${event.object.metadata.name} ${since(event.object.metadata.resourceVersion)}`,
      ),
    onEnd: (error) =>
      seen.push(`END ${error instanceof ApiError ? `${error.status.code} ${error.message}` : ''}`),
  });
  return seen;
}

/** Two ConfigMaps, b and then a; other revisions are relative to that of the latter. */
async function two(): Promise<Stage & { base: number }> {
  const set = stage({ nodes: 0 });
  await set.alice.create(configMaps, configMap('b'));
  const made = await set.alice.create(configMaps, configMap('a', { labels: { on: '1' } }));
  return { ...set, base: Number(made.metadata.resourceVersion) };
}

describe('initial events of a watch', () => {
  const rows: [string, (base: number) => Partial<WatchOptions>, string[]][] = [
    ['resourceVersion unset', () => ({}), ['ADDED a 0', 'ADDED b -1']],
    ['resourceVersion 0', () => ({ resourceVersion: '0' }), ['ADDED a 0', 'ADDED b -1']],
    ['an old resourceVersion', (base) => ({ resourceVersion: String(base - 1) }), ['ADDED a 0']],
    [
      'asked for',
      () => ({ sendInitialEvents: true, allowBookmarks: true }),
      ['ADDED a 0', 'ADDED b -1', 'BOOKMARK 0 end'],
    ],
    [
      'asked for from an old resourceVersion',
      (base) => ({ sendInitialEvents: true, allowBookmarks: true, resourceVersion: String(base - 1) }),
      ['ADDED a 0', 'ADDED b -1', 'BOOKMARK 0 end'],
    ],
    [
      'asked for of a selection',
      () => ({ sendInitialEvents: true, allowBookmarks: true, labelSelector: 'on' }),
      ['ADDED a 0', 'BOOKMARK 0 end'],
    ],
    ['asked for without bookmarks', () => ({ sendInitialEvents: true }), ['ADDED a 0', 'ADDED b -1']],
    ['refused', () => ({ sendInitialEvents: false, allowBookmarks: true }), []],
    ['refused from 0', () => ({ sendInitialEvents: false, resourceVersion: '0' }), []],
    [
      'refused from an old resourceVersion',
      (base) => ({ sendInitialEvents: false, resourceVersion: String(base - 1) }),
      ['ADDED a 0'],
    ],
  ];
  test.each(rows)('%s', async (_what, options, expected) => {
    const { alice, clock, base } = await two();
    const seen = follow(alice, { resourceVersion: '', ...options(base) }, base);
    await clock.settle();
    expect(seen).toEqual(expected);
    await alice.create(configMaps, configMap('c'));
    await clock.settle();
    expect(seen.slice(expected.length)).toEqual(
      options(base).labelSelector === undefined ? ['ADDED c 1'] : [],
    );
  });

  test('from a revision that is yet to come the watch ends with 504', async () => {
    const { alice, clock, base } = await two();
    const seen = follow(alice, { resourceVersion: '9999', sendInitialEvents: true, allowBookmarks: true });
    expect(seen).toEqual([]);
    await clock.settle();
    expect(seen).toEqual([`END 504 Timeout: Too large resource version: 9999, current: ${base}`]);
  });

  test('what happens meanwhile comes after their end', async () => {
    const { alice, clock, base } = await two();
    const seen = follow(alice, { resourceVersion: '', sendInitialEvents: true, allowBookmarks: true }, base);
    void alice.delete(configMaps, { namespace: 'default', name: 'b' });
    await clock.settle();
    expect(seen).toEqual(['ADDED a 0', 'ADDED b -1', 'BOOKMARK 0 end', 'DELETED b 1']);
  });
});

describe('a watch', () => {
  test('of one object sees no other', async () => {
    const { alice, clock, base } = await two();
    const seen = follow(alice, { resourceVersion: '', fieldSelector: 'metadata.name=b' }, base);
    for (const name of ['a', 'b'])
      await alice.patch(
        configMaps,
        { namespace: 'default', name },
        { type: 'merge', body: { data: { x: 'y' } } },
      );
    await alice.delete(configMaps, { namespace: 'default', name: 'b' });
    await clock.settle();
    expect(seen).toEqual(['ADDED b -1', 'MODIFIED b 2', 'DELETED b 3']);
  });

  test('from a compacted revision reports the oldest available one', async () => {
    const { alice, clock, world, base } = await two();
    world.compact(configMaps);
    const seen = follow(alice, { resourceVersion: String(base - 1) });
    await clock.settle();
    expect(seen).toEqual([`END 410 too old resource version: ${base - 1} (${base})`]);
  });

  test('from an invalid revision is refused without a reason', async () => {
    const { world } = stage();
    const watch = () =>
      world.server.watch('alice', configMaps, { resourceVersion: 'abc' }, { onEvent() {}, onEnd() {} });
    expect(await refusal((async () => void watch())())).toEqual({
      code: 500,
      reason: '',
      message: 'resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
    });
  });
});
