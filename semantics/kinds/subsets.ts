import type { JsonObject } from '../../schemas/wire/json.ts';

/** A subset, as the manifest alone allocates it. */
export interface GitSubset {
  name: string;
  /** How many pods it has. */
  n: number;
  /** A rollout can stop with some of its pods updated, or takes it as a whole. */
  steps: 'partly' | 'whole';
}

/** A subset that changes the template of its pods. */
export interface PatchedSubset {
  name: string;
  /** Where its patch is in the manifest. */
  path: readonly string[];
  /** The template with it. */
  template: JsonObject;
}
