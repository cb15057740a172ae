import { expect, test } from 'vitest';
import type { Action } from '../../../semantics/decision.ts';
import type { RolloutSnapshot } from '../../../semantics/kinds/kind.ts';
import { emptyContext } from '../../../semantics/plan/rollout-context.ts';
import { type PlanSide, reconcile } from '../../../semantics/reconcile/reconcile.ts';
import { NOW, view } from '../plan/rollout.ts';

const mark: Action = {
  do: 'patch',
  kind: 'ControllerRevision',
  verb: 'mark',
  name: 'r',
  body: {},
  reason: 'a test',
};
const make: Action = {
  do: 'create',
  kind: 'ControllerRevision',
  verb: 'create revision',
  object: { apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata: { name: 'web-abc' } },
  reason: 'a test',
};
const remove: Action = {
  do: 'delete',
  kind: 'Pod',
  verb: 'delete',
  name: 'p',
  uid: 'u',
  resourceVersion: '1',
  reason: 'a test',
};
const side: PlanSide = {
  plans: [],
  commands: [],
  memory: [],
  progressClock: undefined,
  inSyncSince: 0,
  policy: 'Auto',
  context: emptyContext,
};

function snapshot(parts: Partial<RolloutSnapshot>): RolloutSnapshot {
  return {
    rollout: view(),
    isForeign: false,
    revise: () => [],
    complete: () => [mark],
    decide: () => ({ actions: [remove], status: { replicas: 1 }, explanations: [], requeueAt: NOW + 5 }),
    ...parts,
  };
}

test('nothing is decided about a target that is being deleted', () => {
  const looked = snapshot({ rollout: { ...view(), deleting: true }, revise: () => [make] });
  expect(reconcile(looked, side, NOW)).toEqual({ do: 'nothing' });
});

test('pods of another controller are not changed, and nothing is recorded, unless they are adopted', () => {
  const looked = snapshot({ isForeign: true, revise: () => [make] });
  expect(reconcile(looked, { ...side, adopt: false }, NOW)).toMatchObject({
    do: 'hold',
    held: { reason: 'NotAdopted' },
  });
  expect(reconcile(looked, side, NOW).do).toBe('record');
});

test('a revision is recorded before the rollout is decided', () => {
  expect(reconcile(snapshot({ revise: () => [make, mark] }), side, NOW)).toEqual({
    do: 'record',
    writes: [{ do: 'actions', actions: [make, mark] }],
    creates: ['web-abc'],
    rolloutResult: undefined,
  });
});

test('records of the rollout are written before actions', () => {
  const { liveHash, pods } = view();
  const rollout = {
    ...view(),
    stable: 'before',
    pods: pods.map((pod) => ({ ...pod, hash: liveHash, available: true })),
  };
  expect(reconcile(snapshot({ rollout }), side, NOW)).toMatchObject({
    do: 'record',
    writes: [{ do: 'actions', actions: [mark] }],
    creates: [],
  });
  // A record that is up to date needs no write.
  expect(reconcile(snapshot({ rollout, complete: () => [] }), side, NOW).do).toBe('act');
});

test('actions, status and time come from the kind and from the plan', () => {
  expect(reconcile(snapshot({}), side, NOW)).toMatchObject({
    do: 'act',
    actions: [remove],
    afterwards: [],
    status: { replicas: 1 },
    events: [],
    requeueAt: NOW + 5,
  });
});
