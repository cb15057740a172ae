import { ApiError, type Cluster, type Resource } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { Action, ActedOn, EventDraft } from '../../semantics/decision.ts';
import { isInNone } from '../../semantics/kinds/registry.ts';
import { controllerId } from '../../semantics/owner.ts';
import { isConflictOrNotFound } from './conflict.ts';
import { type ObservedVersions, withObservedVersions } from './observed-versions.ts';

export interface ExecutedAction {
  action: Action;
  /** Undefined: refused because the world had moved on (409, 404); the next look decides anew. */
  written: KubeObject | undefined;
}

export interface ExecuteOptions {
  cluster: Cluster;
  /** Where what is acted on is, unless it says so itself. */
  namespace: string;
  fieldManager: string;
  /** Called after each write with what the server returned: its metadata at least. */
  onWritten(resource: Resource, object: KubeObject | undefined): void;
  /** A derived name belongs to an object that is not ours. */
  onNameTaken(name: string): void;
  onRefused(action: Action, error: ApiError): Promise<void>;
  /** Whether the object is still as it was when the action was decided, as far as this process knows; default: it is. */
  isCurrent?(action: Action): boolean;
  /** Somebody else was first. */
  onConflict?(action: Action): void;
  /** The server did it. */
  onExecuted?(action: Action): void;
  /** What the actions were decided on. */
  observed: ObservedVersions;
}

const byKind: Record<Exclude<ActedOn, 'Child'>, Resource> = {
  Pod: resources.Pod,
  PersistentVolumeClaim: resources.PersistentVolumeClaim,
  ControllerRevision: resources.ControllerRevision,
};

/** Patches and deletes in flight at once. */
const PARALLEL = 16;

/**
 * Carries actions out in their order: patches and deletes at most sixteen at a time, each sent as soon as one before it has
 * ended; creates in batches of 1, 2, 4 … so that a quota that refuses the first one is not asked a hundred times
 * (as OpenKruise does, rule 6.4 step 4). A create never meets a patch or delete that is under way, nor they one.
 *
 * A refusal that only says "the world has moved on" ends that action and no other; `movedOn` counts them, and those that
 * were not sent because it is known already. Any other error, once everything else was tried, is thrown.
 */
export async function execute(
  actions: readonly Action[],
  options: ExecuteOptions,
): Promise<{ events: EventDraft[]; movedOn: number }> {
  const events: EventDraft[] = [];
  let refused = 0;
  const errors: unknown[] = [];

  /** One action, and what follows it at once. */
  async function carryOut(action: Action): Promise<void> {
    if (options.isCurrent?.(action) === false) {
      refused += 1;
      return;
    }
    let current: Action | undefined = action;
    while (current !== undefined) {
      const acting: Action = current;
      current = undefined;
      try {
        const written = await act(acting, options);
        if (written === 'moved on') {
          refused += 1;
          options.onConflict?.(acting);
          return;
        }
        options.onExecuted?.(acting);
        if (acting.event !== undefined) events.push(acting.event);
        current = following(acting, written);
      } catch (error) {
        errors.push(error);
        // The others are waited for, whatever becomes of telling this.
        if (error instanceof ApiError)
          await options.onRefused(acting, error).catch((later: unknown) => errors.push(later));
      }
    }
  }

  for (const stretch of stretches(actions)) {
    if (stretch[0]?.do !== 'create') {
      await inParallel(stretch, PARALLEL, carryOut);
      continue;
    }
    const before = errors.length;
    for (let start = 0, size = 1; start < stretch.length && errors.length === before; size *= 2) {
      await Promise.all(stretch.slice(start, start + size).map(carryOut));
      start += size;
    }
    if (errors.length > before) break;
  }
  if (errors.length > 0) throw errors[0];
  return { events, movedOn: refused };
}

