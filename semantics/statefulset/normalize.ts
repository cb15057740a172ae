import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { type Lifecycle, readLifecycle } from '../lifecycle/hooks.ts';
import { type PriorityStrategy, readPriorities } from '../pod/priority.ts';
import { podUpdatePolicy, resizesInPlace, type UpdateRules } from '../template/update-policy.ts';
import type { IntOrPercent } from '../values/int-or-percent.ts';
import { intOrPercentOf, listOf, numberOf, objectOf } from '../values/read.ts';
import type { LabelSelector } from '../values/selector.ts';
import { type OrdinalRange, reservedRanges } from './ordinals.ts';

/** What `persistentVolumeClaimRetentionPolicy` asks for. */
type ClaimFate = 'Retain' | 'Delete';

/** A StatefulSet as the rules read it, of either served version, with defaults. */
export interface NormalStatefulSet {
  replicas: number;
  selector: LabelSelector;
  template: JsonObject;
  volumeClaimTemplates: JsonObject[];
  /** What happens to the claims of an ordinal that is scaled in or reserved, once its pod is gone. */
  claimsWhenScaled: ClaimFate;
  /** What happens to the claims when the StatefulSet is deleted. */
  claimsWhenDeleted: ClaimFate;
  /** Claims grow with their templates. False: only new claims have the new size. */
  growsClaims: boolean;
  /** The subdomain of the pods; empty: none. */
  serviceName: string;
  /** OrderedReady: pods are created and deleted one after the other. False: Parallel. */
  isOrdered: boolean;
  /** The first ordinal. */
  start: number;
  reserved: OrdinalRange[];
  /** No pod is updated; the replacement of a deleted one is created on the new revision. */
  onDelete: boolean;
  /** With OnDelete always ReCreate: only new pods get the change. */
  policy: UpdateRules['policy'];
  /** Changed cpu and memory are resized in place. */
  resizes: boolean;
  /** How many pods stay on the old revision: those with the lowest ordinals, unless `isUnordered`. */
  partition: number;
  maxUnavailable: IntOrPercent;
  paused: boolean;
  /** Pods are updated by priority, and not by ordinal. */
  isUnordered: boolean;
  /** With `isUnordered`: which pods are updated first. */
  priorities: PriorityStrategy | undefined;
  /** Seconds for which a pod is drained before its containers change. */
  gracePeriodSeconds: number;
  /** Seconds for which a pod must be ready to be available. */
  minReadySeconds: number;
  revisionHistoryLimit: number;
  /** Undefined: no limit on creation. */
  scaleMaxUnavailable: IntOrPercent | undefined;
  /** Hooks at which its pods wait for other controllers. */
  lifecycle: Lifecycle;
}

/**
 * Reads either served version (OpenKruise advanced-statefulset, section 2): the fields of v1alpha1 are at the same paths in
 * v1beta1. The object must be valid against the schema; a field of another type is read as absent.
 */
export function normalizeStatefulSet(object: KubeObject): NormalStatefulSet {
  const spec = objectOf(object['spec']);
  const strategy = objectOf(spec['updateStrategy']);
  const onDelete = strategy['type'] === 'OnDelete';
  const rolling = onDelete ? {} : objectOf(strategy['rollingUpdate']);
  const unordered = rolling['unorderedUpdate'];
  const { serviceName, reserveOrdinals } = spec;
  const retention = objectOf(spec['persistentVolumeClaimRetentionPolicy']);
  return {
    replicas: numberOf(spec['replicas']) ?? 1,
    selector: objectOf(spec['selector']),
    template: objectOf(spec['template']),
    volumeClaimTemplates: listOf(spec['volumeClaimTemplates']),
    claimsWhenScaled: fateOf(retention['whenScaled']),
    claimsWhenDeleted: fateOf(retention['whenDeleted']),
    growsClaims: objectOf(spec['volumeClaimUpdateStrategy'])['type'] === 'OnPodRollingUpdate',
    serviceName: typeof serviceName === 'string' ? serviceName : '',
    isOrdered: spec['podManagementPolicy'] !== 'Parallel',
    start: Math.max(numberOf(objectOf(spec['ordinals'])['start']) ?? 0, 0),
    reserved: reservedRanges(entriesOf(reserveOrdinals)),
    onDelete,
    policy: podUpdatePolicy(rolling['podUpdatePolicy']),
    resizes: resizesInPlace(object),
    partition: Math.max(numberOf(rolling['partition']) ?? 0, 0),
    maxUnavailable: intOrPercentOf(rolling['maxUnavailable']) ?? 1,
    paused: rolling['paused'] === true,
    isUnordered: unordered !== undefined && unordered !== null,
    priorities: readPriorities(objectOf(unordered)['priorityStrategy']),
    gracePeriodSeconds: Math.max(
      numberOf(objectOf(rolling['inPlaceUpdateStrategy'])['gracePeriodSeconds']) ?? 0,
      0,
    ),
    minReadySeconds: numberOf(rolling['minReadySeconds']) ?? 0,
    revisionHistoryLimit: numberOf(spec['revisionHistoryLimit']) ?? 10,
    scaleMaxUnavailable: intOrPercentOf(objectOf(spec['scaleStrategy'])['maxUnavailable']),
    lifecycle: readLifecycle(spec['lifecycle']),
  };
}

function fateOf(value: unknown): ClaimFate {
  return value === 'Delete' ? 'Delete' : 'Retain';
}

/** The entries of a list of numbers and texts; others are left out. */
export function entriesOf(value: unknown): IntOrPercent[] {
  return Array.isArray(value) ? value.flatMap((each) => intOrPercentOf(each) ?? []) : [];
}
