import type { KruiseConfig } from '../../schemas/generated/types/config.ts';
import type { Autoscaler } from '../load/autoscalers.ts';
import { matches } from '../plan/match.ts';
import type { Target } from '../plan/target.ts';

/**
 * A target whose manifest leaves replicas out, with the number that its forecast and warnings are for: what kruise.yaml assumes,
 * or else the minimum of an autoscaler in git. `Target.applied` stays. Any other target comes back as it is.
 *
 * @param autoscalers by the ID of what they scale; asked only if the manifest leaves replicas out
 */
export function withAssumedReplicas(
  target: Target,
  assume: KruiseConfig['assume'],
  autoscalers: () => ReadonlyMap<string, Autoscaler>,
): Target {
  const { normal, manifest } = target;
  const { units } = normal;
  if (units.of !== 'replicas' || units.isWritten) return target;
  const rule = assume?.replicas?.find(({ match }) => matches(match, manifest));
  if (rule !== undefined)
    return {
      ...target,
      normal: { ...normal, units: { ...units, n: rule.replicas } },
      replicasFrom: 'as kruise.yaml assumes',
    };
  const scaler = autoscalers().get(manifest.id);
  return scaler === undefined
    ? target
    : {
        ...target,
        normal: { ...normal, units: { ...units, n: scaler.minReplicas } },
        replicasFrom: `the minimum of HorizontalPodAutoscaler ${scaler.name}`,
      };
}
