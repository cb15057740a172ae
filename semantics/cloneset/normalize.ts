import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { type Lifecycle, readLifecycle } from '../lifecycle/hooks.ts';
import type { LabelSelector } from '../values/selector.ts';
import type { IntOrPercent } from '../values/int-or-percent.ts';
import { intOrPercentOf, listOf, numberOf, objectOf } from '../values/read.ts';
import { type PriorityStrategy, readPriorities } from '../pod/priority.ts';
import { readScatter, type ScatterTerm } from '../pod/scatter.ts';
import {
  podUpdatePolicy,
  RECREATE_FOR_CLAIMS_ANNOTATION,
  resizesInPlace,
  type UpdateRules,
} from '../template/update-policy.ts';

/**
 * A CloneSet as the rules read it: one type for both served versions, with defaults. No rule depends on where v1alpha1 and
 * v1beta1 have a field; `git.ts` has the paths, for messages.
 */
export interface NormalCloneSet {
  replicas: number;
  selector: LabelSelector;
  template: JsonObject;
  /** Topology keys of the template's spread constraints, in their order: scale-in keeps pods spread over them. */
  spreadOver: string[];
  volumeClaimTemplates: JsonObject[];
  /** The replacement of a lost pod reuses its claims. */
  reuseClaims: boolean;
  /** OnDelete: no pod is updated; the replacement of a deleted one is created on the new revision. */
  type: 'RollingUpdate' | 'OnDelete';
  /** With OnDelete always ReCreate: only new pods get the change. */
  policy: UpdateRules['policy'];
  /** Changed cpu and memory are resized in place. */
  resizes: boolean;
  /** Pods are recreated where claim templates change together with the template. */
  recreatesForClaims: boolean;
  partition: IntOrPercent;
  maxUnavailable: IntOrPercent;
  maxSurge: IntOrPercent;
  paused: boolean;
  /** Raising the partition reverts pods to the stable revision (OpenKruise's feature gate CloneSetPartitionRollback). */
  partitionRollback: boolean;
  /** Which pods are updated first; undefined: OpenKruise's default order alone. */
  priorities: PriorityStrategy | undefined;
  /** Labels whose pods are spread evenly over the update order. */
  scatter: ScatterTerm[];
  /** Seconds for which a pod is drained before its containers change. */
  gracePeriodSeconds: number;
  /** The fields about pre-download; those next to `type` do not count in v1alpha1 (OpenKruise cloneset, section 2). */
  preDownload: JsonObject;
  /** Seconds for which a pod must be ready to be available. */
  minReadySeconds: number;
  revisionHistoryLimit: number;
  /** Undefined: progress is not tracked (OpenKruise's nil and 2147483647). */
  progressDeadlineSeconds: number | undefined;
  podsToDelete: string[];
  scaleMaxUnavailable: IntOrPercent | undefined;
  /** Hooks at which its pods wait for other controllers. */
  lifecycle: Lifecycle;
  /** Pods that wait for their deletion do not count as replicas, so that their replacements are created at once. */
  excludePreparingDelete: boolean;
  /** While scaling, pods that are prepared for an update count as updated (OpenKruise's feature gate PreparingUpdateAsUpdate). */
  preparingCountsAsUpdated: boolean;
}

/** Enables `partitionRollback` for one object. In OpenKruise it is a feature gate of the manager, off by default. */
export const PARTITION_ROLLBACK_ANNOTATION = 'plan.kruise.io/partition-rollback';

/** Enables `preparingCountsAsUpdated` for one object. In OpenKruise it is a feature gate of the manager, off by default. */
export const PREPARING_UPDATE_ANNOTATION = 'plan.kruise.io/preparing-update-as-update';

/** The label of v1alpha1 for `excludePreparingDelete`, which v1beta1 has as a field. */
const EXCLUDE_LABEL = 'apps.kruise.io/cloneset-scaling-exclude-preparing-delete';

/** The value that means "no deadline" in Kubernetes. */
const NO_DEADLINE = 2147483647;

/**
 * Reads either served version (OpenKruise cloneset, section 2). v1beta1 has the numbers of the rollout below
 * `updateStrategy.rollingUpdate`, v1alpha1 next to `type`. The CRD stores both forms in one schema and sets defaults only in
 * the v1alpha1 fields, so if both are set, `rollingUpdate` is what the user wrote.
 *
 * The object must be valid against the schema; a field of another type is read as absent.
 */
