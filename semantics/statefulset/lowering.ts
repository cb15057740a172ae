import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { loweringTo, type RowOf, type Neighbors } from '../kinds/lowering.ts';
import { numberOf, objectOf } from '../values/read.ts';
import {
  hooksRow,
  inPlaceRow,
  launchOrderRow,
  nativeOrderRow,
  orderedTemplate,
  plainFields,
  plainMetadata,
  plainTemplateAlways,
  preDownloadRow,
  requiredRow,
} from '../workload/plain.ts';
import { spreadRow } from '../workload/spread-row.ts';
import { normalizeStatefulSet, type NormalStatefulSet } from './normalize.ts';

interface Read extends NormalStatefulSet, Neighbors {
  object: KubeObject;
}

type Row = RowOf<Read>;

const stays: readonly Row[] = [
  {
    what: 'reserveOrdinals',
    instead: 'the ordinals would be counted anew, and pods with their claims come and go',
    applies: ({ reserved }) => reserved.length > 0,
  },
  {
    what: 'paused',
    instead: 'Kubernetes would update every pod',
    applies: ({ paused }) => paused,
  },
  hooksRow,
  {
    what: 'unorderedUpdate',
    instead: 'with a partition other pods would be updated',
    applies: ({ isUnordered, partition }) => isUnordered && partition > 0,
  },
  {
    what: 'volumeClaimUpdateStrategy OnPodRollingUpdate',
    instead: 'Kubernetes refuses changed claim templates',
    applies: ({ growsClaims, volumeClaimTemplates }) => growsClaims && volumeClaimTemplates.length > 0,
  },
];

const losses: readonly Row[] = [
  requiredRow,
  spreadRow,
  inPlaceRow,
  {
    what: 'podManagementPolicy Parallel with RollingUpdate',
    instead: 'pods are updated one at a time, without maxUnavailable',
    applies: ({ isOrdered, onDelete }) => !isOrdered && !onDelete,
  },
  {
    what: 'unorderedUpdate without a partition',
    instead: 'the highest ordinal is updated first',
    applies: ({ isUnordered }) => isUnordered,
  },
  {
    what: 'scaleStrategy.maxUnavailable',
    instead: 'missing pods are created at once',
    applies: ({ scaleMaxUnavailable, isOrdered }) => scaleMaxUnavailable !== undefined && !isOrdered,
  },
  launchOrderRow,
  nativeOrderRow,
  preDownloadRow,
];

/** A StatefulSet as that of Kubernetes (OpenKruise advanced-statefulset, section 12): names of pods and claims are the same. */
export const statefulSetLowering = loweringTo<Read>({
  to: { apiVersion: 'apps/v1', kind: 'StatefulSet' },
  stays,
  losses,
  differs: [
    'it has no conditions, and no claims in its status',
    'claim templates cannot change once it exists',
    'before Kubernetes 1.33 serviceName is required',
    'a pod with the label apps.kruise.io/specified-delete is not deleted',
  ],
  read: (object, around) => ({ ...normalizeStatefulSet(object), ...around, object }),
  lower(object, read) {
    const spec = objectOf(object['spec']);
    const { serviceName, podManagementPolicy, ordinals, persistentVolumeClaimRetentionPolicy } = spec;
    const { revisionHistoryLimit } = spec;
    const { onDelete, partition, minReadySeconds, volumeClaimTemplates } = read;
    return {
      metadata: plainMetadata(object),
      spec: plainFields({
        replicas: numberOf(spec['replicas']),
        selector: read.selector as JsonObject,
        serviceName,
        podManagementPolicy,
        ordinals,
        persistentVolumeClaimRetentionPolicy,
        minReadySeconds: minReadySeconds === 0 ? undefined : minReadySeconds,
        revisionHistoryLimit,
        updateStrategy: onDelete
          ? { type: 'OnDelete' }
          : { type: 'RollingUpdate', ...(partition > 0 && { rollingUpdate: { partition } }) },
        template: orderedTemplate({ ...read, template: plainTemplateAlways(read.template) }),
        volumeClaimTemplates: volumeClaimTemplates.length > 0 ? volumeClaimTemplates : undefined,
      }),
    };
  },
});
