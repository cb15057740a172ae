import { afterEach, describe, expect, test } from 'vitest';
import type { GetAnswer } from '../../../runtime/check/get.ts';
import type { Runtime } from '../../../runtime/runtime.ts';
import { ApiError, type Cluster } from '../../../schemas/wire/cluster.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { isSnapshot } from '../../../semantics/plan/memory.ts';
import { NOTIFIED_ANNOTATION } from '../../../semantics/plan/notice.ts';
import {
  cloneSet,
  createTestCluster,
  patchSpec,
  startRuntime,
  templateOf,
  type StageOptions,
  type TestCluster,
} from '../stage.ts';

const MINUTE = 60_000;
const steps = [
  { id: 'one', update: { to: 1 } },
  { id: 'look', approve: {} },
  { id: 'all', update: { to: '100%' as const } },
];

let stage: TestCluster;
let later: Runtime | undefined;
afterEach(async () => {
  void later?.stop();
  later = undefined;
  await stage.stop();
});

interface Receiver extends Pick<StageOptions, 'config' | 'post'> {
  /** `Halted look: message` of each request. */
  got: string[];
  ids: string[];
  since: string[];
}

/** A receiver that answers as told; undefined: never. */
function receiver(answerTo: (request: number) => GetAnswer | undefined = () => ok): Receiver {
  const [got, ids, since]: [string[], string[], string[]] = [[], [], []];
  return {
    got,
    ids,
    since,
    config: { checks: [], webhook: { url: 'http://chat/', format: 'Event' } },
    async post(_url, { content }) {
      const body = JSON.parse(content) as Record<string, string> & { plan?: { step: string } };
      got.push(`${body['event']} ${body.plan?.step ?? ''}: ${body['message']}`);
      ids.push(body['id'] ?? '');
      since.push(body['since'] ?? '');
      return answerTo(got.length - 1) ?? new Promise(() => {});
    },
  };
}

const ok: GetAnswer = { status: 200, body: '' };
const broken: GetAnswer = { status: 500, body: '' };

const begins = async (to: Receiver): Promise<void> => {
  stage = await createTestCluster(cloneSet('web', 'web:1'), to);
};

/** Another process takes over. */
async function restart(to: Receiver, downMs = 0): Promise<void> {
  void (later ?? stage.runtime).stop();
  await stage.clock.advance(downMs);
  later = startRuntime(stage.world, stage.clock, stage.errors, to);
  await stage.clock.settle();
}

async function command(action: string, step?: string): Promise<void> {
  const { items } = await stage.user.list(resources.RolloutPlan, { namespace: 'shop' });
  const { digest } = (items[0]?.['spec'] ?? {}) as { digest: string };
  await stage.user.create(resources.RolloutCommand, {
    apiVersion: 'plan.kruise.io/v1alpha1',
    kind: 'RolloutCommand',
    metadata: { name: `${action.toLowerCase()}-${stage.clock.now()}`, namespace: 'shop' },
    spec: {
      action,
      by: 'user',
      digest,
      target: { kind: 'CloneSet', name: 'web', apiVersion: 'apps.kruise.io/v1beta1' },
      ...(step !== undefined && { step }),
    },
  });
  await stage.clock.settle();
}

/** A change whose pods never become ready. */
async function halts(onFailure: 'Halt' | 'Revert' = 'Halt'): Promise<void> {
  stage.world.images.set('web:broken', { neverReady: true });
  await stage.change('web:broken', {
    steps: [{ id: 'all', update: { to: '100%' }, timeout: '2m', onFailure }],
  });
}

/** What the record of the plan has. */
async function marks(): Promise<(string | undefined)[]> {
  const { items } = await stage.user.list(resources.ControllerRevision, { namespace: 'shop' });
  return items.filter(isSnapshot).map(({ metadata }) => metadata.annotations?.[NOTIFIED_ANNOTATION]);
}

