import type { Mode } from '../template/mode.ts';

/** In the place of a stable revision: the one that the child itself calls stable, as its root does not know its template. */
export const OWN_STABLE = 'own';

/**
 * What a child may do now: its share of the envelope of its root, which stands in the place of a plan and a policy of its own. It is
 * an upper bound, as an envelope is.
 */
export interface Share {
  /** Hash of the revision that its pods are updated to. */
  goal: string;
  /** Hash of the revision that its pods beyond `allowed` are created on, or `OWN_STABLE`. */
  stable: string;
  /** How many of its pods may be on `goal`. */
  allowed: number;
  /** Its running pods may be updated to `goal` now. */
  moving: boolean;
  /** How many of its pods may be unavailable or extra while they are. Empty: none is updated, or nothing limits it. */
  window: ShareWindow;
  mode: Mode;
}

/** The share of a child, and how many pods it may have. */
export interface SharedPart {
  size: number;
  share: Share;
}

export interface ShareWindow {
  maxUnavailable?: number;
  maxSurge?: number;
}
