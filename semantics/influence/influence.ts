import type { Resource } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Disruption, SlotLimits, Slots } from '../limits/slots.ts';
import type { NodeLabels } from '../pod/nodes.ts';
import type { Pod } from '../pod/types.ts';
import type { InfluenceInGit } from './in-git.ts';

/**
 * What the objects of a namespaced kind do to what others decide about their pods. Its own reconcile keeps the status that the
 * others reserve in. All functions are pure.
 */
export interface Influence {
  /**
   * Whether its objects keep pods available. Only then an object that no rule may read, or a list that nobody may read, keeps every pod that
   * it may be about.
   */
  readonly protects: boolean;
  /**
   * Whether a pod of its namespace is one of the object's: about others nothing else is asked. This alone
   * is also asked about an object that is invalid or too large to be read, whose pods must stay available; where it ends in an
   * error, the pod is none of the object's.
   */
  covers(object: KubeObject, pod: Pod): boolean;
  /** Labels that each of its pods has, as far as they are known: where no pod has one of them, the object is not asked at all. */
  labels(object: KubeObject): readonly PodLabel[];
  /**
   * What an object allows of disruptions of its pods; undefined: it limits none.
   *
   * @param guard the PodDisruptionBudget that it owns. Default: none
   */
  onDisrupt(object: KubeObject, now: number, guard?: KubeObject): Slots | undefined;
  /**
   * What an object makes of pods of its namespace that are about to be created, some of which are its own: as many, in the same order.
   *
   * @param owner   the target that creates them
   * @param present what it has
   */
  onCreate(
    object: KubeObject,
    owner: KubeObject,
    pods: readonly KubeObject[],
    now: number,
    present: Present,
  ): readonly (CreatedPod | LaterPod)[];
  /**
   * A merge patch that records in the status of an object what is about to be done. An entry must end by itself: when it is
   * observed that it was done, or after a time, as whoever made it may be gone. The next process may use an entry that it finds.
   */
  record(object: KubeObject, done: ToRecord, now: number): JsonObject;
  /**
   * A merge patch of the PodDisruptionBudget that an object owns: evictions must leave alone what is about to become unavailable. It is
   * written before `record`. Undefined: evictions let these pods alone anyway.
   */
  raise(
    object: KubeObject,
    guard: KubeObject,
    disrupted: readonly DisruptedPod[],
    now: number,
  ): JsonObject | undefined;
  /**
   * A merge patch of that PodDisruptionBudget which keeps the next slot for a pod that waits for one: evictions may take each that gets
   * free, a moment before it is observed. Undefined: evictions need not wait.
   *
   * @param pods all of its target
   */
  claim(
    object: KubeObject,
    guard: KubeObject,
    pod: Pod,
    pods: readonly Pod[],
    now: number,
  ): JsonObject | undefined;
  /**
   * The cost of deleting one of its pods, as the annotation controller.kubernetes.io/pod-deletion-cost has it: a scale-in
   * takes the lowest first. Undefined: the object says nothing about this pod.
   *
   * @param owner   the target that is scaled in
   * @param present what it has
   */
  deletionCost(object: KubeObject, owner: KubeObject, present: Present): (pod: Pod) => number | undefined;
  /** What the compiler reads of it. */
  readonly git: InfluenceInGit;
}

/** A label of pods. */
export interface PodLabel {
  key: string;
  value: string;
}

/** A new pod as an object wants it. */
export interface CreatedPod {
  pod: KubeObject;
  /** The object has counted the pod, and records that before the pod is created. */
  isRecorded: boolean;
}

/** A pod that is not created yet: what is to be known before, as a clause. The target is reconciled again soon. */
export interface LaterPod {
  later: string;
}

/** What a target has. */
export interface Present {
  pods: readonly Pod[];
  /** Undefined: nobody may read them. */
  nodes: NodeLabels | undefined;
}

/** An existing pod that becomes unavailable. */
export interface DisruptedPod {
  pod: Pod;
  how: Disruption;
}

/** What is about to be done to pods of the namespace of an object. */
export interface ToRecord {
  /** They become unavailable. Each takes a slot. */
  disrupted: readonly DisruptedPod[];
  /** They are created, as `onCreate` has returned them with `isRecorded`. */
  created: readonly KubeObject[];
}

/** A merge patch of the PodDisruptionBudget that an object owns. */
export interface GuardPatch {
  guard: KubeObject;
  body: JsonObject;
}

/** An object that acts on the decisions about a target, with its rules. */
export interface ActiveInfluence extends SlotLimits {
  readonly resource: Resource;
  readonly object: KubeObject;
  /** `onCreate` of its rules, whose errors come through. */
  created(
    owner: KubeObject,
    pods: readonly KubeObject[],
    present: Present,
  ): readonly (CreatedPod | LaterPod)[];
  /** `record` of its rules, whose errors come through. */
  record(done: ToRecord): JsonObject;
  /** The PodDisruptionBudget that it owns, and `raise` of its rules for that, whose errors come through; undefined: nothing is raised. */
  raise(done: ToRecord): GuardPatch | undefined;
  /** `claim` of its rules for a pod that waits for it, likewise. */
  claim(pod: Pod, pods: readonly Pod[]): GuardPatch | undefined;
  /** The cost of deleting a pod of a target; undefined: it says nothing about this pod. Never ends in an error. */
  deletionCost(owner: KubeObject, present: Present): (pod: Pod) => number | undefined;
  /** The same object after its rules have ended in this error: its pods stay available, and new ones are created as they are. */
  failed(error: unknown): ActiveInfluence;
}

/**
 * The objects that may act on the decisions about a target, in their order.
 *
 * @param pods about which they are asked: others than those that act on one of these may be left out. Default: any, and new ones
 */
export type Influences = (pods?: readonly Pod[]) => readonly ActiveInfluence[];

/** The rules of a kind for its objects. */
export interface InfluencingKind {
  /** Its objects own PodDisruptionBudgets. Default: they own none. */
  readonly hasGuards?: boolean;
  readonly rules: Influence;
  readonly resource: Resource;
}

/** Whether an object acts on a pod at all. */
export function isInNamespaceOf({ metadata }: KubeObject, pod: KubeObject): boolean {
  return metadata.namespace === pod.metadata.namespace;
}
