import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { growthHash } from '../../../semantics/claims/fit.ts';
import { statefulSetKind } from '../../../semantics/statefulset/kind.ts';
import { templateHash } from '../../../semantics/template/canonical.ts';
import { clusterWide, launchIn } from '../../deploy/roles.ts';
import { brokenBounds } from '../pod-bounds.ts';
import { podRevision, podsOf, podUnit } from '../serving.ts';
import type { Subject } from '../subject.ts';
import { changes, worlds } from './worlds.ts';

export const statefulSet: Subject = {
  kind: statefulSetKind,
  roles: [...clusterWide(), launchIn('shop')],
  hashOf: (manifest) => templateHash((manifest['spec'] as { template: JsonObject }).template),
  claimsOf: ({ spec }) => {
    const { volumeClaimUpdateStrategy: strategy, volumeClaimTemplates = [] } = spec as {
      volumeClaimUpdateStrategy?: JsonObject;
      volumeClaimTemplates?: JsonObject[];
    };
    return strategy?.['type'] === 'OnPodRollingUpdate' ? growthHash(volumeClaimTemplates) : undefined;
  },
  sizeOf: (target) => (target['spec'] as { replicas: number }).replicas,
  units: (objects, target) => podsOf(objects, target).map((pod) => podUnit(pod, podRevision(pod))),
  brokenBounds: (commit, objects, leniency) => brokenBounds(commit, objects, leniency, isReserved),
  reusesNames: true,
  paused: (paused) => ({ updateStrategy: { rollingUpdate: { paused } } }),
  changes,
  worlds,
};

/** Whether the ordinal of a pod is reserved. The worlds reserve single ordinals only. */
function isReserved({ metadata: { name } }: Pod, target: KubeObject): boolean {
  const { reserveOrdinals = [] } = target['spec'] as { reserveOrdinals?: number[] };
  return reserveOrdinals.includes(Number(name.split('-').at(-1)));
}