describe('what is told', () => {
  test('an approval that is wanted, once, with the command; the next phase needs nobody', async () => {
    const to = receiver();
    await begins(to);
    await stage.change('web:2', { steps });
    await stage.until('AwaitingApproval');
    await stage.clock.advance(60 * MINUTE);
    expect(to.got).toHaveLength(1);
    expect(to.got[0]).toMatch(
      /^AwaitingApproval look: waits for approval: kruise approve CloneSet\/web -n shop /,
    );
    expect(await marks()).toEqual(['AwaitingApproval 1']);
    await command('Approve', 'look');
    await stage.until('Succeeded');
    expect(await marks()).toEqual([undefined]);
    expect(to.got).toHaveLength(1);
    expect(stage.errors).toEqual([]);
  });

  test('a rollout that halts, and again when it was resumed and halts at the same step', async () => {
    const to = receiver();
    await begins(to);
    await halts();
    await stage.until('Halted');
    await stage.clock.advance(60 * MINUTE);
    expect(to.got).toEqual([expect.stringMatching(/^Halted all: .*retry: kruise resume/)]);
    await command('Resume');
    await stage.until('Running');
    await stage.until('Halted');
    await stage.clock.advance(60 * MINUTE);
    expect(to.got).toHaveLength(2);
    expect(new Set(to.ids).size).toBe(2);
  });

  test('a rollout that was reverted after a failure, but none that git has reverted', async () => {
    const to = receiver();
    await begins(to);
    await halts('Revert');
    await stage.until('Reverted');
    await stage.clock.advance(MINUTE);
    expect(to.got).toEqual([expect.stringMatching(/^Reverted all: /)]);
    await patchSpec(stage, 'web', { template: templateOf('web', 'web:1') });
    await stage.clock.advance(MINUTE);
    await stage.user.delete(resources.RolloutPlan, { namespace: 'shop', name: 'cloneset-web' });
    await stage.change('web:2', { steps });
    await stage.until('AwaitingApproval');
    await stage.clock.advance(MINUTE);
    await patchSpec(stage, 'web', { template: templateOf('web', 'web:1') });
    await stage.until('Reverted');
    await stage.clock.advance(60 * MINUTE);
    expect(to.got.map((each) => each.split(' ')[0])).toEqual(['Reverted', 'AwaitingApproval']);
  });

  test('no approval while somebody has paused the rollout, but after that', async () => {
    let isUp = false;
    const to = receiver(() => (isUp ? ok : broken));
    await begins(to);
    await stage.change('web:2', { steps });
    await stage.until('AwaitingApproval');
    await command('Pause');
    isUp = true;
    const { length } = to.got;
    await stage.clock.advance(60 * MINUTE);
    expect(to.got).toHaveLength(length);
    await command('Resume');
    await stage.clock.advance(MINUTE);
    expect(to.got).toHaveLength(length + 1);
    expect(await marks()).toEqual(['AwaitingApproval 1']);
  });
});

describe('a receiver that does not take it', () => {
  test('a receiver that never answers delays no pod, no status and no command', async () => {
    const to = receiver(() => undefined);
    await begins(to);
    await stage.change('web:2', { steps });
    await stage.until('AwaitingApproval', MINUTE);
    expect(await stage.images()).toEqual({ 'web:1': 2, 'web:2': 1 });
    await command('Approve', 'look');
    await stage.until('Succeeded', MINUTE);
    expect(to.got).toHaveLength(1);
    expect(await marks()).toEqual([undefined]);
  });

  test('one that answers 500 gets it again, and its record is written after the delivery', async () => {
    const to = receiver((request) => (request < 3 ? broken : ok));
    await begins(to);
    await halts();
    await stage.until('Halted');
    await stage.clock.advance(10_000);
    expect([to.got.length, await marks()]).toEqual([2, [undefined]]);
    await stage.clock.advance(60 * MINUTE);
    expect([to.got.length, await marks()]).toEqual([4, ['Halted 0']]);
    expect(new Set(to.ids).size).toBe(1);
  });

  test('what has ended meanwhile is told no more', async () => {
    const to = receiver(() => broken);
    await begins(to);
    await stage.change('web:2', { steps });
    await stage.until('AwaitingApproval');
    await command('Approve', 'look');
    await stage.until('Succeeded');
    const { length } = to.got;
    await stage.clock.advance(60 * MINUTE);
    expect(to.got).toHaveLength(length);
  });
});

