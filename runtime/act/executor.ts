import { ApiError, type Cluster, type Resource } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type {
  Action,
  CreateAction,
  EventDraft,
  ReserveAction,
  WrittenKind,
} from '../../semantics/decision.ts';
import { isInNone } from '../../semantics/registry/registry.ts';
import { controllerId, controllerOf } from '../../semantics/owner.ts';
import { canonicalJson } from '../../semantics/values/canonical-json.ts';
import { isConflictOrNotFound } from './conflict.ts';
import { groupedCreates, isAboutOne } from './creations.ts';
import { writeBarrier } from './barrier.ts';
import { runFirst } from './commands.ts';
import { listedByName } from './listed.ts';
import { readNewer } from './newer-record.ts';
import { type ObservedVersions, withObservedVersions } from './observed-versions.ts';

export interface ExecutedAction {
  action: Action;
  /** Undefined: conflict or not found; the next reconcile decides again. */
  written: KubeObject | undefined;
}

export interface ExecuteOptions {
  cluster: Cluster;
  /** The namespace of the objects, unless the action names another. */
  namespace: string;
  fieldManager: string;
  /** Called after each write with what the server returned: its metadata at least. */
  onWritten(resource: Resource, object: KubeObject | undefined): void;
  /** The name that an action would create belongs to an object of another owner. */
  onNameTaken(name: string, action: CreateAction): void;
  onRefused(action: Action, error: ApiError): Promise<void>;
  /** When the create of this name was last refused, as a number that grows; 0: it was not. Default: none was. */
  lastRefused?(name: string): number;
  /** Whether the cached object has the version that the action was decided on. Default: it has. */
  isCurrent?(action: Action): boolean;
  /** The write ended with a conflict or not found. */
  onConflict?(action: Action): void;
  /** The write was not sent: a reservation that it requires was not accepted. */
  onSkipped?(action: Action): void;
  /** The server accepted the write. */
  onExecuted?(action: Action): void;
  /** The versions that the actions were decided on. */
  observed: ObservedVersions;
}

const byKind: Record<Exclude<WrittenKind, 'Child' | 'Target' | 'Influence'>, Resource> = {
  Pod: resources.Pod,
  PersistentVolumeClaim: resources.PersistentVolumeClaim,
  ConfigMap: resources.ConfigMap,
  ControllerRevision: resources.ControllerRevision,
};

/** Patches and deletes in flight at once. */
const PARALLEL = 16;

/** So many creates of one revision may be refused in a row, each for itself, before the others wait for the next reconcile. */
const MOST_REFUSED = 3;

/**
 * Executes actions in order: at most sixteen patches and deletes at a time, each sent as soon as an earlier one has ended;
 * creates in batches of 1, 2, 4 …, so that an exceeded quota does not refuse a hundred requests (as OpenKruise does, rule
 * 6.4 step 4). Creates are never in flight together with patches or deletes.
 *
 * A refused create stops nothing but creates like it: those of another revision have batches of their own. Of the same
 * revision others are tried one by one, as what refuses one may be about that one only; a quota is about all.
 *
 * Copies are in a namespace each, and are created like other actions.
 *
 * A reservation is sent once, and what requires it waits for the answer (`requires`). Where it is not accepted, all else goes on.
 *
 * A conflict or not found ends that action and no other; `conflicts` counts them, and the actions that were not sent
 * because the cached object had changed. Any other error is thrown after everything else was tried.
 */
