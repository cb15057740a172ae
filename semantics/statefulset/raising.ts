import type { JsonObject } from '../../schemas/wire/json.ts';
import { otherFieldsRow, type Raising, withEntry } from '../kinds/raising.ts';
import { withPullPolicies } from '../template/pull-policy.ts';
import { numberOf, objectOf } from '../values/read.ts';

/** The most that OpenKruise accepts, seconds. */
const MOST_READY_SECONDS = 300;

function isOnDelete(spec: JsonObject): boolean {
  return objectOf(spec['updateStrategy'])['type'] === 'OnDelete';
}

/** A StatefulSet of Kubernetes as that of OpenKruise (OpenKruise advanced-statefulset, rule 12.2): names of pods and claims stay. */
export const statefulSetRaising: Raising = {
  from: { kind: 'StatefulSet' },
  to: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'StatefulSet' },
  stays: [
    otherFieldsRow([
      'replicas',
      'selector',
      'template',
      'serviceName',
      'podManagementPolicy',
      'volumeClaimTemplates',
      'updateStrategy',
      'revisionHistoryLimit',
      'minReadySeconds',
      'ordinals',
      'persistentVolumeClaimRetentionPolicy',
    ]),
    {
      what: 'podManagementPolicy Parallel with RollingUpdate',
      instead: 'the kinds judge pods that are not available by other rules',
      applies: (spec) => spec['podManagementPolicy'] === 'Parallel' && !isOnDelete(spec),
    },
    {
      what: 'rollingUpdate.maxUnavailable',
      instead: 'in Kubernetes it counts where a feature gate is on, which git does not say',
      applies: ({ updateStrategy }) =>
        objectOf(objectOf(updateStrategy)['rollingUpdate'])['maxUnavailable'] !== undefined,
    },
    {
      what: `minReadySeconds with OnDelete, or above ${MOST_READY_SECONDS}`,
      instead: 'OpenKruise has no such value',
      applies: (spec) => {
        const seconds = numberOf(spec['minReadySeconds']) ?? 0;
        return seconds > (isOnDelete(spec) ? 0 : MOST_READY_SECONDS);
      },
    },
  ],
  won: [
    'images change in place, with podUpdatePolicy InPlaceIfPossible',
    'several pods are updated at once, with podManagementPolicy Parallel and maxUnavailable',
    'a plan in git gates each change: steps, soaks, checks and approvals',
    'ordinals are left out, and claim templates can change',
  ],
  spec(spec) {
    const { minReadySeconds, template, volumeClaimTemplates, ...rest } = spec;
    const { type, rollingUpdate } = objectOf(spec['updateStrategy']);
    const seconds = numberOf(minReadySeconds) ?? 0;
    const rolling = { ...objectOf(rollingUpdate), ...(seconds > 0 && { minReadySeconds: seconds }) };
    const strategy: JsonObject = {
      ...(type !== undefined && { type }),
      ...(Object.keys(rolling).length > 0 && { rollingUpdate: rolling }),
    };
    const hasStrategy = Object.keys(strategy).length > 0;
    return {
      ...withEntry(rest, 'updateStrategy', ['updateStrategy', hasStrategy ? strategy : undefined]),
      template: withPullPolicies(objectOf(template)),
      ...(volumeClaimTemplates !== undefined && { volumeClaimTemplates }),
    };
  },
};
