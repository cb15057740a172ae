import { UNCOUNTED_REASONS } from '../../semantics/plan/held-condition.ts';

/**
 * The reasons of the condition Held that end badly: a rollout that failed, and a spec that cannot be carried out. With any other
 * reason it waits.
 */
export const ENDED_BADLY = ['Halted', 'Aborted', 'Reverted', ...UNCOUNTED_REASONS];
