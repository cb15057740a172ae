import type { PlannedKind } from './kind.ts';

/** Whether plans of this kind update the pods of nodes: its steps may be about nodes with labels, and go by failure domains. */
export function updatesNodes({ shape, uses }: Pick<PlannedKind, 'shape' | 'uses'>): boolean {
  return shape === 'Rollout' && uses.some((use) => use.of === 'Nodes' && use.why === 'Placement');
}
