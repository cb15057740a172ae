import type { NodeSelectorTerm, Toleration } from '../../schemas/pods/pod.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { groupKindOf } from '../owner.ts';
import type { PodWorkload } from '../pod/workload.ts';
import type { IntOrPercent } from '../values/int-or-percent.ts';
import { isObject } from '../values/json-shape.ts';
import { intOrPercentOf, listOf, numberOf, objectOf, textOf } from '../values/read.ts';
import { remembered } from '../values/remembered.ts';
import type { LabelSelector } from '../values/selector.ts';
import { BY_ANNOTATION, IGNORE_OLD_ANNOTATION, isCreatedKind, isGatedKind, WEBHOOK } from './resource.ts';

/** A group of nodes for some of the pods. */
export interface Subset {
  name: string;
  /** Undefined: there is no cap. */
  cap: IntOrPercent | undefined;
  required: NodeSelectorTerm | undefined;
  preferred: readonly PreferredTerm[];
  tolerations: readonly Toleration[];
  /** Undefined: nothing more changes in a pod. */
  patch: JsonObject | undefined;
}

export interface PreferredTerm {
  weight: number;
  preference: NodeSelectorTerm;
}

/**
 * Who places new pods: the runtime as it `creates` them; the runtime while they wait with a `gate`, or a webhook those without it; or a
 * `webhook` alone.
 */
export type Way = 'creates' | 'gate' | 'webhook';

/** A WorkloadSpread as the rules read it, of either served version. */
export interface NormalSpread {
  target: PodWorkload;
  way: Way;
  /** Undefined: all pods of the target (OpenKruise workloadspread, section 10, item 4). */
  selector: LabelSelector | undefined;
  /** Paths to the numbers that make the size of the target; none: its own number of pods is that. */
  replicasPaths: readonly string[];
  subsets: readonly Subset[];
  isAdaptive: boolean;
  /** A pod without a node for so many seconds is deleted, so that it goes to another subset; undefined: none is. */
  rescheduleSeconds: number | undefined;
  /** Older pods get the labels and annotations of the patch of their subset. */
  patchesOlder: boolean;
}

/** Reads either served version, once for an object. A field of another type is read as absent. */
export const normalizeSpread = remembered(normalized);

function normalized({ metadata, spec }: KubeObject): NormalSpread {
  const { targetRef, targetFilter, subsets, scheduleStrategy } = objectOf(spec);
  const { apiVersion, kind, name } = objectOf(targetRef);
  const { selector, replicasPathList } = objectOf(targetFilter);
  const { type, adaptive } = objectOf(scheduleStrategy);
  const isAdaptive = type === 'Adaptive';
  const seconds = numberOf(objectOf(adaptive)['rescheduleCriticalSeconds']) ?? 0;
  const target = {
    ...groupKindOf({ apiVersion: textOf(apiVersion), kind: textOf(kind) }),
    name: textOf(name),
  };
  return {
    target,
    way: wayOf(target, metadata.annotations?.[BY_ANNOTATION]),
    selector: isObject(selector) ? selector : undefined,
    replicasPaths: Array.isArray(replicasPathList) ? replicasPathList.map(textOf) : [],
    subsets: listOf(subsets).map(subsetOf),
    isAdaptive,
    rescheduleSeconds: isAdaptive && seconds > 0 ? seconds : undefined,
    patchesOlder: metadata.annotations?.[IGNORE_OLD_ANNOTATION]?.toLowerCase() !== 'true',
  };
}

function wayOf(target: PodWorkload, by: string | undefined): Way {
  if (isCreatedKind(target)) return 'creates';
  return isGatedKind(target) && by !== WEBHOOK ? 'gate' : 'webhook';
}

function subsetOf(subset: JsonObject): Subset {
  const required = subset['requiredNodeSelector'] ?? subset['requiredNodeSelectorTerm'];
  const preferred = subset['preferredNodeSelector'] ?? subset['preferredNodeSelectorTerms'];
  return {
    name: textOf(subset['name']),
    cap: intOrPercentOf(subset['maxReplicas']),
    required: isObject(required) ? required : undefined,
    preferred: listOf(preferred).map(({ weight, preference }) => ({
      weight: numberOf(weight) ?? 0,
      preference: objectOf(preference),
    })),
    tolerations: listOf(subset['tolerations']),
    patch: isObject(subset['patch']) ? objectOf(subset['patch']) : undefined,
  };
}
