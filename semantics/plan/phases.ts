/** The phases of a rollout (plan states). Superseded exists only in records, Stale only before acceptance. */
export const PHASES = [
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
] as const;
export type Phase = (typeof PHASES)[number];
