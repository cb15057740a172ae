import type { Resource } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Slots } from '../limits/slots.ts';
import type { Pod } from '../pod/types.ts';

/**
 * What the objects of a namespaced kind do to what others decide about their pods. Its own reconcile keeps the status that the
 * others reserve in. All functions are pure.
 */
export interface Influence {
  /** What an object allows of disruptions of the pods in its namespace; undefined: it limits none. */
  onDisrupt(object: KubeObject, now: number): Slots | undefined;
  /**
   * What an object makes of pods of its namespace that are about to be created: as many, in the same order.
   *
   * @param owner the target that creates them
   */
  onCreate(
    object: KubeObject,
    owner: KubeObject,
    pods: readonly KubeObject[],
    now: number,
  ): readonly CreatedPod[];
  /**
   * A merge patch that records in the status of an object what is about to be done. An entry must end by itself: when it is
   * observed that it was done, or after a time, as whoever made it may be gone. The next process may use an entry that it finds.
   */
  record(object: KubeObject, done: ToRecord, now: number): JsonObject;
  /**
   * The cost of deleting a pod of its namespace, as the annotation controller.kubernetes.io/pod-deletion-cost has it: a scale-in
   * takes the lowest first. Undefined: the object says nothing about this pod.
   */
  deletionCost(object: KubeObject): (pod: Pod) => number | undefined;
}

/** A new pod as an object wants it. */
export interface CreatedPod {
  pod: KubeObject;
  /** The object has counted the pod, and records that before the pod is created. */
  isRecorded: boolean;
}

/** What is about to be done to pods of the namespace of an object. */
export interface ToRecord {
  /** They become unavailable. Each takes a slot. */
  disrupted: readonly Pod[];
  /** They are created, as `onCreate` has returned them with `isRecorded`. */
  created: readonly KubeObject[];
}

/** An object that acts on the decisions about a target. */
export interface ActiveInfluence {
  readonly rules: Influence;
  readonly resource: Resource;
  readonly object: KubeObject;
  /** What it allows of disruptions now; undefined: it limits none. */
  readonly slots: Slots | undefined;
}

/** The rules of a kind for its objects. */
export type InfluencingKind = Pick<ActiveInfluence, 'rules' | 'resource'>;

/** Binds the rules of a kind to its object. */
export function activeInfluence(
  { rules, resource }: InfluencingKind,
  object: KubeObject,
  now: number,
): ActiveInfluence {
  const found = rules.onDisrupt(object, now);
  const slots: Slots | undefined = found && {
    limit: found.limit,
    takesSlot: (pod, how) => isInNamespaceOf(object, pod) && found.takesSlot(pod, how),
  };
  return { rules, resource, object, slots };
}

/** Whether an object acts on a pod at all. */
export function isInNamespaceOf({ metadata }: KubeObject, pod: KubeObject): boolean {
  return metadata.namespace === pod.metadata.namespace;
}

/** The deletion cost of pods by all objects that say something about them; undefined: there are none. The first one counts. */
export function deletionCosts(
  influences: readonly ActiveInfluence[] = [],
): ((pod: Pod) => number | undefined) | undefined {
  if (influences.length === 0) return undefined;
  const costs = influences.map(({ rules, object }) => ({ object, of: rules.deletionCost(object) }));
  return (pod) => {
    for (const { object, of } of costs) {
      const cost = isInNamespaceOf(object, pod) ? of(pod) : undefined;
      if (cost !== undefined) return cost;
    }
    return undefined;
  };
}
