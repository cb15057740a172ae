import { describe, expect, test } from 'vitest';
import { createScheduler } from '../../runtime/observe/scheduler.ts';
import { createVirtualClock } from 'kruise-sandbox/clock';

/** A scheduler whose job takes `jobMs` and fails this often; runs are recorded with their times. */
function bench(jobMs = 0, paceMs?: (key: string) => number) {
  const clock = createVirtualClock(0);
  const runs: string[] = [];
  const errors: unknown[] = [];
  const fail = { times: 0 };
  /** Which runs, counted from 1, end before they have done everything. */
  const resumed: number[] = [];
  let parallel = 0;
  let most = 0;
  const running = new Set<string>();
  let overlapped = false;
  const scheduler = createScheduler(
    clock,
    async (key: string) => {
      runs.push(`${key}@${clock.now()}`);
      overlapped ||= running.has(key);
      running.add(key);
      most = Math.max(most, ++parallel);
      if (jobMs > 0) await new Promise<void>((done) => void clock.after(jobMs, done));
      parallel -= 1;
      running.delete(key);
      if (fail.times > 0) {
        fail.times -= 1;
        throw new Error('refused');
      }
      return !resumed.includes(runs.length);
    },
    (_key, error) => errors.push(error),
    undefined,
    paceMs,
  );
  return {
    clock,
    scheduler,
    runs,
    errors,
    fail,
    half: resumed,
    most: () => most,
    overlapped: () => overlapped,
  };
}

describe('a key with a pace', () => {
  const paced = () => bench(0, (key) => (key === 'slow' ? 1_000 : 0));

  test('runs once in that time, however often it is enqueued, and the first time at once', async () => {
    const b = paced();
    for (let n = 0; n < 25; n += 1) {
      b.scheduler.enqueue('slow');
      b.scheduler.enqueue('fast');
      await b.clock.advance(100);
    }
    const runsOf = (key: string) => b.runs.filter((run) => run.startsWith(`${key}@`));
    expect(runsOf('slow')).toEqual(['slow@0', 'slow@1000', 'slow@2000']);
    expect(runsOf('fast')).toHaveLength(25);
  });

  test('runs at once if it is urgent', async () => {
    const b = paced();
    b.scheduler.enqueue('slow');
    await b.clock.advance(100);
    b.scheduler.enqueue('slow');
    await b.clock.advance(100);
    b.scheduler.enqueue('slow', 0, true);
    await b.clock.advance(100);
    b.scheduler.enqueue('slow');
    await b.clock.advance(3_000);
    expect(b.runs).toEqual(['slow@0', 'slow@200', 'slow@1200']);
  });

  test('that is enqueued urgently while it runs is run again at once', async () => {
    const b = bench(100, () => 1_000);
    b.scheduler.enqueue('slow');
    await b.clock.advance(50);
    b.scheduler.enqueue('slow', 0, true);
    b.scheduler.enqueue('slow');
    await b.clock.advance(1_000);
    expect(b.runs).toEqual(['slow@0', 'slow@100']);
  });
});

