import { expect, test } from 'vitest';
import { watchStatus } from '../../../cli/status/watch.ts';
import { look } from '../../../cli/status/look.ts';
import { nodeMachine } from '../../../cli/machine/node-machine.ts';
import { createVirtualClock } from '../../../sandbox/clock/virtual.ts';
import { createWorld } from '../../../sandbox/world.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { cloneSet } from '../../runtime/stage.ts';
import { memoryHost } from '../world/memory-host.ts';

/** A watch of everything on a screen, of a target that changes every 10 ms. Pictures, by the second they were drawn in. */
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
  const looked = { target: undefined, namespace: 'shop', digest: undefined };
  const first = look(reached, looked);
  await clock.settle();
  const ended = watchStatus(host, reached, looked, await first, undefined);
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

test('whatever happens, at most five pictures a second, and the last one is what is there', async () => {
  const { perSecond, code } = await watched();
  expect(perSecond).toEqual([5, 5, 5]);
  expect(code).toBe(130);
});
