import { expect, test } from 'vitest';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { kinds } from '../../semantics/registry/registry.ts';
import { createDisruptionBudgets } from '../../runtime/observe/disruption-budgets.ts';
import type { OnDemand } from '../../runtime/observe/on-demand.ts';
import type { Sources } from '../../runtime/observe/sources.ts';

type OnChange = (object: KubeObject, gone: boolean, before: KubeObject | undefined) => void;

/** The budgets, and what tells them of a change. */
function observed() {
  let onChange: OnChange | undefined;
  const onDemand = (_resource: unknown, options: { onChange: OnChange }): Partial<OnDemand> => {
    ({ onChange } = options);
    return { state: 'known' };
  };
  const budgets = createDisruptionBudgets({
    sources: { onDemand: onDemand as unknown as Sources['onDemand'] },
    enqueue: () => undefined,
    enqueueAll: () => undefined,
    onOwned: () => undefined,
  });
  const tell: OnChange = (...change) => onChange?.(...change);
  return { budgets, tell };
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