export function normalizeCloneSet(object: KubeObject): NormalCloneSet {
  const spec = objectOf(object['spec']);
  const { type, ...flat } = objectOf(spec['updateStrategy']);
  const rolling = objectOf(flat['rollingUpdate']);
  const onDelete = type === 'OnDelete';
  // Only v1beta1 has OnDelete, and it has no numbers next to `type`.
  const strategy = onDelete ? {} : flat;
  const scale = objectOf(spec['scaleStrategy']);
  const deadline = numberOf(spec['progressDeadlineSeconds']);
  return {
    replicas: numberOf(spec['replicas']) ?? 1,
    selector: objectOf(spec['selector']),
    template: objectOf(spec['template']),
    spreadOver: listOf(objectOf(objectOf(spec['template'])['spec'])['topologySpreadConstraints']).flatMap(
      ({ topologyKey: key }) => (typeof key === 'string' ? [key] : []),
    ),
    volumeClaimTemplates: listOf(spec['volumeClaimTemplates']),
    reuseClaims: reusesClaims(scale['enablePVCReuse'], scale['disablePVCReuse']),
    type: onDelete ? 'OnDelete' : 'RollingUpdate',
    // v1alpha1 has the policy in `type`; the field of v1beta1 takes precedence.
    policy: onDelete ? 'ReCreate' : podUpdatePolicy(rolling['podUpdatePolicy'], type),
    resizes: resizesInPlace(object),
    recreatesForClaims: object.metadata.annotations?.[RECREATE_FOR_CLAIMS_ANNOTATION] === 'true',
    partition: intOrPercentOf(rolling['partition']) ?? intOrPercentOf(strategy['partition']) ?? 0,
    maxUnavailable:
      intOrPercentOf(rolling['maxUnavailable']) ?? intOrPercentOf(strategy['maxUnavailable']) ?? '20%',
    maxSurge: intOrPercentOf(rolling['maxSurge']) ?? intOrPercentOf(strategy['maxSurge']) ?? 0,
    partitionRollback: object.metadata.annotations?.[PARTITION_ROLLBACK_ANNOTATION] === 'true',
    paused: (rolling['paused'] ?? strategy['paused']) === true,
    priorities: readPriorities(rolling['priorityStrategy'] ?? strategy['priorityStrategy']),
    scatter: readScatter(rolling['scatterStrategy'] ?? strategy['scatterStrategy']),
    gracePeriodSeconds: Math.max(graceOf(rolling) ?? graceOf(strategy) ?? 0, 0),
    preDownload: preDownloadIn(objectOf(rolling['inPlaceUpdateStrategy'])),
    minReadySeconds: numberOf(spec['minReadySeconds']) ?? 0,
    revisionHistoryLimit: numberOf(spec['revisionHistoryLimit']) ?? 10,
    progressDeadlineSeconds: deadline === NO_DEADLINE ? undefined : deadline,
    podsToDelete: Array.isArray(scale['podsToDelete'])
      ? scale['podsToDelete'].filter((name) => typeof name === 'string')
      : [],
    scaleMaxUnavailable: intOrPercentOf(scale['maxUnavailable']),
    lifecycle: readLifecycle(spec['lifecycle']),
    excludePreparingDelete:
      scale['excludePreparingDelete'] === true || object.metadata.labels?.[EXCLUDE_LABEL] === 'true',
    preparingCountsAsUpdated: object.metadata.annotations?.[PREPARING_UPDATE_ANNOTATION] === 'true',
  };
}

/**
 * Whether claims are reused. A stored object does not show which version wrote it, and the versions have opposite defaults.
 * Without a field claims are reused, and if the fields contradict each other, too: no data is lost.
 */
function reusesClaims(enable: unknown, disable: unknown): boolean {
  if (enable === true || disable === false) return true;
  return enable !== false && disable !== true;
}

function preDownloadIn(strategy: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(strategy).filter(([field]) => field.startsWith('imagePreDownload')),
  );
}

function graceOf(strategy: JsonObject): number | undefined {
  return numberOf(objectOf(strategy['inPlaceUpdateStrategy'])['gracePeriodSeconds']);
}
