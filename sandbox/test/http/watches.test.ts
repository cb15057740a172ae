import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../clock/virtual.ts';
import { ApiError } from '../../../schemas/wire/cluster.ts';
import { configMap, configMaps } from '../world.ts';
import { front, type OpenStream, type WireEvent } from './front.ts';

const path = '/api/v1/namespaces/default/configmaps';
const table = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';

function nameOf({ object }: WireEvent): string {
  const name = object.metadata['name'] ?? object['reason'];
  return typeof name === 'string' ? name : '';
}

async function events(stream: OpenStream): Promise<string[]> {
  const found: string[] = [];
  for (let event = await stream.next(); event !== undefined; event = await stream.next())
    found.push(`${event.type} ${nameOf(event)}`);
  return found;
}

describe('watches', () => {
  it('sends initial objects and each change, one line each', async () => {
    const { ask, watch } = await front();
    await ask(path, { method: 'POST', body: configMap('a') });
    const stream = await watch(`${path}?watch=true`);
    expect(stream.headers).toMatchObject({
      'content-type': 'application/json',
      'transfer-encoding': 'chunked',
    });
    expect(await stream.next()).toMatchObject({
      type: 'ADDED',
      object: { kind: 'ConfigMap', metadata: { name: 'a' } },
    });
    await ask(path, { method: 'POST', body: configMap('b') });
    expect(await stream.next()).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'b' } } });
    await ask(`${path}/a`, { method: 'DELETE' });
    expect(await stream.next()).toMatchObject({ type: 'DELETED', object: { metadata: { name: 'a' } } });
    stream.close();
  });

  it.each([
    ['/api/v1/watch/namespaces/default/configmaps', ['ADDED a', 'ADDED b']],
    ['/api/v1/watch/namespaces/default/configmaps/b', ['ADDED b']],
    ['/api/v1/watch/configmaps', ['ADDED a', 'ADDED b']],
    [`${path}?watch=1&labelSelector=name%3Da`, ['ADDED a']],
    [`${path}?watch=1&fieldSelector=metadata.name%3Db`, ['ADDED b']],
  ])('GET %s', async (asked, expected) => {
    const { ask, watch, clock } = await front();
    for (const name of ['a', 'b'])
      await ask(path, { method: 'POST', body: configMap(name, { labels: { name } }) });
    const stream = await watch(`${asked}${asked.includes('?') ? '&' : '?'}timeoutSeconds=5`);
    await clock.advance(5000);
    expect(await events(stream)).toEqual(expected);
  });

  it('ends after timeoutSeconds, and not before', async () => {
    const { watch, clock, world } = await front();
    const stream = await watch(`${path}?watch=true&timeoutSeconds=10`);
    let ended = false;
    const end = stream.next().then(() => (ended = true));
    await clock.advance(9_999);
    await wait(20);
    expect(ended).toBe(false);
    await clock.advance(1);
    await end;
    expect(world.log.filter(({ verb }) => verb === 'watch')).toHaveLength(1);
  });

  it("ends by the client's seconds, however fast the cluster's go", async () => {
    const timers = createVirtualClock(0);
    const { watch, clock } = await front({}, { timers });
    const stream = await watch(`${path}?watch=true&timeoutSeconds=10`);
    let ended = false;
    const end = stream.next().then(() => (ended = true));
    await clock.advance(3_600_000);
    await wait(20);
    expect(ended).toBe(false);
    await timers.advance(10_000);
    await end;
  });

  it('marks the end of the present state, and where it stands now and then', async () => {
    const { ask, watch, clock } = await front({ bookmarkMs: 1000 });
    await ask(path, { method: 'POST', body: configMap('a') });
    const asked =
      'watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
    const stream = await watch(`${path}?${asked}`);
    expect(await stream.next()).toMatchObject({ type: 'ADDED' });
    expect(await stream.next()).toMatchObject({
      type: 'BOOKMARK',
      object: {
        kind: 'ConfigMap',
        apiVersion: 'v1',
        metadata: {
          annotations: { 'k8s.io/initial-events-end': 'true' },
          resourceVersion: expect.any(String),
        },
      },
    });
    await ask('/api/v1/namespaces', {
      method: 'POST',
      body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } },
    });
    await clock.advance(1000);
    const mark = await stream.next();
    expect(mark).toMatchObject({ type: 'BOOKMARK' });
    expect(mark?.object.metadata).not.toHaveProperty('annotations');
    stream.close();
  });

  it('is a Table in every event, with column definitions in the first one', async () => {
    const { ask, watch } = await front();
    for (const name of ['a', 'b']) await ask(path, { method: 'POST', body: configMap(name) });
    const stream = await watch(`${path}?watch=true`, { accept: table });
    expect(await stream.next()).toMatchObject({
      object: { kind: 'Table', columnDefinitions: expect.any(Array), rows: [{ cells: ['a', 0, '0s'] }] },
    });
    expect(await stream.next()).toMatchObject({
      object: { kind: 'Table', columnDefinitions: null, rows: [{ cells: ['b', 0, '0s'] }] },
    });
    stream.close();
  });

  it('sends 410 in the stream when the history is compacted', async () => {
    const { ask, watch, world } = await front();
    for (const name of ['a', 'b']) await ask(path, { method: 'POST', body: configMap(name) });
    world.compact(configMaps);
    const stream = await watch(`${path}?watch=true&resourceVersion=1`);
    expect(stream.code).toBe(200);
    expect(await stream.next()).toMatchObject({
      type: 'ERROR',
      object: { kind: 'Status', code: 410, reason: 'Expired', status: 'Failure' },
    });
    expect(await stream.next()).toBeUndefined();
  });

  it('ends with the reason when the server ends it', async () => {
    const { watch, world } = await front();
    const stream = await watch(`${path}?watch=true`);
    world.server.endWatches(new ApiError({ code: 410, reason: 'Expired', message: 'gone' }));
    expect(await events(stream)).toEqual(['ERROR Expired']);
  });

  it('refuses an invalid watch with a Status', async () => {
    const { ask } = await front();
    expect((await ask(`${path}?watch=true&labelSelector=a%3D%3D%3D`)).json).toMatchObject({ code: 400 });
    expect((await ask('/api/v1/nope?watch=true')).json).toMatchObject({ code: 404 });
    expect((await ask(`${path}?watch=true`, { headers: { accept: 'text/html' } })).code).toBe(406);
  });

  it('forgets a disconnected client', async () => {
    const { ask, watch, world } = await front();
    let open = 0;
    const { watch: start } = world.server;
    world.server.watch = (...asked) => {
      const started = start(...asked);
      open += 1;
      return {
        ...started,
        stop: () => {
          open -= 1;
          started.stop();
        },
      };
    };
    const stream = await watch(`${path}?watch=true`);
    expect(open).toBe(1);
    stream.close();
    await wait(50);
    expect(open).toBe(0);
    expect((await ask(path)).code).toBe(200);
  });

  it('ends a watch whose client does not read for too long', async () => {
    const { alice, watch, clock } = await front({}, { limits: { stallMs: 30_000 } });
    const stream = await watch(`${path}?watch=true`);
    stream.message.pause();
    const closed = new Promise((resolve) => stream.message.once('close', resolve));
    const data = { big: 'x'.repeat(500_000) };
    for (let i = 0; i < 40; i += 1) await alice.create(configMaps, configMap(`c-${i}`, {}, data));
    await clock.advance(29_000);
    expect(stream.message.destroyed).toBe(false);
    await clock.advance(2_000);
    stream.message.on('error', () => {});
    stream.message.resume();
    await closed;
    expect(stream.message.complete).toBe(false);
  });

  it('ends a watch with more events waiting than it keeps', async () => {
    const { alice, watch } = await front({}, { limits: { queuedEvents: 10 } });
    const stream = await watch(`${path}?watch=true`);
    stream.message.on('error', () => {});
    const closed = new Promise((resolve) => stream.message.once('close', resolve));
    stream.message.pause();
    const data = { big: 'x'.repeat(900_000) };
    for (let i = 0; i < 40; i += 1) await alice.create(configMaps, configMap(`c-${i}`, {}, data));
    stream.message.resume();
    await closed;
    expect(stream.message.complete).toBe(false);
  });

  it('sends all events to a slow client', async () => {
    const { alice, watch, clock } = await front();
    const data = { big: 'x'.repeat(100_000) };
    for (let i = 0; i < 100; i += 1) await alice.create(configMaps, configMap(`c-${100 + i}`, {}, data));
    const stream = await watch(`${path}?watch=true&timeoutSeconds=60`);
    stream.message.pause();
    await wait(50);
    await clock.advance(10_000);
    stream.message.resume();
    for (let i = 0; i < 100; i += 1)
      expect(await stream.next()).toMatchObject({ object: { metadata: { name: `c-${100 + i}` } } });
    stream.close();
  });
});
