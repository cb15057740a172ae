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

interface Setup {
  time: TrueTime;
  server: LeaseServer;
  candidate(identity: string, options?: Parameters<typeof createCandidate>[3]): Candidate;
  /** Runs for this time, and checks after each timer whether more than one process may write. */
  run(ms: number): Promise<void>;
  most(): number;
}

function createSetup(): Setup {
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
  test('is created by the first process, renewed every two seconds, and acquired by no other', async () => {
    const setup = createSetup();
    const a = setup.candidate('a');
    await setup.run(100);
    const b = setup.candidate('b');
    await setup.run(60_000);
    expect([a.leadership.leading, b.leadership.leading]).toEqual([true, false]);
    expect(a.reported).toEqual(['0.0 leads']);
    expect(b.reported).toEqual([]);
    expect(setup.server.writes.every(({ by }) => by === 'a')).toBe(true);
    expect(setup.server.writes.length).toBeGreaterThan(28);
    expect(setup.server.writes.length).toBeLessThan(32);
    expect(specOf(setup.server)).toMatchObject({
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      leaseTransitions: 0,
      acquireTime: '1970-01-01T00:00:00.002000Z',
    });
    expect(specOf(setup.server)['renewTime']).toMatch(/^1970-01-01T00:00:\d\d\.\d{6}Z$/);
  });

  test('is acquired by one of two processes that try at once (compare-and-set)', async () => {
    const setup = createSetup();
    setup.server.set(lease({ holderIdentity: '', leaseTransitions: 4 }));
    const both = [setup.candidate('a'), setup.candidate('b')];
    await setup.run(5_000);
    expect(both.filter(({ leadership }) => leadership.leading)).toHaveLength(1);
    expect(specOf(setup.server)['leaseTransitions']).toBe(5);
    expect(setup.most()).toBe(1);
    expect(both.flatMap(({ errors }) => errors)).toEqual([]);
  });

  test('is taken over after its expiry, not before (I20)', async () => {
    const setup = createSetup();
    const a = setup.candidate('a');
    await setup.run(100);
    const b = setup.candidate('b');
    await setup.run(20_000);
    a.machine.kill();
    const last = setup.server.writes.at(-1)?.at ?? 0;
    await setup.run(40_000);
    expect(b.leadership.leading).toBe(true);
    const since = Number(b.reported[0]?.split(' ')[0]) * 1000 - last;
    expect(since).toBeGreaterThan(15_000);
    expect(since).toBeLessThan(20_000);
    expect(specOf(setup.server)['leaseTransitions']).toBe(1);
  });

  test('that is released is acquired by the next process within the retry period', async () => {
    const setup = createSetup();
    const a = setup.candidate('a');
    await setup.run(100);
    const b = setup.candidate('b');
    await setup.run(30_000);
    const stopped = a.leadership.stop();
    expect(a.leadership.leading).toBe(false);
    await setup.run(10);
    await stopped;
    expect(specOf(setup.server)).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 });
    await setup.run(2_000);
    expect(b.leadership.leading).toBe(true);
    await setup.run(60_000);
    expect(a.reported).toEqual(['0.0 leads']);
    expect(setup.most()).toBe(1);
  });

  test('that is acquired during a stop is released, too', async () => {
    const setup = createSetup();
    const a = setup.candidate('a', { passage: () => ({ thereMs: 400, backMs: 400 }) });
    // The create is under way.
    await setup.run(1_000);
    const stopped = a.leadership.stop();
    await setup.run(2_500);
    await stopped;
    expect(specOf(setup.server)['holderIdentity']).toBe('');
    expect(a.reported).toEqual([]);
  });

  test('stop() does not wait for a server that does not respond', async () => {
    const setup = createSetup();
    let silent = false;
    const a = setup.candidate('a', {
      passage: () => ({ thereMs: 1, backMs: 1, ...(silent && { fails: 'never answered' as const }) }),
    });
    await setup.run(10_000);
    silent = true;
    await setup.run(3_000);
    let ended = false;
    void a.leadership.stop().then(() => (ended = true));
    await setup.run(2_001);
    expect(ended).toBe(true);
  });
});

