import { describe, expect, test } from 'vitest';
import { createReflector, type Reflector, type ReflectorOptions } from '../../runtime/observe/reflector.ts';
import { ApiError, type Cluster, type WatchEvent, type WatchSink } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { createVirtualClock, createWorld, type VirtualClock, type World } from 'kruise-sandbox';

/** A reflector of ControllerRevisions on a world, and its callbacks. */
interface Bench {
  world: World;
  clock: VirtualClock;
  user: Cluster;
  reflector: Reflector;
  reported: string[];
  /** Ends the present watch as a server would. */
  endWatch(error?: Error): void;
  /** A bookmark of the version that is known. */
  bookmark(): void;
  /** The next lists are refused, the next pages after a first one have expired, every watch is refused. */
  refuse: { lists: number; pages: number; watches: Error | undefined };
  errors: unknown[];
  lists: () => number;
  watches: () => string[];
}

const gone = new ApiError({ code: 410, reason: 'Expired', message: 'too old' });
const overloaded = new ApiError({ code: 500, reason: 'InternalError', message: 'etcd is away' });

function bench(count = 0, more: Partial<ReflectorOptions> = {}): Bench {
  const clock = createVirtualClock(0);
  const world = createWorld({ clock, namespaces: ['shop'], bookmarkMs: 10_000 });
  const user = world.cluster('user');
  const reported: string[] = [];
  let sink: WatchSink | undefined;
  let lists = 0;
  let opened = 0;
  const watches: string[] = [];
  const refuse: Bench['refuse'] = { lists: 0, pages: 0, watches: undefined };
  const errors: unknown[] = [];
  const cluster: Cluster = {
    ...user,
    list: async (...args) => {
      lists += 1;
      if (refuse.lists > 0) {
        refuse.lists -= 1;
        throw overloaded;
      }
      if (args[1]?.continue !== undefined && refuse.pages > 0) {
        refuse.pages -= 1;
        throw gone;
      }
      return user.list(...args);
    },
    watch(resource, options, into) {
      opened += 1;
      const mine = opened;
      watches.push(options.resourceVersion);
      sink = {
        onOpen: () => mine === opened && into.onOpen?.(),
        onEvent: (event: WatchEvent) => mine === opened && into.onEvent(event),
        onEnd: (error) => {
          opened += 1;
          into.onEnd(error);
        },
      };
      if (refuse.watches !== undefined) {
        const refused = refuse.watches;
        return { stop: clock.after(0, () => into.onEnd(refused)) };
      }
      return user.watch(resource, options, sink);
    },
  };
  const reflector = createReflector({
    cluster,
    clock,
    resource: resources.ControllerRevision,
    onChange: (object, isGone) => reported.push(`${isGone ? '-' : '+'}${object.metadata.name}`),
    onSync: () => reported.push('synced'),
    onError: (error) => errors.push(error),
    ...more,
  });
  for (let i = 0; i < count; i++)
    world.server.create('user', resources.ControllerRevision, revision(`r${i}`));
  return {
    world,
    clock,
    user,
    reflector,
    reported,
    endWatch(error) {
      const ended = sink;
      sink = undefined;
      ended?.onEnd(error);
    },
    bookmark: () => sink?.onEvent({ type: 'BOOKMARK', resourceVersion: String(reflector.version) }),
    refuse,
    errors,
    lists: () => lists,
    watches: () => watches,
  };
}

function revision(name: string): KubeObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: { name, namespace: 'shop' },
    data: {},
    revision: 1,
  };
}

const at = (name: string) => ({ namespace: 'shop', name });