/** Creates that follow each other, and what is between them. */
function* stretches(actions: readonly Action[]): Generator<readonly Action[]> {
  for (let start = 0, end = 0; start < actions.length; start = end) {
    const creates = actions[start]?.do === 'create';
    while (end < actions.length && (actions[end]?.do === 'create') === creates) end++;
    yield actions.slice(start, end);
  }
}

/** Runs over all of them in order, so many at once. `run` never rejects. */
async function inParallel<Item>(
  items: readonly Item[],
  width: number,
  run: (item: Item) => Promise<void>,
): Promise<void> {
  const rest = items.values();
  const lane = async (): Promise<void> => {
    for (const item of rest) await run(item);
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, lane));
}

/** What follows a write at once: a patch is bound to the version that was made, something new to nothing. */
function following(action: Action, written: KubeObject | undefined): Action | undefined {
  if (action.do === 'create') return action.next;
  if (action.do !== 'patch' || action.next === undefined) return undefined;
  const metadata = (action.next.body['metadata'] ?? {}) as JsonObject;
  const { resourceVersion } = written?.metadata ?? {};
  if (resourceVersion === undefined) return undefined;
  return { ...action.next, body: { ...action.next.body, metadata: { ...metadata, resourceVersion } } };
}

/** One write, and what the server returned; or it was refused because somebody else was first, which the next look will see. */
async function act(action: Action, options: ExecuteOptions): Promise<KubeObject | undefined | 'moved on'> {
  const { cluster, namespace, fieldManager, onWritten, observed } = options;
  const resource = resourceOf(action);
  // A write is followed by its version alone: what has become of the object, the watch says.
  const answer = 'metadata';
  const written = (object: KubeObject | undefined): KubeObject | undefined => {
    onWritten(resource, object);
    return object;
  };
  try {
    switch (action.do) {
      case 'create': {
        const remembers = action.kind === 'ControllerRevision';
        const object = remembers ? withObservedVersions(action.object, observed) : action.object;
        return written(await cluster.create(resource, within(object, namespace), { fieldManager, answer }));
      }
      case 'patch': {
        const at = { namespace: action.namespace ?? namespace, name: action.name };
        const patch =
          action.kind === 'ControllerRevision'
            ? ({ type: 'merge', body: withObservedVersions(action.body, observed) } as const)
            : // No custom resource takes a strategic patch.
              ({ type: action.kind === 'Child' ? 'merge' : 'strategic', body: action.body } as const);
        const subresource = action.subresource === undefined ? {} : { subresource: action.subresource };
        return written(await cluster.patch(resource, at, patch, { fieldManager, answer, ...subresource }));
      }
      case 'delete': {
        const { uid, resourceVersion } = action;
        const at = { namespace: action.namespace ?? namespace, name: action.name };
        return written(await cluster.delete(resource, at, { uid, resourceVersion }));
      }
    }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (action.do === 'create' && error.status.reason === 'AlreadyExists') {
      await meetOwn(within(action.object, namespace), resource, options);
      return 'moved on';
    }
    if (isConflictOrNotFound(error)) return 'moved on';
    throw error;
  }
}

function resourceOf({ kind, resource }: Action): Resource {
  if (kind !== 'Child') return byKind[kind];
  if (resource === undefined) throw new Error('an action about a child does not say of which resource it is');
  return resource;
}

/** What a target in no namespace decides on has none either, unless it is of another. */
function within(object: KubeObject, namespace: string): KubeObject {
  return { ...object, metadata: { ...object.metadata, namespace: object.metadata.namespace ?? namespace } };
}

/** A name that exists is our own earlier create (after a crash, or not seen yet), or somebody else's: then it is passed over. */
async function meetOwn(wanted: KubeObject, resource: Resource, options: ExecuteOptions): Promise<void> {
  const { namespace, name } = wanted.metadata;
  const found = await options.cluster.get(resource, {
    ...(namespace === undefined ? {} : { namespace }),
    name,
  });
  if (controllerId(found, isInNone) === controllerId(wanted, isInNone)) options.onWritten(resource, found);
  else options.onNameTaken(name);
}
