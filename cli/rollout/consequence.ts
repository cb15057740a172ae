import type { RolloutCommandSpec } from '../../schemas/generated/types/rolloutcommand.ts';
import type { RolloutPlan } from '../../schemas/generated/types/rolloutplan.ts';
import { ApiError } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { kindOf } from '../../semantics/registry/registry.ts';
import { groupKindOf } from '../../semantics/owner.ts';
import type { ClusterAccess } from '../cluster/cluster.ts';
import { planInCluster, type ResolvedTarget } from './target.ts';

/** The fields of a target that show what its own strategy would do. The object is not validated. */
interface Strategy {
  spec?: {
    replicas?: number;
    updateStrategy?: { type?: string; paused?: boolean; rollingUpdate?: { paused?: boolean } };
  };
  status?: { observedGeneration?: number; updatedReplicas?: number; expectedUpdatedReplicas?: number };
}

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
  return `${podsOf(await readTarget(reached, target, named.apiVersion ?? ''))}, and ${until}`;
}

/** Resuming an aborted or reverted rollout restarts it; a halted one continues at its step. */
function restartOf(plan: RolloutPlan | undefined): string | undefined {
  const { phase, digest } = plan?.status ?? {};
  if (plan === undefined || digest !== plan.spec.digest || (phase !== 'Aborted' && phase !== 'Reverted'))
    return undefined;
  const { steps } = plan.spec;
  return `its rollout is ${phase} and restarts at step 1 of ${steps.length}, ${steps[0]?.id ?? ''}`;
}

/** How many pods are updated to the manifest's template when the target's own strategy applies. */
function podsOf(object: KubeObject | undefined): string {
  const { spec, status } = (object ?? {}) as Strategy;
  if (object === undefined || status?.observedGeneration !== object.metadata.generation)
    return 'the number of pods to update is unknown';
  const { type, paused, rollingUpdate } = spec?.updateStrategy ?? {};
  const wanted = status?.expectedUpdatedReplicas ?? spec?.replicas ?? 1;
  const outdated = Math.max(0, wanted - (status?.updatedReplicas ?? 0));
  const pods =
    outdated === 1
      ? '1 pod is updated'
      : `${outdated === 0 ? 'no' : outdated} ${outdated === 0 ? 'pod is' : 'pods are'} updated`;
  if (outdated > 0 && type === 'OnDelete') return `${pods} when users delete them`;
  if (outdated > 0 && (paused === true || rollingUpdate?.paused === true))
    return `${pods} once paused is false in its manifest`;
  return `${pods} now`;
}

/** Reads the target; undefined if that is not allowed or its kind is unknown here. */
async function readTarget(
  { cluster }: ClusterAccess,
  { kind, name, namespace }: ResolvedTarget['target'],
  apiVersion: string,
): Promise<KubeObject | undefined> {
  const known = kindOf(groupKindOf({ apiVersion, kind }));
  if (known === undefined) return undefined;
  try {
    return await cluster.get(known.resource, { ...(namespace === '' ? {} : { namespace }), name });
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}
