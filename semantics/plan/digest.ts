import type { RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import { contentHash } from '../values/canonical-json.ts';

/** Version of the plan format, and of the rules that it was computed with. A runtime executes exactly these versions. */
export const PLAN_FORMAT = '1';
export const PLAN_SEMANTICS = '1';

/**
 * The digest of a plan: the content hash of its spec without the digest itself. It detects accidents (a manual edit, a bad
 * merge, a transformer that rewrote an image), not attacks: RBAC protects against these.
 */
export function planDigest(spec: Omit<RolloutPlanSpec, 'digest'> | RolloutPlanSpec): string {
  const { digest: _digest, ...rest } = spec as RolloutPlanSpec;
  return contentHash(rest);
}
