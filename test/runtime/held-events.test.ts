import { describe, expect, test } from 'vitest';
import type { Condition, KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { heldEvent } from '../../semantics/plan/held-condition.ts';
import {
  cloneSet,
  createTestCluster,
  patchSpec,
  planOf,
  startRuntime,
  templateOf,
  type TestCluster,
} from './stage.ts';

const MINUTE = 60_000;

/** `Warning NoPlan`, `Normal Paused ×2`: what `kubectl describe` shows of why the target waits. */
async function heldEvents(stage: TestCluster): Promise<string[]> {
  const { items } = await stage.user.list(resources.Event, { namespace: 'shop' });
  return items
    .filter((event) => event['reason'] === 'Held')
    .map((event) => {
      const count = Number(event['count']);
      const reason = String(event['message']).split(':')[0];
      return `${String(event['type'])} ${reason}${count === 1 ? '' : ` ×${count}`}`;
    })
    .sort();
}

/** The reason in the status of the target. */
async function reasonShown(stage: TestCluster): Promise<string | undefined> {
  const target = await stage.user.get(resources.CloneSet, { namespace: 'shop', name: 'web' });
  const { conditions = [] } = (target['status'] ?? {}) as { conditions?: Condition[] };
  return conditions.find(({ type }) => type === 'plan.kruise.io/Held')?.reason;
}

describe('a held target gets one Event for each reason', () => {
  test('a change without a plan: one Event while it lasts, whatever else changes', async () => {
    const stage = await createTestCluster(cloneSet('web', 'web:1'));
    expect(await heldEvents(stage)).toEqual([]);
    await stage.change('web:2', false);
    await stage.clock.advance(9_000);
    expect(await heldEvents(stage)).toEqual([]);
    await stage.clock.advance(2_000);
    expect(await heldEvents(stage)).toEqual(['Warning NoPlan']);
    await patchSpec(stage, 'web', { replicas: 4 });
    await stage.clock.advance(10 * MINUTE);
    await patchSpec(stage, 'web', { replicas: 3, template: templateOf('web', 'web:3') });
    await stage.clock.advance(10 * MINUTE);
    expect(await heldEvents(stage)).toEqual(['Warning NoPlan']);
    await stage.stop();
  });

  test('no Event for a plan that arrives shortly after its manifest, nor for the change before it', async () => {
    const stage = await createTestCluster(cloneSet('web', 'web:1'));
    await stage.change('web:2', false);
    await stage.clock.advance(5_000);
    expect(await reasonShown(stage)).toBe('NoPlan');
    await stage.user.create(resources.RolloutPlan, planOf('web', 'web:1', 'web:2', {}));
    await stage.until('Succeeded');
    await stage.clock.advance(MINUTE);
    expect(await heldEvents(stage)).toEqual([]);
    await stage.stop();
  });

  test('a runtime that starts before the Event was sent sends it', async () => {
    const stage = await createTestCluster(cloneSet('web', 'web:1'));
    await stage.change('web:2', false);
    await stage.clock.advance(2_000);
    void stage.runtime.stop();
    await stage.clock.advance(2_000);
    const second = startRuntime(stage.world, stage.clock, stage.errors);
    await stage.clock.advance(2_000);
    expect(await heldEvents(stage)).toEqual([]);
    await stage.clock.advance(10_000);
    expect(await heldEvents(stage)).toEqual(['Warning NoPlan']);
    void second.stop();
    await stage.stop();
  });

  test('a restarted runtime does not repeat it, and it is sent again when the reason returns', async () => {
    const stage = await createTestCluster(cloneSet('web', 'web:1'));
    await stage.change('web:2', false);
    await stage.clock.advance(MINUTE);
    void stage.runtime.stop();
    await stage.clock.advance(10 * MINUTE);
    const second = startRuntime(stage.world, stage.clock, stage.errors);
    await stage.clock.advance(10 * MINUTE);
    expect(await heldEvents(stage)).toEqual(['Warning NoPlan']);
    await patchSpec(stage, 'web', { template: templateOf('web', 'web:1') });
    await stage.clock.advance(MINUTE);
    await patchSpec(stage, 'web', { template: templateOf('web', 'web:2') });
    await stage.clock.advance(MINUTE);
    expect(await heldEvents(stage)).toEqual(['Warning NoPlan ×2']);
    expect(stage.errors).toEqual([]);
    void second.stop();
    await stage.stop();
  });

  test('each approval gets an Event of its own, which is not a warning', async () => {
    const stage = await createTestCluster(cloneSet('web', 'web:1'));
    const steps = [
      { id: 'one', update: { to: 1 } },
      { id: 'look', approve: {} },
      { id: 'all', update: { to: '100%' } },
    ];
    await stage.change('web:2', { steps });
    await stage.until('AwaitingApproval');
    await stage.clock.advance(5 * MINUTE);
    expect(await heldEvents(stage)).toEqual(['Normal AwaitingApproval']);
    const { items } = await stage.user.list(resources.Event, { namespace: 'shop' });
    const event = items.find(({ reason }) => reason === 'Held');
    const { digest } = planOf('web', 'web:1', 'web:2', { steps })['spec'] as { digest: string };
    expect(event).toMatchObject({
      involvedObject: { kind: 'CloneSet', name: 'web' },
      source: { component: 'kruise' },
      message: `AwaitingApproval: waits for approval: kruise approve CloneSet/web -n shop --step look --digest ${digest}`,
    });
    await stage.stop();
  });
});

describe('heldEvent', () => {
  const target = (conditions: object[]): KubeObject => ({
    ...cloneSet('web', 'web:1'),
    status: { conditions },
  });
  const held = (reason: string) => ({ reason, message: 'why' });
  const told = { type: 'plan.kruise.io/Held', status: 'True', reason: 'Paused', message: 'other words' };
  type Row = [string, KubeObject, ReturnType<typeof held> | undefined, string | undefined];
  const rows: Row[] = [
    ['nothing is held', target([]), undefined, undefined],
    ['for the first time', target([]), held('NoPlan'), 'Warning NoPlan: why'],
    ['the same reason, in other words', target([told]), held('Paused'), undefined],
    ['another reason', target([told]), held('NoPlan'), 'Warning NoPlan: why'],
    [
      'a condition that is not True',
      target([{ ...told, status: 'False' }]),
      held('Paused'),
      'Normal Paused: why',
    ],
    ['held no more', target([told]), undefined, undefined],
    ...['AwaitingApproval', 'TargetPaused', 'Predecessor', 'Queued', 'Bound'].map((reason): Row => [
      reason,
      target([]),
      held(reason),
      `Normal ${reason}: why`,
    ]),
    ...['Halted', 'Aborted', 'Reverted', 'Verdict', 'Unverified', 'NoCapacity', 'PlanMissing'].map(
      (reason): Row => [reason, target([]), held(reason), `Warning ${reason}: why`],
    ),
  ];
  test.each(rows)('%s', (_what, object, reason, expected) => {
    const event = heldEvent(object, reason);
    expect(event && `${event.type} ${event.message}`).toBe(expected);
    if (event !== undefined) expect(event.reason).toBe('Held');
  });
});
