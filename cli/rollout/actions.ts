import type { RolloutCommandSpec } from '../../schemas/generated/types/rolloutcommand.ts';

/** What people say to a rollout on the command line, and the action it stands for. */
export const ACTIONS = {
  approve: 'Approve',
  pause: 'Pause',
  resume: 'Resume',
  abort: 'Abort',
  revert: 'Revert',
  'break-glass': 'BreakGlass',
} as const satisfies Record<string, RolloutCommandSpec['action']>;

export type Verb = keyof typeof ACTIONS;
