import type { GitManifest } from './git-side.ts';

/** What the compiler reads of a kind none of whose units is ever updated. */
export const neutralManifest: Omit<GitManifest, 'template' | 'paused' | 'settings' | 'units'> = {
  onDelete: false,
  policy: 'ReCreate',
  partition: 0,
  maxUnavailable: 0,
  maxSurge: 0,
  priorities: undefined,
  scatter: [],
};
