import { noHooks } from '../lifecycle/hooks.ts';
import type { GitManifest } from './git-side.ts';

/** What the compiler reads of a kind none of whose units is ever updated. */
export const neutralManifest: Omit<GitManifest, 'template' | 'paused' | 'settings' | 'units'> = {
  selector: undefined,
  volumeClaimTemplates: [],
  reuseClaims: false,
  claimsOutlivePods: false,
  growsClaims: false,
  claimsDeleted: { onScaleIn: false, withTarget: false },
  onDelete: false,
  policy: 'ReCreate',
  partition: 0,
  maxUnavailable: 0,
  maxSurge: 0,
  priorities: undefined,
  scatter: [],
  gracePeriodSeconds: 0,
  minReadySeconds: 0,
  progressDeadlineSeconds: undefined,
  podsToDelete: [],
  lifecycle: noHooks,
};
