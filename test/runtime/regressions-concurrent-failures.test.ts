import { describe, expect, test } from 'vitest';
import type { RolloutCommandSpec } from '../../schemas/generated/types/rolloutcommand.ts';
import type { RolloutPlanSpec, Step } from '../../schemas/generated/types/rolloutplan.ts';
import { ApiError } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { lead, losePod, MINUTE, shown } from './lead.ts';
import {
  availableOf,
  cloneSet,
  createTestCluster,
  patchSpec,
  type TestCluster,
  templateOf,
} from './stage.ts';

const first = templateOf('web', 'web:1');
const second = templateOf('web', 'web:2');
const soak: Step = { id: 'soak', soak: { for: '5m' } };
const all: Step = { id: 'all', update: { to: '100%' } };

/** A user sends a command about `web`. Returns the name of the command. */
async function send(
  stage: TestCluster,
  action: RolloutCommandSpec['action'],
  parts: Partial<RolloutCommandSpec> = {},
): Promise<string> {
  const { items } = await stage.user.list(resources.RolloutCommand, { namespace: 'shop' });
  const name = `word-${String(items.length).padStart(3, '0')}`;
  await stage.user.create(resources.RolloutCommand, {
    apiVersion: 'plan.kruise.io/v1alpha1',
    kind: 'RolloutCommand',
    metadata: { name, namespace: 'shop' },
    spec: { target: { kind: 'CloneSet', name: 'web' }, action, by: 'mona', ...parts },
  });
  await stage.clock.settle();
  return name;
}

async function resultOf(stage: TestCluster, name: string): Promise<string | undefined> {
  const answered = await stage.user.get(resources.RolloutCommand, { namespace: 'shop', name });
  return (answered['status'] as { result?: string } | undefined)?.result;
}

function inMs(stage: TestCluster, ms: number): string {
  return new Date(stage.clock.now() + ms).toISOString().replace(/\.\d+Z$/, 'Z');
}

function digestOf(plan: KubeObject): string {
  return (plan['spec'] as RolloutPlanSpec).digest;
}

function imageOf(pod: Pod): string | undefined {
  return pod.spec.containers[0]?.image;
}

describe('a revert does not wait for broken old pods', () => {
  const steps: Step[] = [{ id: 'one', update: { to: 1 } }, soak, all];

  // As many broken old pods as maxUnavailable prevented the revert of the canary as long as their node was lost.
  test.each(['InPlaceIfPossible', 'ReCreate'])(
    'a node of old pods is lost during the rollout: the canary is reverted at once (%s)',
    async (podUpdatePolicy) => {
      const stage = await createTestCluster(cloneSet('web', 'web:1', { replicas: 5 }, { podUpdatePolicy }));
      stage.world.images.set('web:2', { neverReady: true });
      await lead(stage, second, { steps });
      await stage.clock.advance(MINUTE);
      const pods = await stage.pods();
      const canaryNode = pods.find((pod) => imageOf(pod) === 'web:2')?.spec.nodeName;
      const lost = pods.map((pod) => pod.spec.nodeName ?? '').find((node) => node !== canaryNode) ?? '';
      stage.world.nodes.stopKubelet(lost);
      await stage.clock.advance(2 * MINUTE);
      await patchSpec(stage, 'web', { template: first });
      await stage.clock.advance(2 * MINUTE);
      expect(await stage.images()).toEqual({ 'web:1': 5 });
      await stage.stop();
    },
  );

  // It used up the window of the working pods, too: a rollout whose new pods were available could never be reverted.
  test('a pod that was broken before the plan does not prevent the revert of a working one', async () => {
    const stage = await createTestCluster(cloneSet('web', 'web:1', { replicas: 5 }));
    stage.world.nodes.stopKubelet('node-3');
    await stage.clock.advance(2 * MINUTE);
    expect(availableOf(await stage.pods(), stage.clock.now())).toBe(4);
    const batches: Step[] = [{ id: 'two', update: { to: 2 } }, { id: 'ok', approve: {} }, all];
    await lead(
      stage,
      second,
      { steps: batches },
      { updateStrategy: { rollingUpdate: { maxUnavailable: 2 } } },
    );
    await stage.until('AwaitingApproval', 5 * MINUTE);
    expect(await stage.images()).toEqual({ 'web:1': 3, 'web:2': 2 });
    await patchSpec(stage, 'web', {
      template: first,
      updateStrategy: { rollingUpdate: { maxUnavailable: 1 } },
    });
    await stage.until('Reverted', 5 * MINUTE);
    expect(await stage.images()).toEqual({ 'web:1': 5 });
    await stage.stop();
  });
});

