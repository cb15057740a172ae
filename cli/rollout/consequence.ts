import type { RolloutCommandSpec } from '../../schemas/generated/types/rolloutcommand.ts';
import type { RolloutPlan } from '../../schemas/generated/types/rolloutplan.ts';
import { ApiError } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import { plannedKindOf } from '../../semantics/registry/registry.ts';
import { groupKindOf } from '../../semantics/owner.ts';
import type { ClusterAccess } from '../cluster/cluster.ts';
import { planInCluster, type ResolvedTarget } from './target.ts';

/**
 * The immediate effect of a command that bypasses a plan or restarts a rollout, to show before it is sent. Undefined for
 * every other command.
 */
export async function consequenceOf(
  reached: ClusterAccess,
  target: ResolvedTarget['target'],
  { action, digest, expires, target: named }: RolloutCommandSpec,
): Promise<string | undefined> {
  if (action === 'Resume') return restartOf(await planInCluster(reached, target, digest));
  if (action !== 'BreakGlass') return undefined;
  const until = `its plans are suspended until ${expires ?? ''}`;
  const kind = plannedKindOf(groupKindOf({ apiVersion: named.apiVersion ?? '', kind: named.kind }));
  const object = kind && (await readTarget(reached, target, kind));
  if (kind === undefined || object === undefined) return `what it does at once is unknown, and ${until}`;
  return `${kind.facts.status.breakGlass(object)}, and ${until}`;
}

/** Resuming an aborted or reverted rollout restarts it; a halted one continues at its step. */
function restartOf(plan: RolloutPlan | undefined): string | undefined {
  const { phase, digest } = plan?.status ?? {};
  if (plan === undefined || digest !== plan.spec.digest || (phase !== 'Aborted' && phase !== 'Reverted'))
    return undefined;
  const { steps } = plan.spec;
  return `its rollout is ${phase} and restarts at step 1 of ${steps.length}, ${steps[0]?.id ?? ''}`;
}

/** Reads the target; undefined if that is not allowed. */
async function readTarget(
  { cluster }: ClusterAccess,
  { name, namespace }: ResolvedTarget['target'],
  { resource }: Kind,
): Promise<KubeObject | undefined> {
  try {
    return await cluster.get(resource, { ...(namespace === '' ? {} : { namespace }), name });
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}
