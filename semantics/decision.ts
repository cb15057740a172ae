import type { JsonObject } from '../schemas/wire/json.ts';
import type { Resource } from '../schemas/wire/cluster.ts';
import type { KubeObject } from '../schemas/wire/object.ts';

/**
 * The built-in kinds a decision writes, and `Child`: an object of another kind that the target controls. The target's own
 * status and the plan's memory travel apart.
 */
export type ActedOn = 'Pod' | 'PersistentVolumeClaim' | 'ControllerRevision' | 'Child';

/** A Kubernetes Event to send once the action it stands beside has been accepted by the server. */
export interface EventDraft {
  type: 'Normal' | 'Warning';
  reason: string;
  message: string;
}

interface ActionBase {
  kind: ActedOn;
  /** Of a child, and of nothing else. A child is patched by a merge patch. */
  resource?: Resource;
  /** Of what is patched or deleted. Default: that of the target, and of a target in none that of its memory. */
  namespace?: string;
  /** A few words for logs and stories: `drain`, `update in place`, `mark for deletion`. */
  verb: string;
  /** The rule that decided it, as a sentence a person can check. */
  reason: string;
  event?: EventDraft;
  /** It gives a pod back to its traffic: where not all can be done at once, this comes first. */
  opens?: boolean;
}

/**
 * What to do, as data. Every patch and delete carries the uid and resourceVersion it was decided on, every create a
 * derived name, so that an action taken twice meets a 409 instead of happening twice. The patch that opens the gates of a
 * new pod carries the uid alone: taken twice, it changes nothing.
 */
export type Action = CreateAction | PatchAction | DeleteAction;

export interface CreateAction extends ActionBase {
  do: 'create';
  object: KubeObject;
  /** What is made once this is there, and not without it: a pod after its claims. */
  next?: CreateAction;
}

export interface DeleteAction extends ActionBase {
  do: 'delete';
  name: string;
  uid: string;
  resourceVersion: string;
  /** Fewer are wanted: that it is gone is no loss. */
  scalesIn?: boolean;
}

export interface PatchAction extends ActionBase {
  do: 'patch';
  name: string;
  subresource?: 'status';
  body: JsonObject;
  /**
   * What follows at once, on the version that this write has made: decided on the same object, and not sent when this one
   * was refused. Whoever looks in between sees an object that still needs it.
   */
  next?: PatchAction;
}

/** The writes of a decision, one after the other, with those that follow another at once. */
export function inSequence(actions: readonly Action[]): Action[] {
  return actions.flatMap((action) =>
    action.do !== 'delete' && action.next !== undefined ? [action, ...inSequence([action.next])] : [action],
  );
}

/** The names of what these actions make. */
export function createdBy(actions: readonly Action[]): string[] {
  return inSequence(actions).flatMap((action) =>
    action.do === 'create' ? [action.object.metadata.name] : [],
  );
}

/** Why something was *not* done: shown by status and explain beside the actions. */
export interface Explanation {
  about: string;
  reason: string;
  /** The target asks for what cannot be: said on the target, too. */
  failure?: string;
  /** What a pod that is missing has waited for too long: said on the target, too. */
  isDelayed?: string;
}

/** The result of one look at a target: everything to do now, and what to say. `status` is the whole desired status. */
export interface Decision<Status> {
  actions: Action[];
  status: Status;
  explanations: Explanation[];
  /** What is worth an Event though nothing is done. */
  events?: EventDraft[];
  /** When to look again although nothing changed, in milliseconds since 1970; undefined = only on a change. */
  requeueAt?: number;
}