export async function execute(
  actions: readonly Action[],
  options: ExecuteOptions,
): Promise<{ events: EventDraft[]; conflicts: number }> {
  const events: EventDraft[] = [];
  let conflicts = 0;
  const errors: unknown[] = [];
  const reservations = new Map<ReserveAction, Promise<Outcome>>();

  /** Sends a reservation, unless it was sent before. */
  function reserved(action: ReserveAction): Promise<Outcome> {
    const sent = reservations.get(action) ?? sendAfter(action);
    reservations.set(action, sent);
    return sent;
  }

  /** Sends a reservation once those before it were accepted. What became of them is its outcome otherwise. */
  async function sendAfter(action: ReserveAction): Promise<Outcome> {
    const before = await Promise.all((action.requires ?? []).map(reserved));
    const failed = before.find((outcome) => outcome !== 'accepted');
    if (failed === undefined) return send(action);
    options.onSkipped?.(action);
    return failed;
  }

  /** Whether the reservations let an action follow. */
  async function mayFollow({ do: what, requires = [] }: Action): Promise<boolean> {
    const outcomes = await Promise.all(requires.map(reserved));
    return outcomes.every(
      (outcome) => outcome === 'accepted' || (what === 'create' && outcome !== 'conflict'),
    );
  }

  /** Executes one action and the actions chained to it. Returns the error that ended it. */
  async function carryOut(action: Action): Promise<unknown> {
    if (options.isCurrent?.(action) === false) {
      conflicts += 1;
      return undefined;
    }
    const isReservation = action.do === 'reserve';
    if (!isReservation && action.requires !== undefined && !(await mayFollow(action))) {
      options.onSkipped?.(action);
      return undefined;
    }
    const outcome = await (isReservation ? reserved(action) : send(action));
    return typeof outcome === 'string' ? undefined : outcome.error;
  }

  async function send(action: Action): Promise<Outcome> {
    let current: Action | undefined = action;
    while (current !== undefined) {
      const acting: Action = current;
      current = undefined;
      try {
        const written = await act(acting, options);
        if (written === 'conflict') {
          conflicts += 1;
          options.onConflict?.(acting);
          return 'conflict';
        }
        options.onExecuted?.(acting);
        if (acting.event !== undefined) events.push(acting.event);
        current = following(acting, written);
      } catch (error) {
        errors.push(error);
        // A failed report must not abort the other actions.
        if (error instanceof ApiError)
          await options.onRefused(acting, error).catch((later: unknown) => errors.push(later));
        return { error };
      }
    }
    return 'accepted';
  }

  /** Creates of one revision, in batches that grow until the first refusal. */
  async function create(alike: readonly Action[]): Promise<void> {
    let refused = 0;
    for (let start = 0, size = 1; start < alike.length; start += size) {
      if (start > 0) size = refused > 0 ? 1 : size * 2;
      const failed = (await Promise.all(alike.slice(start, start + size).map(carryOut))).filter(
        (error) => error !== undefined,
      );
      refused += failed.length;
      if (refused >= MOST_REFUSED || !failed.every(isAboutOne)) return;
    }
  }

  for (const stretch of stretches(actions)) {
    if (stretch[0]?.do !== 'create') {
      await inParallel(stretch, PARALLEL, carryOut);
      continue;
    }
    const groups = groupedCreates(stretch, options.lastRefused);
    const isOfCopies = (alike: readonly Action[]): boolean => alike[0]?.isCopy === true;
    for (const alike of groups) if (!isOfCopies(alike)) await create(alike);
    await inParallel(groups.filter(isOfCopies), PARALLEL, create);
  }
  if (errors.length > 0) throw errors[0];
  return { events, conflicts };
}

/** What has become of an action and those chained to it. */
type Outcome = 'accepted' | 'conflict' | { error: unknown };

/** Splits actions into alternating runs of creates and of other actions. */
function* stretches(actions: readonly Action[]): Generator<readonly Action[]> {
  for (let start = 0, end = 0; start < actions.length; start = end) {
    const creates = actions[start]?.do === 'create';
    while (end < actions.length && (actions[end]?.do === 'create') === creates) end++;
    yield actions.slice(start, end);
  }
}

/** Runs all items in order, `width` at a time. `run` never rejects. */
async function inParallel<Item>(
  items: readonly Item[],
  width: number,
  run: (item: Item) => Promise<unknown>,
): Promise<void> {
  const rest = items.values();
  const lane = async (): Promise<void> => {
    for (const item of rest) await run(item);
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, lane));
}

/** The action chained to a write: a patch requires the version just written, others have no precondition. */
function following(action: Action, written: KubeObject | undefined): Action | undefined {
  if (action.do === 'create') return action.next;
  if (action.do !== 'patch' || action.next === undefined) return undefined;
  if (action.next.do === 'exec') return action.next;
  const metadata = (action.next.body['metadata'] ?? {}) as JsonObject;
  const { resourceVersion } = written?.metadata ?? {};
  if (resourceVersion === undefined) return undefined;
  return { ...action.next, body: { ...action.next.body, metadata: { ...metadata, resourceVersion } } };
}

