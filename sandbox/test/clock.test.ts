import { describe, expect, test, vi } from 'vitest';
import { createVirtualClock } from '../clock/virtual.ts';
import { createWallClock } from '../clock/wall.ts';
import { createIdSource } from '../store/ids.ts';
import type { Pod } from '../../schemas/pods/pod.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { pod, stage } from './world.ts';

describe('virtual clock', () => {
  test('fires timers by time, then by insertion', async () => {
    const clock = createVirtualClock(1000);
    const fired: string[] = [];
    for (const [name, delay] of [
      ['c', 20],
      ['a', 10],
      ['d', 20],
      ['b', 10],
      ['late', 31],
    ] as const)
      clock.after(delay, () => fired.push(`${name}@${clock.now()}`));
    await clock.advance(30);
    expect(fired).toEqual(['a@1010', 'b@1010', 'c@1020', 'd@1020']);
    expect(clock.now()).toBe(1030);
  });

  test('keeps the order of a thousand timers', async () => {
    const clock = createVirtualClock(0);
    const fired: number[] = [];
    for (let index = 0; index < 1000; index += 1) {
      const delay = (index * 7919) % 101;
      clock.after(delay, () => fired.push(delay * 1000 + index));
    }
    await clock.advance(200);
    expect(fired).toEqual([...fired].sort((a, b) => a - b));
    expect(fired.length).toBe(1000);
  });

  test('never runs synchronously, and not after cancellation', async () => {
    const clock = createVirtualClock(0);
    const fired: string[] = [];
    clock.after(0, () => fired.push('now'));
    clock.after(5, () => fired.push('canceled'))();
    expect(fired).toEqual([]);
    await clock.settle();
    await clock.advance(10);
    expect(fired).toEqual(['now']);
  });

  test('lets promises run between timers, however deep', async () => {
    const clock = createVirtualClock(0);
    const order: string[] = [];
    clock.after(1, () => {
      void (async () => {
        for (let depth = 0; depth < 50; depth += 1) await Promise.resolve();
        order.push('promise');
        clock.after(0, () => order.push('its timer'));
      })();
    });
    clock.after(1, () => order.push('second'));
    await clock.advance(1);
    expect(order).toEqual(['promise', 'second', 'its timer']);
  });

  test('runUntil stops when the predicate holds, and rejects if it never does', async () => {
    const clock = createVirtualClock(0);
    let count = 0;
    const tick = () => {
      count += 1;
      clock.after(10, tick);
    };
    tick();
    await clock.runUntil(() => count === 5);
    expect(clock.now()).toBe(40);
    await expect(clock.runUntil(() => false, { limitMs: 100, what: 'a miracle' })).rejects.toThrow(
      '100 ms of virtual time passed without a miracle',
    );
    expect(clock.now()).toBe(140);
  });

  test('an error of a timer rejects the advance', async () => {
    const clock = createVirtualClock(0);
    clock.after(1, () => {
      throw new Error('broken');
    });
    await expect(clock.advance(5)).rejects.toThrow('broken');
    await clock.advance(5);
  });

  test('rejects concurrent advances', async () => {
    const clock = createVirtualClock(0);
    const first = clock.advance(5);
    await expect(clock.advance(5)).rejects.toThrow('being turned already');
    await first;
  });

  test('can be paced', async () => {
    const clock = createVirtualClock(0, { pace: 0.5 });
    const wall = createWallClock();
    const start = wall.now();
    await clock.advance(100);
    expect(wall.now() - start).toBeGreaterThanOrEqual(40);
  });
});

test('the wall clock runs at the configured speed', async () => {
  const clock = createWallClock(100);
  const start = clock.now();
  await new Promise<void>((resolve) => clock.after(2000, resolve));
  expect(clock.now() - start).toBeGreaterThanOrEqual(1900);
});

describe('the monotonic time', () => {
  test('of a virtual clock passes with it, and is no date', async () => {
    const clock = createVirtualClock(1_000_000);
    expect(clock.monotonic()).toBe(0);
    await clock.advance(250);
    expect(clock.monotonic()).toBe(250);
  });

  test('of the wall clock runs at the configured speed, even if the date is set back', async () => {
    const clock = createWallClock(100);
    const date = vi.spyOn(Date, 'now').mockReturnValue(0);
    const start = clock.monotonic();
    await new Promise<void>((resolve) => clock.after(2000, resolve));
    date.mockRestore();
    const passed = clock.monotonic() - start;
    expect(passed).toBeGreaterThanOrEqual(1900);
    expect(passed).toBeLessThan(200_000);
  });
});

test('ids depend on the seed alone and do not repeat', () => {
  const draw = (seed: number) => {
    const ids = createIdSource(seed);
    return Array.from({ length: 1000 }, () => `${ids.uid()} ${ids.nameSuffix()}`);
  };
  expect(draw(1)).toEqual(draw(1));
  expect(draw(1)).not.toEqual(draw(2));
  expect(new Set(draw(1).map((pair) => pair.split(' ')[0])).size).toBe(1000);
});

describe('a world', () => {
  async function story(seed: number): Promise<{ log: string; commits: string[] }> {
    const { clock, world, alice } = stage({ seed });
    const commits: string[] = [];
    world.onCommit((commit) => commits.push(JSON.stringify(commit)));
    world.images.set('bad', { crashAfterMs: 700 });
    for (let index = 0; index < 8; index += 1) {
      const body = pod(`p${index}`, index % 3 === 0 ? 'bad' : 'web:1');
      await alice.create(resources.Pod, body);
      await clock.advance(130);
    }
    await alice.delete(resources.Pod, { namespace: 'default', name: 'p1' });
    world.nodes.stopKubelet('node-2');
    await clock.advance(120_000);
    world.stop();
    return { log: JSON.stringify(world.log), commits };
  }

  test('replays byte for byte', async () => {
    const [first, second, other] = [await story(7), await story(7), await story(8)];
    expect(second).toEqual(first);
    expect(first.commits.length).toBeGreaterThan(50);
    expect(other.commits).not.toEqual(first.commits);
  });

  test('commits contain old and new object, user, and each revision once', async () => {
    const { clock, world, alice } = stage({ nodes: 1 });
    const revisions: number[] = [];
    const users = new Set<string>();
    world.onCommit((commit) => {
      revisions.push(commit.revision);
      users.add(commit.user);
      expect(commit.object.metadata.resourceVersion).toBe(String(commit.revision));
      expect(commit.previous === undefined).toBe(commit.type === 'ADDED');
      expect(commit.previous?.metadata.resourceVersion).not.toBe(commit.object.metadata.resourceVersion);
    });
    await alice.create(resources.Pod, pod('a'));
    await clock.advance(10_000);
    await alice.delete(resources.Pod, { namespace: 'default', name: 'a' });
    await clock.advance(10_000);
    expect(revisions).toEqual(revisions.map((_, index) => (revisions[0] ?? 0) + index));
    expect([...users].sort()).toEqual(['alice', 'system:kube-scheduler', 'system:node:node-1']);
  });

  test('stands still after stop', async () => {
    const { clock, world, alice } = stage({ nodes: 1 });
    await alice.create(resources.Pod, pod('a'));
    world.stop();
    await clock.advance(100_000);
    const { spec } = (await alice.get(resources.Pod, { namespace: 'default', name: 'a' })) as Pod;
    expect(spec.nodeName).toBeUndefined();
  });
});
