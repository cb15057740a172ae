import { afterEach, describe, expect, test } from 'vitest';
import { createVirtualClock } from 'kruise-sandbox/clock';
import { ApiError } from '../../schemas/wire/cluster.ts';
import type { Condition, KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { createRefusals } from '../../runtime/plan/refusals.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import {
  cloneSet,
  createTestCluster,
  patchSpec,
  startRuntime,
  type TestCluster,
  type StageOptions,
} from './stage.ts';
import { quotas } from '../fixtures/quotas.ts';

const MINUTE = 60_000;

let stage: TestCluster;
let second: Runtime | undefined;
afterEach(async () => {
  void second?.stop();
  await stage.stop();
  second = undefined;
});

/** A CloneSet that wants more pods than a quota lets it have. */
async function refused(hard: Record<string, string>, options: StageOptions = {}): Promise<void> {
  stage = await createTestCluster(cloneSet('web', 'web:1'), options);
  const metadata = { namespace: 'shop', name: 'team' };
  await stage.user.create(quotas, { apiVersion: 'v1', kind: 'ResourceQuota', metadata, spec: { hard } });
  await stage.clock.advance(1_000);
  await patchSpec(stage, 'web', { replicas: 5 });
  await stage.clock.advance(10 * MINUTE);
}

/** Another process takes the place of the one that was there. */
async function startAnew(): Promise<void> {
  await stage.runtime.stop();
  await stage.clock.advance(5_000);
  second = startRuntime(stage.world, stage.clock, stage.errors);
}

interface Reported {
  held: string | undefined;
  conditions: string[];
}

async function reported(): Promise<Reported> {
  const { conditions = [] } = ((await stage.target())['status'] ?? {}) as { conditions?: Condition[] };
  return {
    held: conditions.find(({ type }) => type === 'plan.kruise.io/Held')?.message,
    conditions: conditions.map(
      ({ type, reason, lastTransitionTime }) => `${type} ${reason} ${lastTransitionTime}`,
    ),
  };
}

async function heldEvents(): Promise<number> {
  const { items } = await stage.user.list(resources.Event, { namespace: 'shop' });
  return items
    .filter((event) => event['reason'] === 'Held')
    .reduce((sum, event) => sum + Number(event['count'] ?? 1), 0);
}

test.each([
  ['a quota that is used up', { pods: '3' }, /^pods "web-\w{5}" is forbidden: exceeded quota: team/],
  ['what is refused for good', { 'limits.cpu': '4' }, /^a pod cannot be created: .*must specify limits.cpu/],
])('a restarted runtime restores the refusal: %s', async (_what, hard, message) => {
  await refused(hard);
  const before = await reported();
  expect(before.held).toMatch(message);
  expect(await heldEvents()).toBe(1);
  const statuses: Reported['conditions'][] = [];
  stage.world.onCommit(({ resource, object }) => {
    if (resource !== 'clonesets') return;
    const { conditions = [] } = (object['status'] ?? {}) as { conditions?: Condition[] };
    statuses.push(
      conditions.map(({ type, reason, lastTransitionTime }) => `${type} ${reason} ${lastTransitionTime}`),
    );
  });
  await startAnew();
  await stage.clock.advance(5 * MINUTE);
  // Since when it is so, and that it is, has not changed for a moment.
  expect(statuses.filter((each) => each.join() !== before.conditions.join())).toEqual([]);
  expect((await reported()).conditions).toEqual(before.conditions);
  expect(await heldEvents()).toBe(1);
});

test('a refusal that has ended is not reported for long', async () => {
  await refused({ pods: '3' });
  await stage.runtime.stop();
  await stage.user.delete(quotas, { namespace: 'shop', name: 'team' });
  await startAnew();
  await stage.clock.advance(MINUTE);
  expect(await reported()).toEqual({ held: undefined, conditions: [] });
  expect(await stage.pods()).toHaveLength(5);
});

describe('the restored refusal', () => {
  const target = (held: string, type = 'FailedUpdate', reason = 'FailedUpdate'): KubeObject => ({
    ...cloneSet('web', 'web:1'),
    status: {
      conditions: [
        { type, status: 'True', message: 'no.' },
        { type: 'plan.kruise.io/Held', status: 'True', reason, message: held },
      ],
    },
  });
  const way = 'cannot be updated: no. Grant the right or change what refuses it. It is retried every 30s';
  const remembered = (seen: KubeObject) => {
    const refusals = createRefusals(createVirtualClock(0));
    refusals.restore(seen);
    return refusals;
  };

  test.each([
    ['of a pod', target(`a pod ${way}`), { reason: 'FailedUpdate', message: 'no.' }],
    ['of a claim', target(`a claim ${way}`), { reason: 'FailedUpdate', message: 'no.', part: 'claim' }],
    ['the same word for something else', target('pod a stays out of traffic'), undefined],
    ['another reason', target('no', 'FailedScale', 'NoPlan'), undefined],
    ['the server has not said anything', target('pod a fits on no node', 'Other', 'NoCapacity'), undefined],
  ])('%s', (_what, seen, expected) => {
    const found = remembered(seen).all()[0];
    if (expected === undefined) expect(found).toBeUndefined();
    else expect(found).toMatchObject(expected);
  });

  test('ends with the first response of the server', () => {
    const refusals = remembered(target(`a pod ${way}`));
    const action = { do: 'patch', kind: 'Pod', verb: 'drain', name: 'b', body: {}, reason: '' } as const;
    refusals.note(action, new ApiError({ code: 403, reason: 'Forbidden', message: 'not b' }));
    expect(refusals.all()[0]?.message).toBe('not b');
    refusals.accepted(action);
    expect(refusals.all()[0]).toBeUndefined();
  });
});
