import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { LabelSelector } from '../values/selector.ts';
import type { IntOrPercent } from '../values/int-or-percent.ts';
import { intOrPercentOf, listOf, numberOf, objectOf } from '../values/read.ts';
import { type PriorityStrategy, readPriorities } from '../pod/priority.ts';
import { readScatter, type ScatterTerm } from '../pod/scatter.ts';
import { podUpdatePolicy, type PodUpdatePolicy } from '../template/update-policy.ts';

/**
 * A CloneSet as the rules read it: one shape for both served versions, every default filled in. The only place
 * that knows where v1alpha1 and v1beta1 keep a field.
 */
export interface NormalCloneSet {
  replicas: number;
  selector: LabelSelector;
  template: JsonObject;
  /** Topology keys of the template's spread constraints, in their order: scale-in keeps pods spread over these. */
  spreadOver: string[];
  volumeClaimTemplates: JsonObject[];
  /** The claims of a pod that went by itself are taken over by the pod that takes its place. */
  reuseClaims: boolean;
  /** OnDelete: no pod is taken; one that somebody deletes is made at the new revision. */
  type: 'RollingUpdate' | 'OnDelete';
  /** With OnDelete always ReCreate: what gets the change is a new pod. */
  policy: PodUpdatePolicy;
  partition: IntOrPercent;
  maxUnavailable: IntOrPercent;
  maxSurge: IntOrPercent;
  paused: boolean;
  /** Raising the partition takes pods back to the stable revision (OpenKruise's gate CloneSetPartitionRollback). */
  partitionRollback: boolean;
  /** Which pods are updated first; undefined: OpenKruise's default order alone. */
  priorities: PriorityStrategy | undefined;
  /** Labels whose pods are spread over the update order. */
  scatter: ScatterTerm[];
  /** Seconds that a pod is kept out of traffic before its containers change. */
  gracePeriodSeconds: number;
  /** Seconds a pod must have been ready before it is available. */
  minReadySeconds: number;
  revisionHistoryLimit: number;
  /** Undefined: progress is not tracked (OpenKruise's nil and 2147483647). */
  progressDeadlineSeconds: number | undefined;
  podsToDelete: string[];
  scaleMaxUnavailable: IntOrPercent | undefined;
}

/** OpenKruise has a gate of its manager for it, and leaves it off; here an object says it, in git. */
export const PARTITION_ROLLBACK_ANNOTATION = 'plan.kruise.io/partition-rollback';

/** Kubernetes' way to say "no deadline". */
const NO_DEADLINE = 2147483647;

/**
 * Reads either served version. v1beta1 keeps the rollout's numbers under `updateStrategy.rollingUpdate`, v1alpha1
 * beside `type`; the CRD stores both forms in one schema and fills defaults into the v1alpha1 place only, so where
 * both speak, `rollingUpdate` is what somebody wrote (OpenKruise cloneset, section 2).
 *
 * The object must have passed the schema; a field of another type is read as absent rather than guessed.
 */
export function normalizeCloneSet(object: KubeObject): NormalCloneSet {
  const spec = objectOf(object['spec']);
  const { type, ...beside } = objectOf(spec['updateStrategy']);
  const rolling = objectOf(beside['rollingUpdate']);
  const onDelete = type === 'OnDelete';
  // Only v1beta1 knows OnDelete, and has no rollout's numbers beside the type.
  const strategy = onDelete ? {} : beside;
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
    // v1alpha1 writes the policy into `type`; v1beta1's own field wins.
    policy: onDelete ? 'ReCreate' : podUpdatePolicy(rolling['podUpdatePolicy'], type),
    partition: intOrPercentOf(rolling['partition']) ?? intOrPercentOf(strategy['partition']) ?? 0,
    maxUnavailable:
      intOrPercentOf(rolling['maxUnavailable']) ?? intOrPercentOf(strategy['maxUnavailable']) ?? '20%',
    maxSurge: intOrPercentOf(rolling['maxSurge']) ?? intOrPercentOf(strategy['maxSurge']) ?? 0,
    partitionRollback: object.metadata.annotations?.[PARTITION_ROLLBACK_ANNOTATION] === 'true',
    paused: (rolling['paused'] ?? strategy['paused']) === true,
    priorities: readPriorities(rolling['priorityStrategy'] ?? strategy['priorityStrategy']),
    scatter: readScatter(rolling['scatterStrategy'] ?? strategy['scatterStrategy']),
    gracePeriodSeconds: Math.max(graceOf(rolling) ?? graceOf(strategy) ?? 0, 0),
    minReadySeconds: numberOf(spec['minReadySeconds']) ?? 0,
    revisionHistoryLimit: numberOf(spec['revisionHistoryLimit']) ?? 10,
    progressDeadlineSeconds: deadline === NO_DEADLINE ? undefined : deadline,
    podsToDelete: Array.isArray(scale['podsToDelete'])
      ? scale['podsToDelete'].filter((name) => typeof name === 'string')
      : [],
    scaleMaxUnavailable: intOrPercentOf(scale['maxUnavailable']),
  };
}

/**
 * Stored bytes do not say which version wrote them, and the two have opposite defaults: what says nothing keeps its data,
 * and where both speak, the one that keeps data wins.
 */
function reusesClaims(enable: unknown, disable: unknown): boolean {
  if (enable === true || disable === false) return true;
  return enable !== false && disable !== true;
}

function graceOf(strategy: JsonObject): number | undefined {
  return numberOf(objectOf(strategy['inPlaceUpdateStrategy'])['gracePeriodSeconds']);
}
