import type { RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import { contentHash } from '../values/canonical-json.ts';

/** Version of the plan document and of the rules that computed it; a runtime executes exactly the ones it lists. */
export const PLAN_FORMAT = '1';
export const PLAN_SEMANTICS = '1';

/**
 * The digest of a plan: the content hash of its spec without the digest itself. It finds accidents (a hand edit,
 * a merge gone wrong, a transformer that rewrote an image), not attackers: authority is RBAC.
 */
export function planDigest(spec: Omit<RolloutPlanSpec, 'digest'> | RolloutPlanSpec): string {
  const { digest: _digest, ...rest } = spec as RolloutPlanSpec;
  return contentHash(rest);
}
