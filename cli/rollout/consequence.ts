import type { RolloutCommandSpec } from '../../schemas/generated/types/rolloutcommand.ts';
import type { RolloutPlan } from '../../schemas/generated/types/rolloutplan.ts';
import { ApiError } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { kindOf } from '../../semantics/kinds/registry.ts';
import { groupKindOf } from '../../semantics/owner.ts';
import type { ClusterAccess } from '../cluster/cluster.ts';
import { planInCluster, type ResolvedTarget } from './target.ts';

/** What a status and a spec show of how a target goes on by its own strategy; every field may be anything. */
interface Strategy {
  spec?: {
    replicas?: number;
    updateStrategy?: { type?: string; paused?: boolean; rollingUpdate?: { paused?: boolean } };
  };
  status?: { observedGeneration?: number; updatedReplicas?: number; expectedUpdatedReplicas?: number };
}

/**
 * What follows at once from a command that goes past a plan, or begins one anew: a person is to know it before it is sent.
 * Undefined for every other command.
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

/** A rollout that a person ended, or that went back, begins again; one that halted goes on where it is. */
function restartOf(plan: RolloutPlan | undefined): string | undefined {
  const { phase, digest } = plan?.status ?? {};
  if (plan === undefined || digest !== plan.spec.digest || (phase !== 'Aborted' && phase !== 'Reverted'))
    return undefined;
  const { steps } = plan.spec;
  return `its rollout is ${phase} and restarts at step 1 of ${steps.length}, ${steps[0]?.id ?? ''}`;
}

/** How many pods get the manifest's template as soon as the target's own strategy governs. */
function podsOf(object: KubeObject | undefined): string {
  const { spec, status } = (object ?? {}) as Strategy;
  if (object === undefined || status?.observedGeneration !== object.metadata.generation)
    return 'the number of pods to update is unknown';
  const { type, paused, rollingUpdate } = spec?.updateStrategy ?? {};
  const wanted = status?.expectedUpdatedReplicas ?? spec?.replicas ?? 1;
  const left = Math.max(0, wanted - (status?.updatedReplicas ?? 0));
  const pods =
    left === 1
      ? '1 pod is updated'
      : `${left === 0 ? 'no' : left} ${left === 0 ? 'pod is' : 'pods are'} updated`;
  if (left > 0 && type === 'OnDelete') return `${pods} when users delete them`;
  if (left > 0 && (paused === true || rollingUpdate?.paused === true))
    return `${pods} once paused is false in its manifest`;
  return `${pods} now`;
}

/** The target as it is; undefined where it may not be read, or is of a kind that is not known here. */
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
