import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../schemas/wire/object.ts';
import {
  type Candidate,
  createCandidate,
  createLeaseServer,
  createTrueTime,
  type LeaseServer,
  type NetworkDelay,
  type TrueTime,
} from './lead-world.ts';

const HOUR = 3_600_000;

interface Scene {
  time: TrueTime;
  server: LeaseServer;
  candidate(identity: string, options?: Parameters<typeof createCandidate>[3]): Candidate;
  /** Runs for so long, and looks at each moment whether more than one may write. */
  run(ms: number): Promise<void>;
  most(): number;
}

function createScene(): Scene {
  const time = createTrueTime();
  const server = createLeaseServer(time);
  const all: Candidate[] = [];
  let most = 0;
  return {
    time,
    server,
    candidate(identity, options) {
      const candidate = createCandidate(time, server, identity, options);
      all.push(candidate);
      return candidate;
    },
    run: (ms) =>
      time.advance(ms, () => {
        most = Math.max(most, all.filter(({ leadership }) => leadership.leading).length);
      }),
    most: () => most,
  };
}

function lease(spec: object): KubeObject {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'kruise', namespace: 'kruise-system' },
    spec,
  };
}

const specOf = (server: LeaseServer): Record<string, unknown> =>
  (server.lease?.['spec'] ?? {}) as Record<string, unknown>;

describe('a lease', () => {
  test('is created by the first one, renewed every two seconds, and nobody else gets it', async () => {
    const scene = createScene();
    const a = scene.candidate('a');
    await scene.run(100);
    const b = scene.candidate('b');
    await scene.run(60_000);
    expect([a.leadership.leading, b.leadership.leading]).toEqual([true, false]);
    expect(a.reported).toEqual(['0.0 leads']);
    expect(b.reported).toEqual([]);
    expect(scene.server.writes.every(({ by }) => by === 'a')).toBe(true);
    expect(scene.server.writes.length).toBeGreaterThan(28);
    expect(scene.server.writes.length).toBeLessThan(32);
    expect(specOf(scene.server)).toMatchObject({
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      leaseTransitions: 0,
      acquireTime: '1970-01-01T00:00:00.002000Z',
    });
    expect(specOf(scene.server)['renewTime']).toMatch(/^1970-01-01T00:00:\d\d\.\d{6}Z$/);
  });

  test('goes to one of two that ask at once (compare-and-set)', async () => {
    const scene = createScene();
    scene.server.set(lease({ holderIdentity: '', leaseTransitions: 4 }));
    const both = [scene.candidate('a'), scene.candidate('b')];
    await scene.run(5_000);
    expect(both.filter(({ leadership }) => leadership.leading)).toHaveLength(1);
    expect(specOf(scene.server)['leaseTransitions']).toBe(5);
    expect(scene.most()).toBe(1);
    expect(both.flatMap(({ errors }) => errors)).toEqual([]);
  });

  test('is taken over after it expired, not before (I20)', async () => {
    const scene = createScene();
    const a = scene.candidate('a');
    await scene.run(100);
    const b = scene.candidate('b');
    await scene.run(20_000);
    a.machine.kill();
    const last = scene.server.writes.at(-1)?.at ?? 0;
    await scene.run(40_000);
    expect(b.leadership.leading).toBe(true);
    const since = Number(b.reported[0]?.split(' ')[0]) * 1000 - last;
    expect(since).toBeGreaterThan(15_000);
    expect(since).toBeLessThan(20_000);
    expect(specOf(scene.server)['leaseTransitions']).toBe(1);
  });

  test('that its holder releases goes to the next one within the retry period', async () => {
    const scene = createScene();
    const a = scene.candidate('a');
    await scene.run(100);
    const b = scene.candidate('b');
    await scene.run(30_000);
    const stopped = a.leadership.stop();
    expect(a.leadership.leading).toBe(false);
    await scene.run(10);
    await stopped;
    expect(specOf(scene.server)).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 });
    await scene.run(2_000);
    expect(b.leadership.leading).toBe(true);
    await scene.run(60_000);
    expect(a.reported).toEqual(['0.0 leads']);
    expect(scene.most()).toBe(1);
  });

  test('that it gets while it is told to stop is released too', async () => {
    const scene = createScene();
    const a = scene.candidate('a', { passage: () => ({ thereMs: 400, backMs: 400 }) });
    // The create is under way.
    await scene.run(1_000);
    const stopped = a.leadership.stop();
    await scene.run(2_500);
    await stopped;
    expect(specOf(scene.server)['holderIdentity']).toBe('');
    expect(a.reported).toEqual([]);
  });

  test('stop() does not wait for a server that says nothing', async () => {
    const scene = createScene();
    let silent = false;
    const a = scene.candidate('a', {
      passage: () => ({ thereMs: 1, backMs: 1, ...(silent && { fails: 'never answered' as const }) }),
    });
    await scene.run(10_000);
    silent = true;
    await scene.run(3_000);
    let ended = false;
    void a.leadership.stop().then(() => (ended = true));
    await scene.run(2_001);
    expect(ended).toBe(true);
  });
});