describe('a leader', () => {
  test('whose renewals fail stops writing at the renew deadline (L01)', async () => {
    const setup = createSetup();
    let cut = false;
    const passage = (): NetworkDelay => ({ thereMs: 1, backMs: 1, ...(cut && { fails: 'before' as const }) });
    const a = setup.candidate('a', { passage });
    await setup.run(100);
    const b = setup.candidate('b');
    await setup.run(20_000);
    cut = true;
    const last = setup.server.writes.filter(({ by }) => by === 'a').at(-1)?.at ?? 0;
    let wroteUntil = 0;
    await setup.time.advance(12_000, () => {
      if (a.leadership.leading) wroteUntil = setup.time.now();
    });
    expect(wroteUntil - last).toBeLessThanOrEqual(10_000);
    expect(wroteUntil - last).toBeGreaterThan(7_000);
    expect(a.reported[1]).toContain(
      'the lease kruise-system/kruise could not be renewed for 10 s: connection reset',
    );
    await setup.run(10_000);
    expect(b.leadership.leading).toBe(true);
    cut = false;
    await setup.run(60_000);
    expect([a.leadership.leading, b.leadership.leading]).toEqual([false, true]);
    expect(setup.most()).toBe(1);
  });

  test('whose renewal gets no response tries another one, and continues', async () => {
    const setup = createSetup();
    let calls = 0;
    // The server takes the renewal; what it answers never arrives.
    const passage = (): NetworkDelay => {
      calls += 1;
      return { thereMs: 1, backMs: 1, ...(calls === 8 && { fails: 'never answered' as const }) };
    };
    const a = setup.candidate('a', { passage });
    await setup.run(60_000);
    expect(a.reported).toEqual(['0.0 leads']);
    expect(a.errors).toEqual(['Error: the server did not answer within 5 s']);
  });

  test.each([
    ['that was paused for a minute', 60_000],
    ['that was paused for eleven seconds', 11_000],
  ])('%s may not write from the start (P02, L03)', async (_, ms) => {
    const setup = createSetup();
    const a = setup.candidate('a');
    await setup.run(100);
    setup.candidate('b');
    await setup.run(20_000);
    a.machine.pause(ms);
    await setup.time.advance(ms - 1);
    // None of its timers has run: only the monotonic clock has advanced.
    expect(a.reported).toEqual(['0.0 leads']);
    expect(a.leadership.leading).toBe(false);
    await setup.run(5_000);
    expect(a.reported[1]).toMatch(/could not be renewed for 10 s|b has taken the lease/);
    expect(setup.most()).toBe(1);
  });

  test.each([HOUR, -HOUR])('is not affected by a jump of the wall clock by %i ms (C01)', async (ms) => {
    const setup = createSetup();
    const a = setup.candidate('a', { wallAt: 5 * HOUR });
    await setup.run(100);
    const b = setup.candidate('b', { wallAt: 5 * HOUR });
    await setup.run(20_000);
    a.machine.jump(ms);
    await setup.run(20_000);
    b.machine.jump(ms);
    await setup.run(20_000);
    expect(a.reported).toEqual(['0.0 leads']);
    expect(b.reported).toEqual([]);
  });

  test.each([
    ['slow, the others fast', 0.9, 1.1],
    ['fast, the others slow', 1.1, 0.9],
  ])('with a clock that is %s never writes together with another (L02)', async (_, mine, theirs) => {
    const setup = createSetup();
    let cut = false;
    const passage = (): NetworkDelay => ({ thereMs: 1, backMs: 1, ...(cut && { fails: 'before' as const }) });
    const a = setup.candidate('a', { rate: mine, passage });
    await setup.run(100);
    const b = setup.candidate('b', { rate: theirs });
    await setup.run(60_000);
    expect(b.reported).toEqual([]);
    cut = true;
    await setup.run(60_000);
    expect([a.leadership.leading, b.leadership.leading]).toEqual([false, true]);
    expect(setup.most()).toBe(1);
  });

  test('continues when its lease is deleted; processes that observed it wait until it has expired', async () => {
    const setup = createSetup();
    const a = setup.candidate('a');
    await setup.run(100);
    const b = setup.candidate('b');
    await setup.run(20_000);
    setup.server.set(undefined);
    await setup.run(30_000);
    expect(a.reported).toEqual(['0.0 leads']);
    expect(b.reported).toEqual([]);

    a.machine.kill();
    setup.server.set(undefined);
    const deleted = setup.time.now();
    await setup.run(30_000);
    const led = Number(b.reported[0]?.split(' ')[0]) * 1000 - deleted;
    expect(led).toBeGreaterThan(14_900);
    expect(led).toBeLessThan(20_000);
  });

  test('loses the lease to a holder that an administrator writes into it', async () => {
    const setup = createSetup();
    const a = setup.candidate('a');
    await setup.run(10_000);
    const taken = { holderIdentity: 'mona', leaseDurationSeconds: 30 };
    setup.server.set({ ...(setup.server.lease ?? lease({})), spec: taken });
    await setup.run(3_000);
    expect(a.reported[1]).toContain('mona has taken the lease kruise-system/kruise');
    await setup.run(26_000);
    expect(a.leadership.leading).toBe(false);
    await setup.run(6_000);
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
  ])('%s is acquired in time', async (_, spec, seconds) => {
    const setup = createSetup();
    setup.server.set(lease(spec as object));
    const a = setup.candidate('a');
    await setup.run((seconds - 4) * 1000);
    if (seconds > 4) expect(a.leadership.leading).toBe(false);
    await setup.run(4_000);
    expect(a.leadership.leading).toBe(true);
    expect(specOf(setup.server)).toMatchObject({ holderIdentity: 'a', leaseDurationSeconds: 15 });
    expect(specOf(setup.server)['leaseTransitions']).toBeLessThanOrEqual(2_147_483_647);
  });

  test('unknown fields are retained', async () => {
    const setup = createSetup();
    setup.server.set(lease({ holderIdentity: '', strategy: 'OldestEmulationVersion' }));
    setup.candidate('a');
    await setup.run(5_000);
    expect(specOf(setup.server)).toMatchObject({ holderIdentity: 'a', strategy: 'OldestEmulationVersion' });
  });
});
