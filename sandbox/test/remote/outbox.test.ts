import { beforeEach, describe, expect, it } from 'vitest';
import { createVirtualClock, type VirtualClock } from '../../clock/virtual.ts';
import { createOutbox, type Outbox } from '../../remote/outbox.ts';
import { ApiError } from '../../../schemas/wire/cluster.ts';

let clock: VirtualClock;
let outbox: Outbox;
let done: string[];
let errors: string[];

beforeEach(() => {
  clock = createVirtualClock(0);
  done = [];
  errors = [];
  outbox = createOutbox({
    clock,
    random: () => 0,
    width: 2,
    onError: (key, error) => void errors.push(`${key} ${(error as Error).message}`),
  });
});

/** Work with a duration. */
function work(name: string, ms = 100): () => Promise<void> {
  return async () =>
    new Promise((resolve) => {
      clock.after(ms, () => {
        done.push(`${name} ${clock.now()}`);
        resolve();
      });
    });
}

function refusal(code: number): ApiError {
  return new ApiError({ code, reason: 'Because', message: `refused with ${code}` });
}

describe('the outbox', () => {
  it('does one thing at a time for a key, and as many as its width at once', async () => {
    for (const key of ['a', 'b', 'c', 'a']) outbox.enqueue(key, work(key));
    await clock.advance(1_000);
    expect(done).toEqual(['a 100', 'b 100', 'c 200', 'a 200']);
    expect(outbox.size).toBe(0);
  });

  it('a key enqueued twice while it runs is processed once more, with the latest work', async () => {
    outbox.enqueue('a', work('first'));
    await clock.advance(50);
    outbox.enqueue('a', work('second'));
    outbox.enqueue('a', work('third'));
    await clock.advance(1_000);
    expect(done).toEqual(['first 100', 'third 200']);
  });

  it('waits as long as it may, and no longer once it may not', async () => {
    outbox.enqueue('a', work('a', 0), 500);
    outbox.enqueue('b', work('b', 0), 500);
    await clock.advance(100);
    outbox.enqueue('a', work('a', 0));
    outbox.enqueue('b', work('b', 0), 900);
    await clock.advance(1_000);
    expect(done).toEqual(['a 100', 'b 500']);
  });

  it.each([
    ['a lost connection', new Error('reset'), true],
    ['too many requests', refusal(429), true],
    ['a server in trouble', refusal(500), true],
    ['a conflict', refusal(409), false],
    ['an invalid object', refusal(422), false],
  ])('after %s', async (_what, error, again) => {
    let trials = 0;
    outbox.enqueue('a', async () => {
      trials += 1;
      if (trials < 4) throw error;
      done.push(`a ${clock.now()}`);
      return Promise.resolve();
    });
    await clock.advance(5_000);
    expect(done).toEqual(again ? ['a 1400'] : []);
    expect(errors).toHaveLength(again ? 3 : 1);
  });

  it('what waits after a failure is not hurried', async () => {
    let trials = 0;
    const failing = async (): Promise<void> => {
      trials += 1;
      return Promise.reject(new Error('reset'));
    };
    outbox.enqueue('a', failing);
    await clock.advance(50);
    outbox.enqueue('a', failing);
    await clock.advance(50);
    expect(trials).toBe(1);
  });

  it('forgotten keys are not processed', async () => {
    outbox.enqueue('a', work('a', 0), 500);
    outbox.enqueue('b', work('b', 100));
    await clock.advance(50);
    outbox.enqueue('b', work('b again', 0));
    outbox.forget('a');
    outbox.forget('b');
    await clock.advance(1_000);
    expect(done).toEqual(['b 100']);
    expect(outbox.size).toBe(0);
  });

  it.each([
    [400, 'in time', ['a 100', 'b 300'], 300],
    [200, 'not in time', ['a 100'], 200],
  ])('rests within %i ms: %s', async (ms, _what, expected, at) => {
    outbox.enqueue('a', work('a', 100));
    outbox.enqueue('b', work('b', 300));
    let rested = -1;
    void outbox.drained(ms).then(() => {
      rested = clock.now();
      outbox.close();
    });
    await clock.runUntil(() => rested >= 0);
    expect(done).toEqual(expected);
    expect(rested).toBe(at);
  });

  it('closed, starts nothing any more', async () => {
    outbox.enqueue('a', work('a'));
    outbox.enqueue('b', work('b'), 500);
    await clock.advance(50);
    outbox.close();
    outbox.enqueue('c', work('c'));
    await clock.advance(1_000);
    expect(done).toEqual(['a 100']);
  });
});