describe('the reflector', () => {
  test('lists, then reports created, changed and deleted objects', async () => {
    const b = bench(2);
    b.reflector.start();
    await b.clock.settle();
    expect(b.reported).toEqual(['+r0', '+r1', 'synced']);
    await b.user.create(resources.ControllerRevision, revision('r2'));
    await b.user.patch(resources.ControllerRevision, at('r0'), { type: 'merge', body: { revision: 2 } });
    await b.user.delete(resources.ControllerRevision, at('r1'));
    await b.clock.settle();
    expect(b.reported.slice(3)).toEqual(['+r2', '+r0', '-r1']);
    expect([...b.reflector.values()].map((o) => o.metadata.name).sort()).toEqual(['r0', 'r2']);
    expect(b.reflector.get('shop/r0')?.['revision']).toBe(2);
  });

  test('pages: all objects of a long list are reported before it is synced', async () => {
    const b = bench(241);
    b.reflector.start();
    await b.clock.settle();
    expect(b.lists()).toBe(3);
    expect(b.reported.filter((word) => word.startsWith('+'))).toHaveLength(241);
    expect(b.reported.at(-1)).toBe('synced');
  });

  test('a watch that ends in order is resumed without a list', async () => {
    const b = bench(1);
    b.reflector.start();
    await b.clock.settle();
    b.endWatch();
    await b.user.create(resources.ControllerRevision, revision('r1'));
    await b.clock.advance(1000);
    expect(b.reported).toEqual(['+r0', 'synced', '+r1']);
    expect(b.lists()).toBe(1);
  });

  test.each([
    ['410', gone],
    ['500', overloaded],
  ])('%s: lists again, and reports changes and deletions in between once', async (_, error) => {
    const b = bench(3);
    b.reflector.start();
    await b.clock.settle();
    b.endWatch(error);
    await b.user.delete(resources.ControllerRevision, at('r1'));
    await b.user.patch(resources.ControllerRevision, at('r2'), { type: 'merge', body: { revision: 9 } });
    await b.user.create(resources.ControllerRevision, revision('r3'));
    b.world.compact(resources.ControllerRevision);
    b.reported.length = 0;
    await b.clock.advance(2000);
    expect(b.reported).toEqual(['+r2', '+r3', '-r1', 'synced']);
    expect(b.lists()).toBe(2);
  });

  test('an object that was recreated without a watch is a change', async () => {
    const b = bench(1);
    b.reflector.start();
    await b.clock.settle();
    const before = b.reflector.get('shop/r0')?.metadata.uid;
    b.endWatch(gone);
    await b.user.delete(resources.ControllerRevision, at('r0'));
    await b.user.create(resources.ControllerRevision, revision('r0'));
    await b.clock.advance(2000);
    expect(b.reflector.get('shop/r0')?.metadata.uid).not.toBe(before);
    expect(b.reported.slice(2)).toEqual(['+r0', 'synced']);
  });

  test('a refused list is retried with a pause that doubles, and it is not synced until then', async () => {
    const b = bench(1);
    b.refuse.lists = 4;
    b.reflector.start();
    await b.clock.advance(800 + 1600 + 3200 + 6400 - 1);
    expect([b.lists(), b.reflector.synced]).toEqual([4, false]);
    await b.clock.advance(1);
    expect([b.lists(), b.reflector.synced]).toEqual([5, true]);
  });

  test('relisting, it is not synced after a refused list: there is no watch then', async () => {
    const b = bench(1);
    b.reflector.start();
    await b.clock.settle();
    expect(b.reflector.synced).toBe(true);
    b.refuse.lists = 1;
    b.reflector.relist();
    await b.clock.settle();
    expect(b.reflector.synced).toBe(false);
    await b.clock.advance(2_000);
    expect(b.reflector.synced).toBe(true);
    expect(b.reflector.syncedSince).toBeGreaterThan(0);
  });

  test('bookmarks advance the version without events', async () => {
    const b = bench(1);
    b.reflector.start();
    await b.clock.settle();
    const before = b.reflector.version;
    await b.user.create(resources.CloneSet, {
      apiVersion: 'apps.kruise.io/v1beta1',
      kind: 'CloneSet',
      metadata: { name: 'web', namespace: 'shop' },
      spec: { selector: { matchLabels: { a: 'b' } }, template: { metadata: { labels: { a: 'b' } } } },
    });
    await b.clock.advance(10_000);
    expect(b.reflector.version).toBeGreaterThan(before);
    b.endWatch();
    await b.clock.advance(1000);
    expect(Number(b.watches().at(-1))).toBeGreaterThanOrEqual(before + 1);
  });

  test('a lost connection: it is not synced until the watch is open again and resumed', async () => {
    const b = bench(1);
    b.reflector.start();
    await b.clock.advance(10_000);
    b.reported.length = 0;
    const reset = new Error('connection reset');
    b.endWatch(reset);
    await b.user.create(resources.ControllerRevision, revision('r1'));
    await b.clock.advance(799);
    expect([b.reflector.synced, b.reported]).toEqual([false, []]);
    await b.clock.advance(1);
    // What was missed comes first.
    expect([b.reflector.synced, b.reported]).toEqual([false, ['+r1']]);
    await b.clock.advance(100);
    expect([b.reflector.synced, b.reported, b.lists()]).toEqual([true, ['+r1', 'synced'], 1]);
    expect([b.reflector.syncedSince, b.errors]).toEqual([10_900, [reset]]);
  });

  test('a bookmark also ends it: all earlier events have been received', async () => {
    const b = bench(1);
    b.reflector.start();
    await b.clock.settle();
    b.endWatch(new Error('connection reset'));
    await b.clock.advance(800);
    expect(b.reflector.synced).toBe(false);
    b.bookmark();
    expect(b.reflector.synced).toBe(true);
    b.reported.length = 0;
    await b.clock.advance(100);
    expect(b.reported).toEqual([]);
  });

  test('lost again before it has caught up: it is not synced', async () => {
    const b = bench(1);
    b.reflector.start();
    await b.clock.settle();
    b.endWatch(new Error('connection reset'));
    await b.clock.advance(800);
    b.endWatch(new Error('connection reset'));
    await b.clock.advance(500);
    expect(b.reflector.synced).toBe(false);
    await b.clock.advance(1_200);
    expect([b.reflector.synced, b.lists()]).toEqual([true, 1]);
  });

  test.each([429, 503])('%i: the watch is resumed when the server said', async (code) => {
    const b = bench(1);
    b.reflector.start();
    await b.clock.settle();
    const details = { retryAfterSeconds: 7 };
    b.endWatch(new ApiError({ code, reason: 'TooManyRequests', message: 'later', details }));
    await b.clock.advance(6_999);
    expect(b.watches()).toHaveLength(1);
    await b.clock.advance(101);
    expect([b.watches().length, b.lists(), b.reflector.synced]).toEqual([2, 1, true]);
  });

  // A successful list reset the pause: with the right to list but not to watch, it listed every 0.8 s forever.
  test('a watch that is always refused: the pause doubles, even though every list succeeds', async () => {
    const b = bench(1);
    b.refuse.watches = new ApiError({ code: 403, reason: 'Forbidden', message: 'no' });
    b.reflector.start();
    await b.clock.advance(600_000);
    expect(b.lists()).toBeLessThan(30);
    expect(b.reflector.synced).toBe(false);
    b.refuse.watches = undefined;
    await b.clock.advance(30_000);
    expect(b.reflector.synced).toBe(true);
  });

  test('a server that closes each watch at once: the pause doubles, and a long watch resets it', async () => {
    const b = bench(1);
    b.reflector.start();
    await b.clock.settle();
    const opened: number[] = [];
    for (let seconds = 0; seconds < 60; seconds += 0.2) {
      if (b.watches().length !== opened.length) opened.push(b.clock.now());
      b.endWatch();
      await b.clock.advance(200);
    }
    expect(opened.length).toBeLessThan(8);
    expect(b.lists()).toBe(1);
    await b.clock.advance(60_000);
    const before = b.watches().length;
    b.endWatch();
    expect(b.watches().length).toBe(before + 1);
  });

  test('pages that expire: the list starts again at once', async () => {
    const b = bench(241);
    b.refuse.pages = 1;
    b.reflector.start();
    await b.clock.settle();
    expect([b.lists(), b.reported.length, b.reflector.synced]).toEqual([2 + 3, 242, true]);
    const again = bench(241);
    again.refuse.pages = 2;
    again.reflector.start();
    await again.clock.settle();
    expect([again.lists(), again.reflector.synced]).toEqual([4, false]);
    await again.clock.advance(800);
    expect([again.lists(), again.reflector.synced]).toEqual([7, true]);
  });

  test('a handler that throws is counted and reported, and later events are delivered', async () => {
    const observed: string[] = [];
    const b = bench(3, {
      onChange({ metadata: { name } }) {
        observed.push(name);
        if (name === 'r1' || name === 'r3') throw new Error(`cannot take ${name}`);
      },
      onSync() {
        throw new Error('cannot be in sync');
      },
    });
    b.reflector.start();
    await b.clock.settle();
    await b.user.create(resources.ControllerRevision, revision('r3'));
    await b.user.create(resources.ControllerRevision, revision('r4'));
    await b.clock.settle();
    expect(observed).toEqual(['r0', 'r1', 'r2', 'r3', 'r4']);
    expect(b.errors.map(String)).toEqual([
      'Error: cannot take r1',
      'Error: cannot be in sync',
      'Error: cannot take r3',
    ]);
    expect([b.reflector.handlerErrors, b.reflector.synced]).toEqual([3, true]);
  });

  test('pauses have jitter of up to half, and are never longer than half a minute', async () => {
    const b = bench(1, { random: () => 0.5 });
    b.refuse.lists = Infinity;
    b.reflector.start();
    await b.clock.advance(999);
    expect(b.lists()).toBe(1);
    await b.clock.advance(1);
    expect(b.lists()).toBe(2);
    await b.clock.advance(300_000);
    const before = b.lists();
    await b.clock.advance(30_000);
    expect(b.lists()).toBe(before + 1);
  });

  test('with one namespace, it lists and watches only that one', async () => {
    const b = bench(1, { namespace: 'default' });
    await b.user.create(resources.Namespace, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'default' },
    });
    b.reflector.start();
    await b.clock.settle();
    const other = revision('r9');
    await b.user.create(resources.ControllerRevision, {
      ...other,
      metadata: { ...other.metadata, namespace: 'default' },
    });
    await b.user.create(resources.ControllerRevision, revision('r1'));
    await b.clock.settle();
    expect(b.reported).toEqual(['synced', '+r9']);
  });

  test('stopped, it reports nothing more', async () => {
    const b = bench(1);
    b.reflector.start();
    await b.clock.settle();
    b.reflector.stop();
    await b.user.create(resources.ControllerRevision, revision('r1'));
    await b.clock.advance(60_000);
    expect(b.reported).toEqual(['+r0', 'synced']);
  });
});
