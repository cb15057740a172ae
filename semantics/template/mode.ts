/** How a change updates a pod, least disruptive first. The mode of a plan is the most disruptive one that it allows. */
export const MODES = ['MetadataOnly', 'InPlace', 'Recreate'] as const;
export type Mode = (typeof MODES)[number];

/** The more disruptive of several modes; MetadataOnly of none. */
export function mostDisruptive(modes: readonly Mode[]): Mode {
  return MODES[Math.max(0, ...modes.map((mode) => MODES.indexOf(mode)))] ?? 'MetadataOnly';
}