describe('a restart of the runtime', () => {
  test('repeats nothing that was delivered', async () => {
    const to = receiver();
    await begins(to);
    await halts();
    await stage.until('Halted');
    await stage.clock.advance(MINUTE);
    for (const downMs of [0, MINUTE, 120 * MINUTE]) {
      await restart(to, downMs);
      await stage.clock.advance(10 * MINUTE);
    }
    expect(to.got).toHaveLength(1);
  });

  test.each([0, MINUTE, 120 * MINUTE])(
    'loses no halt that was not delivered: down for %i ms',
    async (downMs) => {
      let isUp = false;
      const to = receiver(() => (isUp ? ok : broken));
      await begins(to);
      await halts();
      await stage.until('Halted');
      await stage.clock.advance(10_000);
      const before = to.got.length;
      await restart(to, downMs);
      isUp = true;
      await stage.clock.advance(10 * MINUTE);
      expect(to.got.length - before).toBeGreaterThanOrEqual(1);
      expect(new Set(to.ids).size).toBe(1);
      const after = to.got.length;
      await restart(to);
      await stage.clock.advance(10 * MINUTE);
      expect(to.got).toHaveLength(after);
    },
  );

  test.each([true, false])('loses none that was given up: a restart is %s', async (isRestarted) => {
    let isUp = false;
    const to = receiver(() => (isUp ? ok : broken));
    await begins(to);
    await halts();
    await stage.until('Halted');
    await stage.clock.advance(70 * MINUTE);
    expect(to.got).toHaveLength(10);
    isUp = true;
    if (isRestarted) await restart(to);
    await stage.clock.advance(isRestarted ? 10 * MINUTE : 60 * MINUTE);
    expect([to.got.length, await marks()]).toEqual([11, ['Halted 0']]);
  });
});

test.each([422, 503])('a halt is sent while its status cannot be written: %i', async (code) => {
  const to = receiver();
  let isRefused = false;
  const wrap = (cluster: Cluster): Cluster => ({
    ...cluster,
    async patch(resource, at, patch, options) {
      if (isRefused && at.name === 'web' && options?.subresource === 'status')
        throw new ApiError({ code, reason: code === 422 ? 'Invalid' : 'ServiceUnavailable', message: 'no' });
      return cluster.patch(resource, at, patch, options);
    },
  });
  stage = await createTestCluster(cloneSet('web', 'web:1'), { ...to, wrap });
  await halts();
  await stage.until('Running');
  isRefused = true;
  await stage.clock.advance(30 * MINUTE);
  const held = code === 422 ? [expect.stringMatching(/^Held : its status cannot be written/)] : [];
  expect(to.got.sort()).toEqual([expect.stringMatching(/^Halted all: /), ...held]);
  expect(await marks()).toEqual(['Halted 0']);
});

test('one halt has one id and one time, whatever the target was held for between two processes', async () => {
  let isUp = false;
  const to = receiver(() => (isUp ? ok : broken));
  await begins(to);
  await halts();
  await stage.until('Halted');
  await stage.clock.advance(10_000);
  void stage.runtime.stop();
  const status = { conditions: [] };
  await stage.user.patch(
    resources.CloneSet,
    { namespace: 'shop', name: 'web' },
    { type: 'merge', body: { status } },
    { subresource: 'status' },
  );
  isUp = true;
  await restart(to, 60 * MINUTE);
  await stage.clock.advance(MINUTE);
  expect(await marks()).toEqual(['Halted 0']);
  expect(new Set(to.ids).size).toBe(1);
  expect(new Set(to.since).size).toBe(1);
});

test('without a webhook nothing is recorded', async () => {
  stage = await createTestCluster(cloneSet('web', 'web:1'));
  await halts();
  await stage.until('Halted');
  await stage.clock.advance(60 * MINUTE);
  expect(await marks()).toEqual([undefined]);
});
