import { podRowsOf } from '../../../semantics/plan/child-rows.ts';
import type { RolloutView } from '../../../semantics/plan/rollout-view.ts';
import type { ChildRow, GivenPart } from '../../../semantics/plan/units.ts';
import { limits, NEW, OLD, view } from './rollout.ts';

/** What of a child differs from one whose pods are all available on OLD. */
export interface ChildParts extends Partial<ChildRow> {
  /** Pods on NEW, and how many of all pods are broken: those on NEW before the others. */
  updated?: number;
  broken?: number;
}

/** A child of so many pods that can stop within itself, and has observed what it is given: to have `updated` pods on NEW. */
export function child(name: string, size: number, parts: ChildParts = {}): ChildRow {
  const { updated = 0, broken = 0, ...own } = parts;
  const onNew = Math.min(broken, updated);
  return {
    name,
    subset: name,
    size,
    steps: 'partly',
    pods: [
      { hash: OLD, count: size - updated, available: size - updated - (broken - onNew) },
      { hash: NEW, count: updated, available: updated - onNew },
    ],
    given: updated === 0 ? given(OLD, size) : given(NEW, updated),
    isObserved: true,
    failing: undefined,
    left: undefined,
    ...own,
  };
}

/** What a child is given, and may have been before it observes that. */
export function given(goal: string, allowed: number, atMost = allowed): GivenPart {
  return { goal, allowed, atMost };
}

/** A target with these children. */
export function viewOf(children: readonly ChildRow[], parts: Partial<RolloutView> = {}): RolloutView {
  const replicas = children.reduce((sum, { size }) => sum + size, 0);
  return view({
    replicas,
    limits: limits(replicas),
    pods: podRowsOf(children),
    units: { of: 'children', children },
    ...parts,
  });
}
