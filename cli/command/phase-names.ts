/**
 * The phases by which targets are chosen: those of plans, and what the table of `kruise status` shows in their place. The
 * rules have the same list (`PHASES`), which loads too much for a table of options; a test compares the two.
 */
export const PHASE_NAMES = [
  'Pending',
  'Running',
  'AwaitingApproval',
  'Soaking',
  'Checking',
  'Reverting',
  'Succeeded',
  'Halted',
  'Reverted',
  'Aborted',
  'Superseded',
  'Stale',
  'Paused',
  'Held',
  'NoPlan',
] as const;