describe('the scheduler', () => {
  test('enqueued ten times at once, a key runs once', async () => {
    const b = bench();
    for (let i = 0; i < 10; i++) b.scheduler.enqueue('a');
    await b.clock.advance(1000);
    expect(b.runs).toEqual(['a@0']);
  });

  test.each([
    [[5000, 1000], ['a@1000']],
    [[1000, 5000], ['a@1000']],
    [[1000, 0], ['a@0']],
  ])('enqueued for %j, the earliest time wins', async (delays, expected) => {
    const b = bench();
    for (const delay of delays) b.scheduler.enqueue('a', delay);
    await b.clock.advance(10_000);
    expect(b.runs).toEqual(expected);
  });

  test('a key that is enqueued while it runs is run once more afterwards, never concurrently', async () => {
    const b = bench(100);
    b.scheduler.enqueue('a');
    await b.clock.advance(10);
    b.scheduler.enqueue('a');
    b.scheduler.enqueue('a', 5000);
    await b.clock.advance(20_000);
    expect(b.runs).toEqual(['a@0', 'a@100']);
    expect(b.overlapped()).toBe(false);
  });

  test('two keys run concurrently', async () => {
    const b = bench(100);
    b.scheduler.enqueue('a');
    b.scheduler.enqueue('b');
    await b.clock.advance(1000);
    expect(b.runs).toEqual(['a@0', 'b@0']);
    expect(b.most()).toBe(2);
  });

  test('keys that are due together start in their own iterations, in order', async () => {
    const b = bench();
    for (const key of ['a', 'b', 'c']) b.scheduler.enqueue(key, 50);
    b.clock.after(50, () => {
      // Network input meanwhile enqueues a key again that is already queued.
      b.runs.push('news');
      b.scheduler.enqueue('c');
    });
    await b.clock.advance(1000);
    expect(b.runs).toEqual(['a@50', 'news', 'b@50', 'c@50']);
  });

  test.each([
    // One part per iteration: a yielded run resumes before another starts, and none share an iteration.
    [1_000, ['a looks', 'news 1', 'a decides', 'news 2', 'b looks', 'news 3', 'b decides']],
    [10, ['a looks', 'a decides', 'news 1', 'b looks', 'b decides', 'news 2', 'news 3']],
  ])('a run that has processed %d objects yields if they are many', async (pods, expected) => {
    const clock = createVirtualClock(0);
    const observed: string[] = [];
    const scheduler = createScheduler(
      clock,
      async (key: string) => {
        observed.push(`${key} looks`);
        await scheduler.yieldAfter(key, pods);
        observed.push(`${key} decides`);
        return true;
      },
      () => {},
    );
    const enqueueAll = (count: number): void => {
      observed.push(`news ${count}`);
      if (count < 3) clock.after(0, () => enqueueAll(count + 1));
    };
    scheduler.enqueue('a');
    scheduler.enqueue('b');
    clock.after(0, () => enqueueAll(1));
    await clock.advance(1000);
    expect(observed).toEqual(expected);
  });

  test('a run that yielded before a stop resumes, and the stop waits for it', async () => {
    const clock = createVirtualClock(0);
    const observed: string[] = [];
    const scheduler = createScheduler(
      clock,
      async (key: string) => {
        observed.push('looks');
        await scheduler.yieldAfter(key, 1_000);
        observed.push('decides');
        return true;
      },
      () => {},
    );
    scheduler.enqueue('a');
    clock.after(0, () => void scheduler.stop(1000).then((whole) => observed.push(`ended ${whole}`)));
    await clock.advance(1000);
    expect(observed).toEqual(['looks', 'decides', 'ended true']);
  });

  test.each([
    [10, [0, 1, 2]],
    [1_000, [0, 20, 40]],
    [10_000, [0, 200, 400]],
  ])('runs of %d objects start at intervals in proportion', async (pods, at) => {
    const clock = createVirtualClock(0);
    const begun: number[] = [];
    const scheduler = createScheduler(
      clock,
      async (key: string) => {
        begun.push(clock.now());
        await scheduler.yieldAfter(key, pods);
        if (begun.length < 3) scheduler.enqueue(key, 1);
        return true;
      },
      () => {},
    );
    scheduler.enqueue('a');
    await clock.advance(5_000);
    expect(begun).toEqual(at);
    // After a pause the next one begins at once.
    scheduler.enqueue('a');
    await clock.advance(1);
    expect(begun.slice(3)).toEqual([5_000]);
  });

  test('many objects of one key do not delay another', async () => {
    const clock = createVirtualClock(0);
    const begun: string[] = [];
    const scheduler = createScheduler(
      clock,
      async (key: string) => {
        begun.push(`${key}@${clock.now()}`);
        await scheduler.yieldAfter(key, key === 'many' ? 10_000 : 1);
        return true;
      },
      () => {},
    );
    for (const key of ['many', 'few']) scheduler.enqueue(key);
    await clock.advance(10);
    for (const key of ['many', 'few']) scheduler.enqueue(key);
    await clock.advance(1_000);
    expect(begun).toEqual(['many@0', 'few@0', 'few@10', 'many@200']);
  });

  test('a queued key does not start after a stop', async () => {
    const b = bench();
    for (const key of ['a', 'b', 'c']) b.scheduler.enqueue(key, 50);
    b.clock.after(50, () => void b.scheduler.stop(1000));
    await b.clock.advance(1000);
    expect(b.runs).toEqual(['a@50']);
  });

  test('an incomplete run does not reset the failures', async () => {
    const b = bench();
    b.fail.times = 2;
    b.half.push(3);
    b.scheduler.enqueue('a');
    await b.clock.advance(600);
    expect(b.runs).toEqual(['a@0', 'a@200', 'a@600']);
    b.fail.times = 1;
    b.scheduler.enqueue('a');
    await b.clock.advance(3000);
    expect(b.runs.slice(3)).toEqual(['a@600', 'a@1400']);
  });

  test('a failure is reported and retried after 200 ms, then twice as long, at most 30 s', async () => {
    const b = bench();
    b.fail.times = 12;
    b.scheduler.enqueue('a');
    await b.clock.advance(600_000);
    const times = b.runs.map((run) => Number(run.slice(2)));
    const pauses = times.slice(1).map((at, i) => at - (times[i] ?? 0));
    expect(pauses.slice(0, 3)).toEqual([200, 400, 800]);
    expect(Math.max(...pauses)).toBe(30_000);
    expect(b.errors).toHaveLength(12);
  });

  /** A key that has failed so often that its next pause is 25.6 s, from the end of a run that begins at `at`. */
  async function failing(jobMs: number) {
    const b = bench(jobMs);
    b.fail.times = 100;
    b.scheduler.enqueue('a');
    while (b.runs.length < 8) await b.clock.advance(50);
    return { ...b, at: Number(b.runs.at(-1)?.slice(2)) };
  }

  test.each([
    ['in the run that fails', 50, false, 1_100],
    ['soon after it', 200, false, 1_100],
    ['later in the pause', 5_000, false, 5_000],
    ['in the run that fails, urgently', 50, true, 300],
    ['soon after it, urgently', 200, true, 300],
    ['later in the pause, urgently', 500, true, 500],
  ])('an event %s ends a long pause', async (_when, afterMs, isUrgent, runsAfter) => {
    const b = await failing(100);
    await b.clock.advance(b.at + afterMs - b.clock.now());
    b.scheduler.enqueue('a', 0, isUrgent);
    await b.clock.advance(20_000);
    expect(Number(b.runs[8]?.slice(2)) - b.at).toBe(runsAfter);
  });

  test.each([50, 150])('a run that causes an event after %i ms each time pauses for a second', async (ms) => {
    const b = await failing(100);
    const before = b.runs.length;
    for (let second = 0; second < 600; second += 1) {
      for (let step = 0; step < 20; step += 1) {
        await b.clock.advance(50);
        if (b.clock.now() - Number(b.runs.at(-1)?.slice(2)) === ms) b.scheduler.enqueue('a');
      }
      if (b.fail.times === 0) b.fail.times = 100;
    }
    expect(b.runs.length - before).toBeLessThan(600);
  });

  test('what a failing run enqueues for later by itself ends no pause', async () => {
    const clock = createVirtualClock(0);
    let runs = 0;
    const scheduler = createScheduler(
      clock,
      (key: string) => {
        runs += 1;
        scheduler.enqueue(key, 1_000);
        return Promise.reject(new Error('refused'));
      },
      () => {},
    );
    scheduler.enqueue('a');
    await clock.advance(120_000);
    expect(runs).toBeLessThan(12);
  });

  test('a failing run starts five times a second at most, however many urgent events there are', async () => {
    const b = bench(20);
    b.fail.times = Infinity;
    for (let event = 0; event < 2_000; event += 1) {
      b.scheduler.enqueue('a', 0, true);
      await b.clock.advance(10);
    }
    expect(b.runs.length).toBeLessThanOrEqual(100);
  });

  test('a success resets the failures', async () => {
    const b = bench();
    b.fail.times = 3;
    b.scheduler.enqueue('a');
    await b.clock.advance(60_000);
    b.fail.times = 1;
    b.scheduler.enqueue('a');
    await b.clock.advance(60_000);
    const times = b.runs.map((run) => Number(run.slice(2)));
    expect((times.at(-1) ?? 0) - (times.at(-2) ?? 0)).toBe(200);
  });

  test('stopped, it runs nothing more', async () => {
    const b = bench();
    b.scheduler.enqueue('a', 1000);
    void b.scheduler.stop(0);
    b.scheduler.enqueue('b');
    await b.clock.advance(10_000);
    expect(b.runs).toEqual([]);
  });
});
