import { describe, expect, test } from 'vitest';
import { createReflector, type Reflector } from '../../runtime/observe/reflector.ts';
import { ApiError, type Cluster, type WatchEvent, type WatchSink } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { createVirtualClock, type VirtualClock } from '../../sandbox/clock/virtual.ts';
import { createWorld, type World } from '../../sandbox/world.ts';

/** A reflector of ControllerRevisions on a world, and everything it said. */
interface Bench {
  world: World;
  clock: VirtualClock;
  user: Cluster;
  reflector: Reflector;
  said: string[];
  /** Ends the present watch as a server would. */
  endWatch(error?: ApiError): void;
  /** The next lists are refused. */
  refuse: { lists: number };
  lists: () => number;
  watches: () => string[];
}

const gone = new ApiError({ code: 410, reason: 'Expired', message: 'too old' });
const overloaded = new ApiError({ code: 500, reason: 'InternalError', message: 'etcd is away' });

function bench(count = 0): Bench {
  const clock = createVirtualClock(0);
  const world = createWorld({ clock, namespaces: ['shop'], bookmarkMs: 10_000 });
  const user = world.cluster('user');
  const said: string[] = [];
  let sink: WatchSink | undefined;
  let lists = 0;
  let opened = 0;
  const watches: string[] = [];
  const refuse = { lists: 0 };
  const cluster: Cluster = {
    ...user,
    list: async (...args) => {
      lists += 1;
      if (refuse.lists > 0) {
        refuse.lists -= 1;
        throw overloaded;
      }
      return user.list(...args);
    },
    watch(resource, options, into) {
      opened += 1;
      const mine = opened;
      watches.push(options.resourceVersion);
      sink = {
        onEvent: (event: WatchEvent) => mine === opened && into.onEvent(event),
        onEnd: (error) => {
          opened += 1;
          into.onEnd(error);
        },
      };
      return user.watch(resource, options, sink);
    },
  };
  const reflector = createReflector({
    cluster,
    clock,
    resource: resources.ControllerRevision,
    onChange: (object, isGone) => said.push(`${isGone ? '-' : '+'}${object.metadata.name}`),
    onSync: () => said.push('synced'),
  });
  for (let i = 0; i < count; i++)
    world.server.create('user', resources.ControllerRevision, revision(`r${i}`));
  return {
    world,
    clock,
    user,
    reflector,
    said,
    endWatch: (error) => sink?.onEnd(error),
    refuse,
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
  test('lists, then says what comes, changes and goes', async () => {
    const b = bench(2);
    b.reflector.start();
    await b.clock.settle();
    expect(b.said).toEqual(['+r0', '+r1', 'synced']);
    await b.user.create(resources.ControllerRevision, revision('r2'));
    await b.user.patch(resources.ControllerRevision, at('r0'), { type: 'merge', body: { revision: 2 } });
    await b.user.delete(resources.ControllerRevision, at('r1'));
    await b.clock.settle();
    expect(b.said.slice(3)).toEqual(['+r2', '+r0', '-r1']);
    expect([...b.reflector.values()].map((o) => o.metadata.name).sort()).toEqual(['r0', 'r2']);
    expect(b.reflector.get('shop/r0')?.['revision']).toBe(2);
  });

  test('pages: every object of a long list is seen before it says that it is in sync', async () => {
    const b = bench(1201);
    b.reflector.start();
    await b.clock.settle();
    expect(b.lists()).toBe(3);
    expect(b.said.filter((word) => word.startsWith('+'))).toHaveLength(1201);
    expect(b.said.at(-1)).toBe('synced');
  });

  test('a watch that ends in order goes on where it was, without a list', async () => {
    const b = bench(1);
    b.reflector.start();
    await b.clock.settle();
    b.endWatch();
    await b.user.create(resources.ControllerRevision, revision('r1'));
    await b.clock.advance(1000);
    expect(b.said).toEqual(['+r0', 'synced', '+r1']);
    expect(b.lists()).toBe(1);
  });

  test.each([
    ['410', gone],
    ['500', overloaded],
  ])('%s: lists again, says what changed and what went meanwhile, and nothing twice', async (_, error) => {
    const b = bench(3);
    b.reflector.start();
    await b.clock.settle();
    b.endWatch(error);
    await b.user.delete(resources.ControllerRevision, at('r1'));
    await b.user.patch(resources.ControllerRevision, at('r2'), { type: 'merge', body: { revision: 9 } });
    await b.user.create(resources.ControllerRevision, revision('r3'));
    b.world.compact(resources.ControllerRevision);
    b.said.length = 0;
    await b.clock.advance(2000);
    expect(b.said).toEqual(['+r2', '+r3', '-r1', 'synced']);
    expect(b.lists()).toBe(2);
  });

  test('an object deleted and made again while away is a change, not the one it was', async () => {
    const b = bench(1);
    b.reflector.start();
    await b.clock.settle();
    const before = b.reflector.get('shop/r0')?.metadata.uid;
    b.endWatch(gone);
    await b.user.delete(resources.ControllerRevision, at('r0'));
    await b.user.create(resources.ControllerRevision, revision('r0'));
    await b.clock.advance(2000);
    expect(b.reflector.get('shop/r0')?.metadata.uid).not.toBe(before);
    expect(b.said.slice(2)).toEqual(['+r0', 'synced']);
  });

  test('a list that is refused is asked again with a pause that doubles, and stays out of sync until then', async () => {
    const b = bench(1);
    b.refuse.lists = 4;
    b.reflector.start();
    await b.clock.advance(800 + 1600 + 3200 + 6400 - 1);
    expect([b.lists(), b.reflector.synced]).toEqual([4, false]);
    await b.clock.advance(1);
    expect([b.lists(), b.reflector.synced]).toEqual([5, true]);
  });

  test('asked to list again, it is out of sync when the list is refused: nothing is watched then', async () => {
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

  test('bookmarks move the version although nothing of its own happens', async () => {
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

  test('stopped, it says nothing more', async () => {
    const b = bench(1);
    b.reflector.start();
    await b.clock.settle();
    b.reflector.stop();
    await b.user.create(resources.ControllerRevision, revision('r1'));
    await b.clock.advance(60_000);
    expect(b.said).toEqual(['+r0', 'synced']);
  });
});