describe('a leader', () => {
  test('whose renewals fail stops to write at the renew deadline (L01)', async () => {
    const scene = createScene();
    let cut = false;
    const passage = (): NetworkDelay => ({ thereMs: 1, backMs: 1, ...(cut && { fails: 'before' as const }) });
    const a = scene.candidate('a', { passage });
    await scene.run(100);
    const b = scene.candidate('b');
    await scene.run(20_000);
    cut = true;
    const last = scene.server.writes.filter(({ by }) => by === 'a').at(-1)?.at ?? 0;
    let wroteUntil = 0;
    await scene.time.advance(12_000, () => {
      if (a.leadership.leading) wroteUntil = scene.time.now();
    });
    expect(wroteUntil - last).toBeLessThanOrEqual(10_000);
    expect(wroteUntil - last).toBeGreaterThan(7_000);
    expect(a.reported[1]).toContain(
      'the lease kruise-system/kruise could not be renewed for 10 s: connection reset',
    );
    await scene.run(10_000);
    expect(b.leadership.leading).toBe(true);
    cut = false;
    await scene.run(60_000);
    expect([a.leadership.leading, b.leadership.leading]).toEqual([false, true]);
    expect(scene.most()).toBe(1);
  });

  test('that hears nothing of a renewal tries another one, and goes on', async () => {
    const scene = createScene();
    let calls = 0;
    // The server takes the renewal; what it answers never arrives.
    const passage = (): NetworkDelay => {
      calls += 1;
      return { thereMs: 1, backMs: 1, ...(calls === 8 && { fails: 'never answered' as const }) };
    };
    const a = scene.candidate('a', { passage });
    await scene.run(60_000);
    expect(a.reported).toEqual(['0.0 leads']);
    expect(a.errors).toEqual(['Error: the server did not answer within 5 s']);
  });

  test.each([
    ['that was paused for a minute', 60_000],
    ['that was paused for eleven seconds', 11_000],
  ])('%s may not write from its first moment on (P02, L03)', async (_, ms) => {
    const scene = createScene();
    const a = scene.candidate('a');
    await scene.run(100);
    scene.candidate('b');
    await scene.run(20_000);
    a.machine.pause(ms);
    await scene.time.advance(ms - 1);
    // Not one of its timers has run: the steady clock alone says so.
    expect(a.reported).toEqual(['0.0 leads']);
    expect(a.leadership.leading).toBe(false);
    await scene.run(5_000);
    expect(a.reported[1]).toMatch(/could not be renewed for 10 s|b has taken the lease/);
    expect(scene.most()).toBe(1);
  });

  test.each([HOUR, -HOUR])('does not mind that the wall clock jumps by %i ms (C01)', async (ms) => {
    const scene = createScene();
    const a = scene.candidate('a', { wallAt: 5 * HOUR });
    await scene.run(100);
    const b = scene.candidate('b', { wallAt: 5 * HOUR });
    await scene.run(20_000);
    a.machine.jump(ms);
    await scene.run(20_000);
    b.machine.jump(ms);
    await scene.run(20_000);
    expect(a.reported).toEqual(['0.0 leads']);
    expect(b.reported).toEqual([]);
  });

  test.each([
    ['slow, the others fast', 0.9, 1.1],
    ['fast, the others slow', 1.1, 0.9],
  ])('has a clock that is %s, and no two write at once (L02)', async (_, mine, theirs) => {
    const scene = createScene();
    let cut = false;
    const passage = (): NetworkDelay => ({ thereMs: 1, backMs: 1, ...(cut && { fails: 'before' as const }) });
    const a = scene.candidate('a', { rate: mine, passage });
    await scene.run(100);
    const b = scene.candidate('b', { rate: theirs });
    await scene.run(60_000);
    expect(b.reported).toEqual([]);
    cut = true;
    await scene.run(60_000);
    expect([a.leadership.leading, b.leadership.leading]).toEqual([false, true]);
    expect(scene.most()).toBe(1);
  });

  test('goes on when its lease is deleted; whoever saw it waits until it must be over', async () => {
    const scene = createScene();
    const a = scene.candidate('a');
    await scene.run(100);
    const b = scene.candidate('b');
    await scene.run(20_000);
    scene.server.set(undefined);
    await scene.run(30_000);
    expect(a.reported).toEqual(['0.0 leads']);
    expect(b.reported).toEqual([]);

    a.machine.kill();
    scene.server.set(undefined);
    const deleted = scene.time.now();
    await scene.run(30_000);
    const led = Number(b.reported[0]?.split(' ')[0]) * 1000 - deleted;
    expect(led).toBeGreaterThan(14_900);
    expect(led).toBeLessThan(20_000);
  });

  test('loses it to whoever an administrator writes into it', async () => {
    const scene = createScene();
    const a = scene.candidate('a');
    await scene.run(10_000);
    const taken = { holderIdentity: 'mona', leaseDurationSeconds: 30 };
    scene.server.set({ ...(scene.server.lease ?? lease({})), spec: taken });
    await scene.run(3_000);
    expect(a.reported[1]).toContain('mona has taken the lease kruise-system/kruise');
    await scene.run(26_000);
    expect(a.leadership.leading).toBe(false);
    await scene.run(6_000);
    expect(a.leadership.leading).toBe(true);
  });
});

