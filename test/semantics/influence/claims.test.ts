import { expect, it } from 'vitest';
import { activeInfluence } from '../../../semantics/influence/active.ts';
import type { Influence } from '../../../semantics/influence/influence.ts';
import { underInfluence } from '../../../semantics/influence/under-influence.ts';
import { type CapSpec, cap, caps, NOW, pod, PODS, remove, resource, target } from './caps.ts';

const claiming: Influence = { ...caps, claim: (_object, _guard, { metadata }) => ({ for: metadata.name }) };
const guard = (name: string) => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name, namespace: 'shop' },
});

/** What is claimed for pods that are to be deleted in this order: `x for a1`. */
function claimed(specs: Record<string, Partial<CapSpec>>, pods: readonly string[]): string[] {
  const influences = Object.entries(specs).map(([name, spec]) =>
    activeInfluence({ rules: claiming, resource }, cap(name, spec), NOW, guard(name)),
  );
  const { decision } = underInfluence(
    { influences: () => influences, target, pods: PODS.map(pod), nodes: undefined, now: NOW },
    undefined,
    () => ({ actions: pods.map(remove), status: {}, explanations: [] }),
  );
  return decision.actions.flatMap((action) => {
    const of = action.do === 'reserve' ? action.body['for'] : undefined;
    return action.do === 'reserve' && typeof of === 'string' ? [`${action.name} for ${of}`] : [];
  });
}

it.each<[string, Record<string, Partial<CapSpec>>, string[], string[]]>([
  ['the first pod that waits', { x: { of: 'ab' } }, ['b1', 'a1'], ['x for b1']],
  ['none where another object has none left either', { x: { of: 'a' }, y: { of: 'a' } }, ['a1'], []],
  ['the first one that waits for it alone', { x: { of: 'ab' }, y: { of: 'a' } }, ['a1', 'b1'], ['x for b1']],
  ['not one whose limit has slots left', { x: { of: 'a' }, y: { of: 'a', left: 1 } }, ['a1'], ['x for a1']],
  ['none where another pod takes a slot', { x: { of: 'ab', left: 1 } }, ['a1', 'b1'], []],
  ['each of its own', { x: { of: 'a' }, y: { of: 'b' } }, ['a1', 'b1'], ['x for a1', 'y for b1']],
])('the next slot of an object is kept for %s', (_title, specs, pods, kept) => {
  expect(claimed(specs, pods)).toEqual(kept);
});