describe('a gate that lost its pods gets them back', () => {
  // Nine were wanted and nine were there, all of them old: the soak waited for its canary for ever.
  test('the canary is drained while an autoscaler removes a replica', async () => {
    const stage = await createTestCluster(cloneSet('web', 'web:1', { replicas: 10 }, { maxUnavailable: 2 }));
    await lead(stage, second, { steps: [{ id: 'one', update: { to: '5%', atLeast: 1 } }, soak, all] });
    await stage.clock.advance(30_000);
    expect((await shown(stage)).phase).toBe('Soaking');
    await patchSpec(stage, 'web', { replicas: 9 });
    await losePod(stage, 'web:2');
    expect(await stage.images()).toEqual({ 'web:1': 8, 'web:2': 1 });
    await stage.until('Succeeded', 10 * MINUTE);
    await stage.stop();
  });

  // 50 % of one pod is zero, so every replacement was created at the old revision, and the soak waited for a new one.
  test('an autoscaler scales to 1 and back after a batch of 50 % without a lower bound', async () => {
    const stage = await createTestCluster(cloneSet('web', 'web:1', { replicas: 10 }, { maxUnavailable: 5 }));
    await lead(stage, second, { steps: [{ id: 'half', update: { to: '50%' } }, soak, all] });
    await stage.clock.advance(30_000);
    expect((await shown(stage)).phase).toBe('Soaking');
    await patchSpec(stage, 'web', { replicas: 1 });
    await stage.clock.advance(15_000);
    await patchSpec(stage, 'web', { replicas: 10 });
    await stage.clock.advance(MINUTE);
    expect(await stage.images()).toEqual({ 'web:1': 9, 'web:2': 1 });
    await stage.until('Succeeded', 10 * MINUTE);
    await stage.stop();
  });
});

describe('refused answers and Events must not block a target', () => {
  // Every reconcile with a refused answer ended before it acted: without rights to a status, no lost pod was replaced.
  test('answers are refused: lost pods are replaced, the command has its effect, and is answered as soon as possible', async () => {
    let denied = false;
    const stage = await createTestCluster(cloneSet('web', 'web:1'), {
      wrap: (cluster) => ({
        ...cluster,
        async patch(resource, at, patch, options) {
          if (denied && resource.plural === 'rolloutcommands')
            throw new ApiError({ code: 403, reason: 'Forbidden', message: 'not for kruise' });
          return cluster.patch(resource, at, patch, options);
        },
      }),
    });
    await lead(stage, second, { steps: [{ id: 'one', update: { to: 1 } }, soak, all] });
    await stage.clock.advance(30_000);
    denied = true;
    const pause = await send(stage, 'Pause');
    await losePod(stage, 'web:1');
    await losePod(stage, 'web:2');
    expect([await stage.images(), await resultOf(stage, pause)]).toEqual([
      { 'web:1': 2, 'web:2': 1 },
      undefined,
    ]);
    expect(availableOf(await stage.pods(), stage.clock.now())).toBe(3);
    await stage.clock.advance(10 * MINUTE);
    expect((await shown(stage)).phase).toBe('Soaking');
    expect(stage.errors.length).toBeGreaterThan(0);
    denied = false;
    await stage.clock.advance(MINUTE);
    expect(await resultOf(stage, pause)).toBe('Accepted');
    await stage.stop();
  });

  // The second pause of a night was not reported: its Event had the name of the first one, and was dropped.
  test('a repeated Event is counted, with the time of the last one', async () => {
    const stage = await createTestCluster(cloneSet('web', 'web:1'));
    await lead(stage, second, { steps: [{ id: 'one', update: { to: 1 } }, soak, all] });
    await stage.clock.advance(30_000);
    let last = '';
    for (let i = 0; i < 3; i++) {
      last = inMs(stage, 0);
      await send(stage, 'Pause');
      await stage.clock.advance(5 * MINUTE);
      await send(stage, 'Resume');
      await stage.clock.advance(MINUTE);
    }
    const { items } = await stage.user.list(resources.Event, { namespace: 'shop' });
    const paused = items.filter((event) => event['reason'] === 'Paused');
    expect(paused.map(({ count, lastTimestamp }) => ({ count, lastTimestamp }))).toEqual([
      { count: 3, lastTimestamp: last },
    ]);
    await stage.stop();
  });
});

describe('BreakGlass for an image that crashes', () => {
  // All three pods were available for a moment: the image that had just been halted was stable, and Revert was refused.
  test('it does not become stable, and Revert reverts it', async () => {
    const stage = await createTestCluster(cloneSet('web', 'web:1'));
    stage.world.images.set('web:2', { crashAfterMs: 90_000 });
    const plan = await lead(stage, second, { steps: [{ id: 'one', update: { to: 1 } }, soak, all] });
    await stage.until('Halted');
    const before = (await stage.target())['status'] as { currentRevision: string };
    await send(stage, 'BreakGlass', { expires: inMs(stage, MINUTE) });
    await stage.clock.advance(10 * MINUTE);
    expect(await stage.images()).toEqual({ 'web:2': 3 });
    expect((await stage.target())['status']).toMatchObject({ currentRevision: before.currentRevision });
    const revert = await send(stage, 'Revert', { digest: digestOf(plan) });
    await stage.clock.advance(MINUTE);
    expect(await resultOf(stage, revert)).toBe('Accepted');
    expect(await stage.images()).toEqual({ 'web:1': 3 });
    await stage.stop();
  });

  // One pod of it was left for ever, and the target was not even held.
  test('it expires during the update and git is reverted: the updated pods are reverted, under a partition as well', async () => {
    for (const partition of [0, 4]) {
      const stage = await createTestCluster(cloneSet('web', 'web:1', { replicas: 6 }, { partition }));
      stage.world.images.set('web:2', { neverReady: true });
      await send(stage, 'BreakGlass', { expires: inMs(stage, 30_000) });
      await patchSpec(stage, 'web', { template: second });
      await stage.clock.advance(31_000);
      expect(await stage.images()).toEqual({ 'web:1': 5, 'web:2': 1 });
      await patchSpec(stage, 'web', { template: first });
      await stage.clock.advance(5 * MINUTE);
      expect(await stage.images()).toEqual({ 'web:1': 6 });
      await stage.stop();
    }
  });
});
