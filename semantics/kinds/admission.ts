import type { JsonObject } from '../../schemas/wire/json.ts';
import type { Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject, OwnerReference } from '../../schemas/wire/object.ts';
import type { PodInjector } from './pod-injector.ts';

/** What the objects of a kind decide about pods of any owner, while an API server waits for the answer. All functions are pure. */
export interface Admission {
  /**
   * What an administrator asks for before the kind decides about pods: its records, or an outage, have a price. Undefined: it always does.
   */
  readonly option: AdmissionOption | undefined;
  readonly create: CreationRules;
  readonly review: ReviewRules;
  /** What an API server decides alone; undefined: nothing. */
  readonly policy: PodPolicy | undefined;
  /**
   * The annotations that an object of the kind itself gets when it is created or its spec changes, as OpenKruise's webhook writes them.
   * Absent: none.
   */
  readonly stamp?: (object: KubeObject) => Readonly<Record<string, string>>;
}

/** An option of the commands that start the admission and tell API servers to ask it. */
export type AdmissionOption = 'exact-budgets' | 'spreads';

/**
 * A ValidatingAdmissionPolicy on requests about pods, with the objects of the kind as its parameters: each in the namespace of a pod
 * is asked, and the policy sees its status as an API server has it. Every expression is CEL.
 */
export interface PodPolicy {
  /** Without the domain of this project. */
  readonly name: string;
  /** Conditions on `oldObject`, and `object` of an update, that hold for every request that an object may refuse. */
  readonly conditions: readonly MatchCondition[];
  /** They may read `params`, and those before them as `variables.NAME`. */
  readonly variables: readonly MatchCondition[];
  /** Each refuses where it is false. */
  readonly validations: readonly { expression: string; messageExpression: string }[];
}

/** What becomes of a new pod. */
export type CreationRules =
  | { readonly of: 'none' }
  /** What `kruise build` adds to templates, too. It records nothing. */
  | { readonly of: 'injection'; readonly injector: PodInjector }
  | NewPodRules;

/** Rules that change a new pod, which may take a place on record for it. They come before injections. */
export interface NewPodRules {
  readonly of: 'new pods';
  /** Conditions in CEL on `object` that hold for every pod that the rules may change: about other pods nobody is asked. */
  readonly conditions: readonly MatchCondition[];
  /** Whether `create` may return `recorded`: the right to write the status follows from it. */
  readonly records: boolean;
  /** Resources whose objects are read where one controls the pod, for `NewPod.owners`: the right to get them follows from it. */
  readonly reads: readonly Resource[];
  /**
   * One more object that `create` needs as it is stored now, for `NewPod.found`: the right to get those `among` follows from it. While it
   * cannot be read the pod stays as it is.
   */
  readonly alsoReads: {
    readonly among: readonly Resource[];
    /** Undefined: none is needed. */
    of(asked: Pick<NewPod, 'pod' | 'objects'>): NamedObject | undefined;
  };
  /** Name, labels, annotations and spec of the pod may change. */
  create(asked: NewPod): Creation;
  readonly trial: PodTrial;
}

/** How somebody finds out, by a dry run, whether the rules for new pods are asked. */
export interface PodTrial {
  /** A pod that the rules change for an object; undefined: there is none. Its controller need not exist. */
  podFor(object: KubeObject, name: string): KubeObject | undefined;
  /** Whether a pod has what the rules give. */
  isChanged(pod: KubeObject): boolean;
  /** What the rules do with it, such as `places`. */
  readonly does: string;
}

/** An object of the namespace of a pod. */
export interface NamedObject {
  resource: Resource;
  name: string;
}

/** What changes and removals of pods are reviewed. */
export type ReviewRules = { readonly of: 'none' } | PodReviewRules;

/** Rules that allow or refuse a change or the removal of a pod. */
export interface PodReviewRules {
  readonly of: 'pods';
  readonly operations: readonly PodOperation[];
  /**
   * Conditions in CEL on `oldObject` (and `object` of an update) that hold for every pod that an object covers: about other pods
   * nobody is asked, so that an outage does not concern them. Evictions are asked about whatever these say: their request shows
   * no pod.
   */
  readonly conditions: readonly MatchCondition[];
  /**
   * What happens to a covered pod while nobody answers, or while a record cannot be written: `Fail` refuses. Evictions are let
   * through by the API server all the same, as no condition limits an outage to covered pods.
   */
  readonly failurePolicy: 'Ignore' | 'Fail';
  /** Whether `review` may return `recorded`: the right to write the status follows from it. */
  readonly records: boolean;
  /**
   * @param object one that is valid, in the namespace of the pod or cluster-scoped. Whether it covers the pod is for the rules to say
   * @param now milliseconds since 1970
   */
  review(object: KubeObject, asked: PodRequest, now: number): Verdict;
}

/** A condition of a webhook or a policy, or an expression with a name. */
export interface MatchCondition {
  name: string;
  /** CEL. */
  expression: string;
}

/** RESIZE is an update by `pods/resize`, EVICT the creation of an Eviction. */
export type PodOperation = 'DELETE' | 'EVICT' | 'UPDATE' | 'RESIZE';

/** A request about a pod that is there. */
export type PodRequest =
  | { operation: 'DELETE' | 'EVICT'; pod: KubeObject }
  | { operation: 'UPDATE' | 'RESIZE'; pod: KubeObject; after: KubeObject };

/** A pod that is to be created. */
export interface NewPod {
  /** It may have no name yet. */
  pod: KubeObject;
  /**
   * The controllers above it, the nearest first: its own, then that of each whose resource is among `reads`. It ends at one that does
   * not exist or cannot be read. Example: a ReplicaSet, and its Deployment.
   */
  owners: readonly OwnerReference[];
  /** The valid objects in its namespace, or all of a cluster-scoped kind, by namespace and name. */
  objects: readonly KubeObject[];
  /** What `alsoReads` names, if it exists. */
  found: KubeObject | undefined;
  /** The uid of the request: what a pod without a name is recorded by. */
  requestId: string;
  /** Milliseconds since 1970. */
  now: number;
}

/**
 * The patch of the status of an object, as a merge patch, that is written before a request is allowed. If the object has changed
 * meanwhile, the rules are asked again with what it is then. The request may fail later all the same, by another webhook or
 * for a lost answer: what is on record must expire.
 */
export interface StatusRecord {
  is: 'recorded';
  status: JsonObject;
}

/** A refusal. `message`: the rest of a sentence that begins with the kind and the name of the object. */
export interface Refused {
  is: 'refused';
  message: string;
}

export type Verdict = { is: 'allowed' } | StatusRecord | Refused;

/** `object`: what is on record is written to its status, or refuses the pod. */
export type Creation =
  | { is: 'allowed'; pod: KubeObject }
  | (StatusRecord & { pod: KubeObject; object: KubeObject })
  | (Refused & { object: KubeObject });
