import type { KruiseConfig } from '../../schemas/generated/types/config.ts';
import type { GitUnits, ReplicaUnits } from '../../semantics/kinds/git-units.ts';
import type { Autoscaler } from '../load/autoscalers.ts';
import { matches } from '../plan/match.ts';
import type { Target } from '../plan/target.ts';

/**
 * A target whose manifest does not say how many units it has, with the number that its forecast and warnings are for: what
 * kruise.yaml assumes, or else the minimum of an autoscaler in git. `Target.applied` stays. Any other target comes back as it is.
 *
 * @param autoscalers by the ID of what they scale; asked only if the manifest leaves replicas out
 */
export function withAssumedUnits(
  target: Target,
  assume: KruiseConfig['assume'],
  autoscalers: () => ReadonlyMap<string, Autoscaler>,
): Target {
  const { units } = target.normal;
  switch (units.of) {
    case 'replicas':
      return units.isWritten ? target : withReplicas(target, units, assume, autoscalers);
    case 'nodes':
      return withUnits(target, {
        ...units,
        shown: assume?.nodes ?? units.shown,
        zones: assume?.zones ?? units.zones,
      });
    case 'selected':
    case 'run':
    case 'ticks':
    // How other numbers would be allocated, the kind alone knows.
    case 'subsets':
      return target;
  }
}

function withReplicas(
  target: Target,
  units: ReplicaUnits,
  assume: KruiseConfig['assume'],
  autoscalers: () => ReadonlyMap<string, Autoscaler>,
): Target {
  const { manifest } = target;
  const rule = assume?.replicas?.find(({ match }) => matches(match, manifest));
  if (rule !== undefined)
    return {
      ...withUnits(target, { ...units, n: rule.replicas }),
      replicasFrom: 'as kruise.yaml assumes',
    };
  const scaler = autoscalers().get(manifest.id);
  return scaler === undefined
    ? target
    : {
        ...withUnits(target, { ...units, n: scaler.minReplicas }),
        replicasFrom: `the minimum of HorizontalPodAutoscaler ${scaler.name}`,
      };
}

function withUnits(target: Target, units: GitUnits): Target {
  return { ...target, normal: { ...target.normal, units } };
}
