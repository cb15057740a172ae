import { describe, expect, test, vi } from 'vitest';
import { createVirtualClock } from 'kruise-sandbox';
import type { ClusterAccess } from '../../cli/cluster/cluster.ts';
import { readLeaders } from '../../cli/status/leaders.ts';
import { statusesOf, type TargetStatus } from '../../cli/status/read.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { kinds } from '../../semantics/registry/registry.ts';
import { everyKind } from './matrix.ts';

vi.mock('../../semantics/registry/registered.ts', () => import('../fixture-kind/registered.ts'));

test('every registered kind is in the matrix', () => {
  expect(everyKind.map(([name]) => name).sort()).toEqual(kinds.map(({ id }) => id.kind).sort());
});

function statusOf(target: KubeObject, plan?: KubeObject): TargetStatus {
  const plans = plan === undefined ? [] : [plan];
  const [status] = statusesOf({ targets: [target], plans, pods: [], events: [] });
  if (status === undefined) throw new Error('there is none');
  return status;
}

/** Why no runtime works on a target, in a cluster without Leases; empty: one does. */
async function idleText(status: TargetStatus): Promise<string> {
  const reached = {
    cluster: { list: () => Promise.resolve({ items: [] }) },
    clock: createVirtualClock(0),
    now: () => Date.UTC(2026, 0, 2),
  } as unknown as ClusterAccess;
  const found = await readLeaders(reached, [status]);
  return found.is === 'idle' ? found.problem : '';
}

/** The plan of a target that has ended in this way. */
function planOf({ apiVersion, kind, metadata }: KubeObject, phase: string, type: string): KubeObject {
  const { name, namespace } = metadata;
  const digest = `h1:${'a'.repeat(32)}`;
  const conditions = [{ type, status: 'True', reason: phase }];
  return {
    apiVersion: 'plan.kruise.io/v1alpha1',
    kind: namespace === undefined ? 'ClusterRolloutPlan' : 'RolloutPlan',
    metadata: { name: `plan-${name}`, ...(namespace !== undefined && { namespace }), generation: 1 },
    spec: { target: { apiVersion, kind, name }, digest, steps: [{ id: 'all', update: { to: '100%' } }] },
    status: { observedGeneration: 1, digest, phase, conditions },
  };
}

describe.each(everyKind)('%s', (_name, { target, shown, failures, unobserved }) => {
  test.each(Object.entries(shown))('status without a plan: %s', (_what, { spec, status, ...expected }) => {
    const { verdict, updated, ready, counts, waitingOn, message } = statusOf(
      target({ spec: spec ?? {}, status: status ?? {} }),
    );
    expect({ verdict, columns: [updated, ready], counts, waitingOn, message }).toEqual(expected);
  });

  test.each([
    ['Succeeded', 'Ready', 'done'],
    ['Reverted', 'Stalled', 'failed'],
  ])('status of a plan that has %s', (phase, type, verdict) => {
    const object = target();
    expect(statusOf(object, planOf(object, phase, type)).verdict).toBe(verdict);
  });

  test('a change that has no plan is held', () => {
    const condition = { type: 'plan.kruise.io/Held', status: 'True', reason: 'NoPlan', message: 'no plan' };
    const found = statusOf(target({ status: { conditions: [condition] } }));
    expect([found.verdict, found.waitingOn, found.message]).toEqual(['held', 'NoPlan', 'no plan']);
  });

  test.each(unobserved.map((status) => [JSON.stringify(status), status] as const))(
    'the status %s is not about the present spec',
    async (_what, status: JsonObject) => {
      const object = { ...target(), status };
      expect(statusOf(object, planOf(object, 'Succeeded', 'Ready')).verdict).toBe('underway');
      expect(await idleText(statusOf(object))).toContain('no runtime has processed the current');
    },
  );

  test.each(Object.entries(shown).filter(([what]) => what !== 'not observed'))(
    'a runtime has processed it: %s',
    async (_what, { spec = {}, status = {} }) => {
      expect(await idleText(statusOf(target({ spec, status })))).toBe('');
    },
  );

  test.each(failures.map((each) => [each.waitingOn, each] as const))(
    'status shows what fails: %s',
    (waitingOn, { condition, parts }) => {
      const { status = {} } = parts;
      const found = statusOf(target({ ...parts, status: { ...status, conditions: [condition] } }));
      expect([found.waitingOn, found.message]).toEqual([waitingOn, condition['message']]);
      const isOver = { ...condition, status: 'False' };
      const after = statusOf(target({ ...parts, status: { ...status, conditions: [isOver] } }));
      expect(after.message).not.toContain(condition['message']);
    },
  );
});