/** Sends one write. Returns what the server returned, or `conflict` for a conflict or not found. */
async function act(action: Action, options: ExecuteOptions): Promise<KubeObject | undefined | 'conflict'> {
  const { cluster, namespace, fieldManager, onWritten, observed } = options;
  const resource = resourceOf(action);
  // Only the version of the written object is needed: the watch delivers the object.
  const answer = 'metadata';
  const written = (object: KubeObject | undefined): KubeObject | undefined => {
    onWritten(resource, object);
    return object;
  };
  try {
    switch (action.do) {
      case 'create': {
        if (action.kind === 'ConfigMap') {
          await writeBarrier(within(action.object, namespace), {
            cluster,
            fieldManager,
          });
          return undefined;
        }
        if (action.asksFirst === true && (await isOccupied(action, resource, options))) return 'conflict';
        const isRecord = action.kind === 'ControllerRevision';
        const object = isRecord ? withObservedVersions(action.object, observed) : action.object;
        return written(await cluster.create(resource, within(object, namespace), { fieldManager, answer }));
      }
      case 'reserve': {
        const at = { namespace: action.namespace ?? namespace, name: action.name };
        const { subresource, body } = action;
        const how = { fieldManager, answer, ...(subresource !== undefined && { subresource }) } as const;
        return written(await cluster.patch(resource, at, { type: 'merge', body }, how));
      }
      case 'patch': {
        const at = { namespace: action.namespace ?? namespace, name: action.name };
        const patch =
          action.kind === 'ControllerRevision'
            ? ({ type: 'merge', body: withObservedVersions(action.body, observed) } as const)
            : // Custom resources do not support strategic merge patches.
              ({ type: isCustom(action) ? 'merge' : 'strategic', body: action.body } as const);
        const subresource = action.subresource === undefined ? {} : { subresource: action.subresource };
        return written(await cluster.patch(resource, at, patch, { fieldManager, answer, ...subresource }));
      }
      case 'delete': {
        const { uid, resourceVersion, propagationPolicy } = action;
        const at = { namespace: action.namespace ?? namespace, name: action.name };
        const how = propagationPolicy === undefined ? {} : { propagationPolicy };
        return written(await cluster.delete(resource, at, { uid, resourceVersion, ...how }));
      }
      case 'exec':
        await runFirst(action, { namespace: action.namespace ?? namespace, name: action.name }, cluster);
        return undefined;
    }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (action.do === 'create' && error.status.reason === 'AlreadyExists') {
      if (action.kind !== 'ConfigMap')
        await checkExisting(action, within(action.object, namespace), resource, options);
      return 'conflict';
    }
    if (!isConflictOrNotFound(error)) throw error;
    if (action.do !== 'create' && action.kind === 'ControllerRevision')
      await readNewer(resource, { namespace: action.namespace ?? namespace, name: action.name }, options);
    return 'conflict';
  }
}

/** Whether an action is about an object that is no built-in one of the rules. */
function isCustom({ kind }: Action): boolean {
  return kind === 'Child' || kind === 'Target';
}

function resourceOf({ kind, resource }: Action): Resource {
  if (kind !== 'Child' && kind !== 'Target' && kind !== 'Influence') return byKind[kind];
  if (resource === undefined) throw new Error(`an action on a ${kind.toLowerCase()} object has no resource`);
  return resource;
}

/** The object with its namespace set, by default to the given one. */
function within(object: KubeObject, namespace: string): KubeObject {
  return { ...object, metadata: { ...object.metadata, namespace: object.metadata.namespace ?? namespace } };
}

/** An existing name is our own earlier create (after a crash, or not in the cache yet), or taken by another owner. */
async function checkExisting(
  action: CreateAction,
  wanted: KubeObject,
  resource: Resource,
  options: ExecuteOptions,
): Promise<void> {
  const { namespace, name } = wanted.metadata;
  const at = { ...(namespace === undefined ? {} : { namespace }), name };
  const found =
    action.isCopy === true
      ? await listedByName(options.cluster, resource, at)
      : await options.cluster.get(resource, at);
  // It was deleted meanwhile.
  if (found === undefined) return;
  if (controllerId(found, isInNone) === controllerId(wanted, isInNone))
    options.onWritten(
      resource,
      action.isCopy === true ? await labelled(found, wanted, resource, options) : found,
    );
  else if (action.adoptsEqual !== true || !isEqualOrphan(found, wanted)) options.onNameTaken(name, action);
}

/** Whether the object that had the name of a copy is still there, and of another owner. */
async function isOccupied(
  action: CreateAction,
  resource: Resource,
  options: ExecuteOptions,
): Promise<boolean> {
  const { namespace = options.namespace, name } = action.object.metadata;
  const found = await listedByName(options.cluster, resource, { namespace, name });
  if (found === undefined || controllerId(found, isInNone) === controllerId(action.object, isInNone))
    return false;
  options.onNameTaken(name, action);
  return true;
}

/** Gives an object the labels of the wanted one: without them it is not watched. It changes nothing where it has them. */
async function labelled(
  { metadata }: KubeObject,
  wanted: KubeObject,
  resource: Resource,
  { cluster, fieldManager }: ExecuteOptions,
): Promise<KubeObject | undefined> {
  const { name, namespace = '', uid = '', resourceVersion = '' } = metadata;
  const body = { metadata: { uid, resourceVersion, labels: wanted.metadata.labels ?? {} } };
  return cluster.patch(
    resource,
    { namespace, name },
    { type: 'merge', body },
    { fieldManager, answer: 'metadata' },
  );
}

/** Whether an object has no controller, and the content and labels of the wanted one. */
function isEqualOrphan(found: KubeObject, wanted: KubeObject): boolean {
  const { labels = {} } = wanted.metadata;
  return (
    controllerOf(found) === undefined &&
    found.metadata.deletionTimestamp === undefined &&
    canonicalJson(found['data'] ?? null) === canonicalJson(wanted['data'] ?? null) &&
    Object.entries(labels).every(([key, value]) => found.metadata.labels?.[key] === value)
  );
}
