/**
 * How a change updates a pod, least disruptive first. The mode of a plan is the most disruptive one that it allows.
 * `NewPodsOnly`: pods of other owners that have no way there in place stay as they are, and only new pods get the change.
 */
export const MODES = ['MetadataOnly', 'NewPodsOnly', 'InPlace', 'Recreate'] as const;
export type Mode = (typeof MODES)[number];

/** The more disruptive of several modes; MetadataOnly of none. */
export function mostDisruptive(modes: readonly Mode[]): Mode {
  return MODES[Math.max(0, ...modes.map((mode) => MODES.indexOf(mode)))] ?? 'MetadataOnly';
}

/** How several changes, one after the other, update a pod that has none of them. One that only new pods get ends the way. */
export function composedMode(modes: readonly Mode[]): Mode {
  return modes.includes('NewPodsOnly') ? 'NewPodsOnly' : mostDisruptive(modes);
}
