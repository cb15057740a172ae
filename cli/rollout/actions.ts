import type { RolloutCommandSpec } from '../../schemas/generated/types/rolloutcommand.ts';

/** The verbs of the command line and their actions. */
export const ACTIONS = {
  approve: 'Approve',
  pause: 'Pause',
  resume: 'Resume',
  abort: 'Abort',
  revert: 'Revert',
  'break-glass': 'BreakGlass',
} as const satisfies Record<string, RolloutCommandSpec['action']>;

export type Verb = keyof typeof ACTIONS;
