import type { PlannedKind } from './kind.ts';

/** Whether plans of this kind can pull images to nodes: the runtime may create pods of its targets, which run a template. */
export function pullsImages({ shape, uses }: Pick<PlannedKind, 'shape' | 'uses'>): boolean {
  return shape === 'Rollout' && uses.some(({ of }) => of === 'OwnedPods');
}
