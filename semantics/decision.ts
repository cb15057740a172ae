import type { JsonObject } from '../schemas/wire/json.ts';
import type { Resource } from '../schemas/wire/cluster.ts';
import type { KubeObject } from '../schemas/wire/object.ts';

/**
 * The built-in kinds that a decision writes; `Child`: an object of another kind that the target controls; `Target`: the
 * target itself, which is deleted, or whose metadata are written; `Influence`: an object of a kind that influences others, whose status records what
 * is about to be done. The status of the target and the records of plans are not written by actions.
 */
export type WrittenKind =
  | 'Pod'
  | 'PersistentVolumeClaim'
  | 'ConfigMap'
  | 'ControllerRevision'
  | 'Child'
  | 'Target'
  | 'Influence';

/** A Kubernetes Event, to be sent once the server has accepted the action that it belongs to. */
export interface EventDraft {
  type: 'Normal' | 'Warning';
  reason: string;
  message: string;
}

interface ActionBase {
  kind: WrittenKind;
  /** Only of a child and of the target, which are patched by merge patches, and of an influence. */
  resource?: Resource;
  /** Namespace of the patched or deleted object, and of a copy. Default: that of the target, or of its records if the target has none. */
  namespace?: string;
  /** What the action does, for the log: `drain`, `update in place`, `mark for deletion`. */
  verb: string;
  /** Why the action is taken, as a sentence for users. */
  reason: string;
  event?: EventDraft;
  /**
   * Of a child: each namespace has one of its name, so that what refuses it is about its namespace alone, and is reported by
   * namespace. One that exists already and is the target's own gets the labels that it should have.
   */
  isCopy?: true;
  /** It lets a pod receive traffic again: if not all writes fit into one batch, it comes first. */
  restoresTraffic?: boolean;
  /** The target is as it should be without it: what refuses it is reported, and holds nothing else up. */
  isAside?: true;
  /**
   * Reservations of the same decision that come before it. A patch, a deletion or a reservation is sent only if all of them were accepted. A
   * creation waits only where one was a conflict: what refuses a reservation for good must not keep pods from being created.
   */
  requires?: readonly ReserveAction[];
}

/**
 * What to do, as data. Every patch and delete carries the uid and resourceVersion that it was decided on, and every create
 * has a derived name. If an action is executed twice, the second attempt gets a 409. The patch that opens the gates of a new
 * pod carries the uid only: executed twice, it changes nothing.
 */
export type Action = CreateAction | PatchAction | DeleteAction | ReserveAction | ExecAction;

/** A ConfigMap of a pod that exists is made as the object says (`barrierOver`); that of others stays, and is refused. */
export interface CreateAction extends ActionBase {
  do: 'create';
  object: KubeObject;
  /**
   * An object of this name and content that has no controller is adopted once it is observed: its name is not taken.
   */
  adoptsEqual?: true;
  /** The objects that have changed the pod, each by its kind and name: what a server refuses may be theirs. */
  shapedBy?: readonly string[];
  /** An object of another owner had the name: whether it still has is asked first. */
  asksFirst?: true;
  /** What follows, only if this succeeds: a pod after its claims, or the record of what was released. */
  next?: CreateAction | PatchAction;
}

export interface DeleteAction extends ActionBase {
  do: 'delete';
  name: string;
  uid: string;
  resourceVersion: string;
  /** A scale-in: the deletion does not count as a loss. */
  scalesIn?: boolean;
  /** What becomes of the objects that it controls. Default: that of its kind, which for a Job of Kubernetes is Orphan. */
  propagationPolicy?: 'Background';
}

export interface PatchAction extends ActionBase {
  do: 'patch';
  name: string;
  subresource?: 'status' | 'resize';
  body: JsonObject;
  /**
   * It makes the target the controller of the object. It is sent only after the server was asked whether the target still
   * exists and is not being deleted: what a deletion has orphaned must not be taken back.
   */
  adopts?: true;
  /**
   * What follows at once. A patch does on the version that this one results in. It was decided on the same object, and is not
   * sent if this patch is refused. A reconcile in between would decide on it again.
   */
  next?: PatchAction | ExecAction;
}

/**
 * Runs a command in a container. It follows the patch that records it, and is never decided again: what is on record may have been
 * carried out.
 */
export interface ExecAction extends ActionBase {
  do: 'exec';
  kind: 'Pod';
  name: string;
  uid: string;
  container: string;
  /** The instance that it was decided about: it runs in no other. */
  containerID: string;
  /** Equal ones: the first whose program the container has is run. */
  commands: readonly (readonly string[])[];
}

/**
 * Records in the status of an object that influences others what this decision is about to do: that pods become unavailable, or
 * are created. A merge patch. It comes first, and what it is for follows only if it is accepted (`requires`).
 */
export interface ReserveAction extends ActionBase {
  do: 'reserve';
  kind: 'Influence';
  resource: Resource;
  name: string;
  /** Undefined: the object itself, where what it limits others to is in its spec. */
  subresource: 'status' | undefined;
  body: JsonObject;
}

/** The writes of a decision in their order, including those in `next`. */
export function inSequence(actions: readonly Action[]): Action[] {
  return actions.flatMap((action) =>
    'next' in action && action.next !== undefined ? [action, ...inSequence([action.next])] : [action],
  );
}

/** The names of the objects that these actions create. */
export function createdBy(actions: readonly Action[]): string[] {
  return inSequence(actions).flatMap((action) =>
    action.do === 'create' ? [action.object.metadata.name] : [],
  );
}

/** Why something was *not* done. It is shown together with the actions. */
export interface Explanation {
  about: string;
  reason: string;
  /** The target requests something impossible: the message of a condition on the target. */
  failure?: string;
  /** A missing pod has waited too long: the message of a condition on the target. */
  delay?: string;
}

/** What the rules of a kind decide in one reconcile. `status` is the whole desired status. */
export interface Decision<Status> {
  actions: Action[];
  status: Status;
  explanations: Explanation[];
  /** Events that belong to no action. */
  events?: EventDraft[];
  /** When to reconcile again even if nothing changes, milliseconds since 1970; undefined: only after a change. */
  requeueAt?: number;
  /** More is to be written than these actions: once they are, the next decision follows. Default: nothing else is. */
  isPart?: boolean;
}
