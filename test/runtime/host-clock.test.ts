import { connect, createServer, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createHostClock } from '../../runtime/host-clock.ts';

const clock = createHostClock();
const open: { end(): void }[] = [];
afterEach(() => open.splice(0).forEach((each) => each.end()));

/** Two ends of a connection. */
async function pair(): Promise<[Socket, Socket]> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const accepted = new Promise<Socket>((resolve) => void server.once('connection', resolve));
  const here = connect(port, '127.0.0.1');
  const there = await accepted;
  open.push(here, there, { end: () => void server.close() });
  return [here, there];
}

function busy(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

test('immediate work runs after pending network I/O', async () => {
  const [here, there] = await pair();
  const MOST = 40;
  let jobs = 0;
  let jobsBefore: number | undefined;
  await new Promise<void>((resolve) => {
    there.once('data', () => {
      jobsBefore = jobs;
      resolve();
    });
    // Each is due before the former one has ended, as with many targets that are reconciled in turn.
    const job = (): void => {
      jobs += 1;
      if (jobs === 1) here.write('x');
      if (jobs < MOST) clock.after(0, job);
      busy(2);
    };
    clock.after(0, job);
  });
  expect(jobsBefore).toBeLessThan(MOST / 2);
});

test('immediate work runs asynchronously, in order, before later timers, or not if it was canceled', async () => {
  const done: string[] = [];
  await new Promise<void>((resolve) => {
    clock.after(5, () => {
      done.push('later');
      resolve();
    });
    clock.after(0, () => void done.push('first'));
    clock.after(0, () => void done.push('called off'))();
    clock.after(-1, () => void done.push('overdue'));
    done.push('now');
  });
  expect(done).toEqual(['now', 'first', 'overdue', 'later']);
});

test('immediate work waits for no timer: a thousand yields take less than a second', async () => {
  const YIELDS = 200;
  /** Turns one after the other, and how many were taken so far. */
  const chain = (delayMs: number, onEnd: () => void): (() => number) => {
    let taken = 0;
    const yieldNext = (): void => {
      taken += 1;
      if (taken < YIELDS) clock.after(delayMs, yieldNext);
      else onEnd();
    };
    clock.after(delayMs, yieldNext);
    return () => taken;
  };
  const meanwhile = await new Promise<number>((resolve) => {
    const byTimer = chain(1, () => {});
    chain(0, () => resolve(byTimer()));
  });
  expect(meanwhile).toBeLessThan(YIELDS / 2);
});
