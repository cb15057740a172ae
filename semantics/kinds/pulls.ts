import type { Kind } from './kind.ts';

/** Whether plans of this kind can pull images to nodes: the runtime may create pods of its targets, which run a template. */
export function pullsImages({ workload, uses }: Pick<Kind, 'workload' | 'uses'>): boolean {
  return workload.shape === 'Rollout' && uses.some(({ of }) => of === 'OwnedPods');
}
