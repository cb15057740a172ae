import type { Resource } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';

/** The resource of plans about targets in this namespace; empty: about cluster-scoped targets. */
export function planResource({ namespace }: { namespace: string }): Resource {
  return namespace === '' ? resources.ClusterRolloutPlan : resources.RolloutPlan;
}

/** The resource of commands about targets in this namespace; empty: about cluster-scoped targets. */
export function commandResource({ namespace }: { namespace: string }): Resource {
  return namespace === '' ? resources.ClusterRolloutCommand : resources.RolloutCommand;
}
