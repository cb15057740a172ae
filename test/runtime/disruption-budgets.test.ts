import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { kinds } from '../../semantics/registry/registry.ts';
import { createDisruptionBudgets } from '../../runtime/observe/disruption-budgets.ts';
import type { OnDemand } from '../../runtime/observe/on-demand.ts';
import { targetKey } from '../../runtime/observe/target-key.ts';
import { groupKindOf } from '../../semantics/owner.ts';
import type { Sources } from '../../runtime/observe/sources.ts';

type OnChange = (object: KubeObject, gone: boolean, before: KubeObject | undefined) => void;

/** The budgets, and what tells them of a change. */
function observed(onOwned: (uid: string) => void = () => undefined) {
  const enqueued: string[] = [];
  let onChange: OnChange | undefined;
  const onDemand = (_resource: unknown, options: { onChange: OnChange }): Partial<OnDemand> => {
    ({ onChange } = options);
    return { state: 'known' };
  };
  const budgets = createDisruptionBudgets({
    sources: { onDemand: onDemand as unknown as Sources['onDemand'] },
    enqueue: (key, _delayMs, isUrgent = false) => enqueued.push(`${key.name}${isUrgent ? ' at once' : ''}`),
    enqueueAll: () => undefined,
    onOwned,
  });
  const tell: OnChange = (...change) => onChange?.(...change);
  return { budgets, tell, enqueued };
}

/** A target of a kind, and a PodDisruptionBudget that it controls. */
function ownedBy(apiVersion: string, kind: string, name = 'web-evictions'): [KubeObject, KubeObject] {
  const owner = { apiVersion, kind, name: 'web', uid: '1' };
  const target = { apiVersion, kind, metadata: { namespace: 'shop', name: 'web', uid: '1' } };
  const metadata = { namespace: 'shop', name, ownerReferences: [{ ...owner, controller: true }] };
  return [target, { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata, spec: {} }];
}

const known = kinds.map(({ id, resource }): [string, string] => [
  `${resource.group}/${resource.version}`,
  id.kind,
]);

test.each([...known, ['apps/v1', 'Deployment']])(
  'one that a %s %s controls limits updates, unless it is that of a PodUnavailableBudget',
  (apiVersion, kind) => {
    const { budgets, tell } = observed();
    const [target, budget] = ownedBy(apiVersion, kind);
    tell(budget, false, undefined);
    const isOfBudget = kind === 'PodUnavailableBudget';
    expect([budgets.shown(), budgets.of(target)]).toEqual(isOfBudget ? [[], budget] : [[budget], 'none']);
  },
);

test.each([
  ['the first', 0],
  ['the second', 1],
])('of two that a target controls, the other one stays when %s goes', (_title, index) => {
  const { budgets, tell } = observed();
  const two = ['a', 'b'].map((name) => ownedBy('policy.kruise.io/v1beta1', 'PodUnavailableBudget', name));
  for (const [, budget] of two) tell(budget, false, undefined);
  const [target, gone] = two[index] ?? [];
  const other = two[1 - index]?.[1];
  if (target === undefined || gone === undefined) throw new Error('there are two');
  tell(gone, true, gone);
  expect(budgets.of(target)).toBe(other);
  if (other !== undefined) tell(other, true, other);
  expect(budgets.of(target)).toBe('none');
});

describe('what a PodUnavailableBudget learns of its own', () => {
  const raised = { 'plan.kruise.io/raised-for': '{}' };
  const [target, made] = ownedBy('policy.kruise.io/v1beta1', 'PodUnavailableBudget');
  const guard = (annotations: Record<string, string> | undefined, more: object): KubeObject => ({
    ...made,
    metadata: { ...made.metadata, uid: 'guard', ...(annotations !== undefined && { annotations }) },
    ...more,
  });
  const healthy = (currentHealthy: number): object => ({ status: { observedGeneration: 1, currentHealthy } });

  test.each<[string, KubeObject, KubeObject, { enqueued: string[]; owned: string }]>([
    [
      'counts, while it is raised for no pod: nothing',
      guard(undefined, healthy(4)),
      guard(undefined, healthy(3)),
      { enqueued: [], owned: 'guard' },
    ],
    [
      'counts, while it is raised: it is reconciled at its pace',
      guard(raised, healthy(4)),
      guard(raised, healthy(3)),
      { enqueued: ['web'], owned: 'guard' },
    ],
    [
      'another limit: it is reconciled at once, and what waits for it',
      guard(undefined, healthy(4)),
      guard(undefined, { ...healthy(4), spec: { minAvailable: 2 } }),
      { enqueued: ['web at once'], owned: '1' },
    ],
    [
      'another limit for pods that it is raised for, which the runtime writes: it is reconciled at its pace, and what waits for it at once',
      guard(undefined, healthy(4)),
      guard(raised, { ...healthy(4), spec: { minAvailable: 2 } }),
      { enqueued: ['web'], owned: '1' },
    ],
    [
      'another limit, and pods that it is no longer raised for: likewise',
      guard(raised, { ...healthy(4), spec: { minAvailable: 2 } }),
      guard(undefined, healthy(4)),
      { enqueued: ['web'], owned: '1' },
    ],
    [
      'other pods that it selects: it is reconciled at once',
      guard(raised, healthy(4)),
      guard(undefined, { ...healthy(4), spec: { selector: {} } }),
      { enqueued: ['web at once'], owned: '1' },
    ],
  ])('%s', (_title, before, after, wanted) => {
    const owned: string[] = [];
    const { budgets, tell, enqueued } = observed((uid) => owned.push(uid));
    budgets.need(targetKey(groupKindOf(target), 'shop', 'web'), [{ of: 'Guards' }]);
    tell(before, false, undefined);
    [owned.length, enqueued.length] = [0, 0];
    tell(after, false, before);
    expect({ enqueued, owned: owned.join() }).toEqual(wanted);
  });
});

test('one of the same name and uid in another namespace takes nothing from a target', () => {
  const { budgets, tell } = observed();
  const [target, own] = ownedBy('policy.kruise.io/v1beta1', 'PodUnavailableBudget');
  tell(own, false, undefined);
  const forged = { ...own, metadata: { ...own.metadata, namespace: 'other' } };
  tell(forged, false, undefined);
  expect(budgets.of(target)).toBe(own);
  tell(forged, true, forged);
  expect(budgets.of(target)).toBe(own);
});
