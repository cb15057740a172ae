/** What a change does to a pod, least disruptive first. A plan's mode is the most that may be done. */
export const MODES = ['MetadataOnly', 'InPlace', 'Recreate'] as const;
export type Mode = (typeof MODES)[number];

/** The more disruptive of several modes; MetadataOnly of none. */
export function mostDisruptive(modes: readonly Mode[]): Mode {
  return MODES[Math.max(0, ...modes.map((mode) => MODES.indexOf(mode)))] ?? 'MetadataOnly';
}
