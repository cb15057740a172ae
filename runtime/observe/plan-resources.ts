import type { Resource } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';

/** The plans about targets in this namespace; empty: about those in none. */
export function planResource({ namespace }: { namespace: string }): Resource {
  return namespace === '' ? resources.ClusterRolloutPlan : resources.RolloutPlan;
}

/** The commands about targets in this namespace; empty: about those in none. */
export function commandResource({ namespace }: { namespace: string }): Resource {
  return namespace === '' ? resources.ClusterRolloutCommand : resources.RolloutCommand;
}
