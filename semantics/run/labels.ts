import type { GroupKind } from '../owner.ts';

/** The labels of a stored run: the kind of its target with its group, and the name of the target. */
export const RUN_KIND_LABEL = 'plan.kruise.io/run-kind';
export const RUN_TARGET_LABEL = 'plan.kruise.io/run-target';

/** The value of the label for a kind. */
export function runKindLabel({ group, kind }: GroupKind): string {
  return `${kind}.${group}`;
}
