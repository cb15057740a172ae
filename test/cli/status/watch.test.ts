import { expect, test } from 'vitest';
import { watchStatus } from '../../../cli/status/watch.ts';
import { readStatus } from '../../../cli/status/read-status.ts';
import { nodeMachine } from '../../../cli/machine/node-machine.ts';
import { createVirtualClock, createWorld, type VirtualClock } from 'kruise-sandbox';
import { resources } from '../../../schemas/wire/resources.ts';
import { cloneSet } from '../../runtime/stage.ts';
import { memoryHost } from '../world/memory-host.ts';

/** Watches one target without a plan for its change; `act` makes changes meanwhile. */
async function held(
  act: (clock: VirtualClock, setHeld: (reason: string | undefined) => Promise<void>) => Promise<void>,
  timeoutMs = 300_000,
): Promise<{ code: number | undefined; err: string }> {
  const clock = createVirtualClock(0);
  const world = createWorld({ clock, namespaces: ['shop'] });
  const cluster = world.cluster('user');
  await cluster.create(resources.CloneSet, cloneSet('web', 'web:1', { replicas: 0 }));
  const setHeld = async (reason: string | undefined): Promise<void> => {
    const status = reason === undefined ? 'False' : 'True';
    const condition = { type: 'plan.kruise.io/Held', status, reason: reason ?? 'Free', message: 'why' };
    const counts = { replicas: 0, readyReplicas: 0, updatedReplicas: 0, updatedAvailableReplicas: 0 };
    const body = {
      status: {
        ...{
          observedGeneration: 1,
          availableReplicas: 0,
          updatedReadyReplicas: 0,
          expectedUpdatedReplicas: 1,
        },
        ...{ ...counts, conditions: [{ ...condition, lastTransitionTime: '1970-01-01T00:00:00Z' }] },
      },
    };
    const at = { namespace: 'shop', name: 'web' };
    await cluster.patch(resources.CloneSet, at, { type: 'merge', body }, { subresource: 'status' });
    await clock.settle();
  };
  await setHeld('NoPlan');
  const machine = { ...nodeMachine(), onSignal: () => () => {} };
  const memory = memoryHost({});
  const host = { ...memory, machine };
  const reached = {
    cluster,
    clock,
    now: () => clock.now(),
    namespace: 'shop',
    explain: () => ({ problem: 'nothing', help: 'nothing' }),
    close() {},
  };
  const query = { target: { kind: 'CloneSet', name: 'web' }, namespace: 'shop', digest: undefined };
  const first = readStatus(reached, query);
  await clock.settle();
  let code: number | undefined;
  const ended = watchStatus(host, reached, query, await first, timeoutMs).then((it) => (code = it));
  await clock.settle();
  await act(clock, setHeld);
  const found = { code, err: memory.err };
  await clock.advance(300_000);
  await ended;
  world.stop();
  return found;
}

/** Watches everything on a terminal while a target changes every 10 ms. Counts the updates per second. */
async function watched(): Promise<{ perSecond: number[]; out: string; code: number }> {
  const clock = createVirtualClock(0);
  const world = createWorld({ clock, namespaces: ['shop'] });
  const cluster = world.cluster('user');
  await cluster.create(resources.CloneSet, cloneSet('web', 'web:1', { replicas: 0 }));
  await clock.settle();
  const pictures: number[] = [];
  let out = '';
  let interrupt = (): void => {};
  const machine = {
    ...nodeMachine(),
    onSignal(listener: () => void) {
      interrupt = listener;
      return () => {};
    },
  };
  const host = {
    ...memoryHost({}),
    machine,
    screen: () => ({ columns: 200, rows: 24 }),
    stdout(text: string) {
      pictures.push(clock.now());
      out = text;
    },
  };
  const reached = {
    cluster,
    clock,
    now: () => clock.now(),
    namespace: 'shop',
    explain: () => ({ problem: 'nothing', help: 'nothing' }),
    close() {},
  };
  const query = { target: undefined, namespace: 'shop', digest: undefined };
  const first = readStatus(reached, query);
  await clock.settle();
  const ended = watchStatus(host, reached, query, await first, undefined);
  const counts = {
    replicas: 0,
    availableReplicas: 0,
    updatedReplicas: 0,
    updatedReadyReplicas: 0,
  };
  const at = { namespace: 'shop', name: 'web' };
  for (let change = 1; change <= 300; change += 1) {
    const body = { status: { ...counts, readyReplicas: change } };
    await cluster.patch(resources.CloneSet, at, { type: 'merge', body }, { subresource: 'status' });
    await clock.advance(10);
  }
  const last = pictures.length;
  await clock.advance(200);
  expect(out).toContain('300/0');
  interrupt();
  await clock.settle();
  const code = await ended;
  world.stop();
  const perSecond = [0, 1, 2].map(
    (second) => pictures.slice(0, last).filter((time) => Math.floor(time / 1000) === second).length,
  );
  return { perSecond, out, code };
}

test('the output is updated at most five times a second, and the last update shows the current state', async () => {
  const { perSecond, code } = await watched();
  expect(perSecond).toEqual([5, 5, 5]);
  expect(code).toBe(130);
});

test('a target that is held without a plan ends its watch with its own exit code', async () => {
  expect(await held((clock) => clock.advance(11_000))).toEqual({
    code: 5,
    err: 'kruise status: CloneSet/web in shop is held (NoPlan) and needs a change in git; kruise status CloneSet/web -n shop shows the reason and what to do\n',
  });
});

test('a timeout reports whether the rollout continues', async () => {
  const undecided = (reason: string | undefined) =>
    held(async (clock, setHeld) => {
      await setHeld(reason);
      await clock.advance(6_000);
    }, 5_000);
  const late = 'kruise status: the rollout has neither succeeded nor failed within 5s';
  expect(await undecided('Paused')).toEqual({
    code: 4,
    err: `${late}: it is held (Paused); kruise status CloneSet/web -n shop shows the reason and what to do\n`,
  });
  // No rollout has begun that could end.
  expect(await undecided('NoPlan')).toEqual({
    code: 5,
    err: 'kruise status: CloneSet/web in shop is held (NoPlan) and needs a change in git; kruise status CloneSet/web -n shop shows the reason and what to do\n',
  });
});

test('the watch continues while the plan may follow its manifest, and while the target waits in the queue', async () => {
  const { code } = await held(async (clock, setHeld) => {
    await clock.advance(9_000);
    await setHeld('Queued');
    await clock.advance(30_000);
    await setHeld('NoPlan');
    await clock.advance(9_000);
  });
  expect(code).toBeUndefined();
});