describe('a lease of malformed content', () => {
  test.each([
    ['nothing', undefined, 1],
    ['a holder that is a number', { holderIdentity: 7 }, 1],
    ['an empty holder', { holderIdentity: '', leaseDurationSeconds: 600 }, 1],
    ['a holder and nothing else', { holderIdentity: 'x' }, 18],
    ['a duration that is text', { holderIdentity: 'x', leaseDurationSeconds: '5' }, 18],
    ['a duration below zero', { holderIdentity: 'x', leaseDurationSeconds: -5 }, 18],
    ['a duration of one second', { holderIdentity: 'x', leaseDurationSeconds: 1 }, 18],
    ['times that are none', { holderIdentity: 'x', renewTime: 'soon', acquireTime: 'x' }, 18],
    ['a renewal in the year 9999', { holderIdentity: 'x', renewTime: '9999-01-01T00:00:00.000000Z' }, 18],
    ['transitions that are text', { holderIdentity: '', leaseTransitions: 'many' }, 1],
    ['the most transitions there can be', { holderIdentity: '', leaseTransitions: 2_147_483_647 }, 1],
  ])('%s is taken within its time', async (_, spec, seconds) => {
    const scene = createScene();
    scene.server.set(lease(spec as object));
    const a = scene.candidate('a');
    await scene.run((seconds - 4) * 1000);
    if (seconds > 4) expect(a.leadership.leading).toBe(false);
    await scene.run(4_000);
    expect(a.leadership.leading).toBe(true);
    expect(specOf(scene.server)).toMatchObject({ holderIdentity: 'a', leaseDurationSeconds: 15 });
    expect(specOf(scene.server)['leaseTransitions']).toBeLessThanOrEqual(2_147_483_647);
  });

  test('fields that it does not know stay', async () => {
    const scene = createScene();
    scene.server.set(lease({ holderIdentity: '', strategy: 'OldestEmulationVersion' }));
    scene.candidate('a');
    await scene.run(5_000);
    expect(specOf(scene.server)).toMatchObject({ holderIdentity: 'a', strategy: 'OldestEmulationVersion' });
  });
});
