import type { ChildRow } from './units.ts';

/** The limits that children share. */
export const LIMIT_FIELDS = ['maxUnavailable', 'maxSurge'] as const;

/** How much of a limit a child uses now. */
export const usedBy: Record<(typeof LIMIT_FIELDS)[number], (child: ChildRow) => number> = {
  maxUnavailable: ({ size, pods }) =>
    Math.max(size - pods.reduce((sum, { available }) => sum + available, 0), 0),
  maxSurge: ({ size, pods }) => Math.max(pods.reduce((sum, { count }) => sum + count, 0) - size, 0),
};
