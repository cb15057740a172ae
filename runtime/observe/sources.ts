import type { Clock } from '../../schemas/wire/clock.ts';
import { ApiError, type Cluster, type Resource } from '../../schemas/wire/cluster.ts';
import { kindId, resourceId } from './ids.ts';
import { createOnDemand, MOST_MISSING, type OnDemand } from './on-demand.ts';
import { createReflector, type Reflector, type ReflectorOptions, type Tap } from './reflector.ts';
import type { Retention } from './retention.ts';
import type { TargetKey } from './target-key.ts';

type Keep = NonNullable<ReflectorOptions['transform']>;
type OnChange = ReflectorOptions['onChange'];

/** The watched part of a resource, and how it is cached. */
export interface Part extends Pick<ReflectorOptions, 'namespace' | 'labelSelector' | 'name' | 'tap'> {
  transform: Keep;
  onChange: OnChange;
  /** Nothing is stored of it: only its `tap` is of use. */
  isUnstored?: boolean;
  /** Little is stored of each object, and charged to nobody: whoever writes such objects has another reflector. */
  isNarrow?: boolean;
}

/** The reflectors of a process, shared by all users of a resource. */
export interface Sources {
  /**
   * Watches a resource that decisions require.
   *
   * @param isRequiredBy the targets whose decisions require it: it asks for their kind, and whether they are in a namespace. Default: all
   */
  always(
    resource: Resource,
    transform: Keep,
    onChange: OnChange,
    isRequiredBy?: (key: TargetKey) => boolean,
    tap?: Tap,
  ): Reflector;
  /** A resource that is watched from its first use on. `onKnown`: it is synced, or may not be listed. */
  onDemand(resource: Resource, part: Part, onKnown: () => void): OnDemand;
  /** All required resources are synced, or refused. False until all have been synced once. */
  readonly synced: boolean;
  /** The server refuses a resource that a target requires: without the right to it, or because it is not served. */
  isRefused(key: TargetKey): boolean;
  /**
   * All resources that the decisions about a target require are synced. False until all required resources have been
   * synced once.
   */
  isSynced(key: TargetKey): boolean;
  /** Since when the resources that a target requires have been watched without a gap, milliseconds since 1970. */
  inSyncSince(key: TargetKey): number;
  /** The reflector of a resource: of all its objects if there is one, otherwise of a part. */
  of(resource: Resource): Reflector | undefined;
  /** False: the server has answered several times in a row that it does not serve a required resource, so that it has no object. */
  isServed(resource: Resource): boolean;
  /** The first list of a required resource is still to come: nobody knows what there is. One that is not served has no object. */
  awaitsFirst(resource: Resource): boolean;
  /** Whether every decision requires this resource. */
  isAlways(resource: Resource): boolean;
  all(): Iterable<readonly [Resource, Reflector]>;
  start(): void;
  stop(): void;
}

export interface SourcesOptions {
  cluster: Cluster;
  clock: Clock;
  retention: Pick<Retention, 'oversized' | 'isNarrow' | 'release' | 'settle'>;
  random?: () => number;
  /** A resource could not be listed or watched; it is retried. */
  onError?: (resource: Resource, error: unknown) => void;
  /** A required resource is synced, or synced again. */
  onSync(): void;
  /** A resource was listed: it is watched for the first time, or again. */
  onWatched?: (resource: Resource) => void;
}

/** A resource that decisions require. */
interface Required {
  resource: Resource;
  reflector: Reflector;
  isRequiredBy(key: TargetKey): boolean;
  /** Since the last failure the server refuses it. */
  isRefused: boolean;
  /** How many failures in a row were a 404: the server does not serve it. */
  missing: number;
}

/** More kinds than are watched: users write any text as the kind that a plan is about. */
const MOST_KINDS = 100;

/**
 * Targets are woken by a bookmark so long after they were woken last: it is no news, but what the handling of an event has left undone is
 * done then. Each bookmark of each resource would have every target decided on again, which costs more than all changes.
 */
const AGAIN_MS = 10 * 60_000;

const REFUSALS: ReadonlySet<number> = new Set([403, 404]);

export function createSources(options: SourcesOptions): Sources {
  const { cluster, clock, retention, random } = options;
  const required = new Map<string, Required>();
  const demanded: { resource: Resource; isWhole: boolean; demand: OnDemand }[] = [];
  let isStarted = false;
  let wasSynced = false;
  /** When targets were woken last, by the monotonic clock. Each watch has its bookmarks at a time of its own. */
  let wokenAt = -Infinity;

  function wake(): void {
    options.onSync();
    // If it throws, the next bookmark tries again.
    wokenAt = clock.monotonic();
  }

  function reflect(
    resource: Resource,
    part: Part & Pick<ReflectorOptions, 'restsAfterLists'>,
    sinks: Pick<ReflectorOptions, 'onSync' | 'onBookmark' | 'onError'>,
  ): Reflector {
    return createReflector({
      ...part,
      ...sinks,
      cluster,
      clock,
      resource,
      ...(random === undefined ? {} : { random }),
      onSync() {
        options.onWatched?.(resource);
        sinks.onSync();
      },
      isStub: (object) => retention.oversized(object) !== undefined || retention.isNarrow(object),
      onChange(object, gone, before) {
        if (gone) retention.release(object);
        part.onChange(object, gone, before);
      },
      // A list of one object does not show which others exist, one of which nothing is stored shows none, and one that is charged to
      // nobody frees nothing.
      ...(showsAll(part) &&
        !(part.isUnstored ?? false) && {
          onListed: (has: (key: string) => boolean) => retention.settle(resource, has),
        }),
    });
  }

  const onError =
    (resource: Resource) =>
    (error: unknown): void =>
      options.onError?.(resource, error);

  function* demandedNow(): Generator<readonly [Resource, Reflector]> {
    for (const { resource, demand } of demanded)
      if (demand.reflector !== undefined) yield [resource, demand.reflector];
  }

  /** The reflector of all objects of a resource; without one, that of a single object. */
  function demandedOf(id: string): Reflector | undefined {
    const found = demanded.filter(({ resource, demand }) => demand.reflector && resourceId(resource) === id);
    return (found.find(({ isWhole }) => isWhole) ?? found[0])?.demand.reflector;
  }

  /** By the kind of targets and whether they are in a namespace: each reconcile asks for them. */
  const requiredByKind = new Map<string, readonly Required[]>();

  function requiredBy(key: TargetKey): readonly Required[] {
    const id = `${key.namespace === ''} ${kindId(key)}`;
    let found = requiredByKind.get(id);
    if (found === undefined) {
      found = [...required.values()].filter(({ isRequiredBy }) => isRequiredBy(key));
      if (requiredByKind.size >= MOST_KINDS) requiredByKind.clear();
      requiredByKind.set(id, found);
    }
    return found;
  }

  /** Slots are restored from the targets of all kinds. */
  function haveSynced(): boolean {
    wasSynced ||= areSynced([...required.values()]);
    return wasSynced;
  }

  return {
    always(resource, transform, onChange, isRequiredBy = () => true, tap) {
      const report = onError(resource);
      const sinks = {
        onSync() {
          entry.isRefused = false;
          entry.missing = 0;
          wake();
        },
        onBookmark() {
          if (clock.monotonic() - wokenAt >= AGAIN_MS) wake();
        },
        onError(error: unknown) {
          const code = error instanceof ApiError ? error.status.code : undefined;
          entry.isRefused = code !== undefined && REFUSALS.has(code);
          entry.missing = code === 404 ? entry.missing + 1 : 0;
          report(error);
        },
      };
      const reflector = reflect(resource, { transform, onChange, tap }, sinks);
      const entry: Required = { resource, reflector, isRequiredBy, isRefused: false, missing: 0 };
      required.set(resourceId(resource), entry);
      requiredByKind.clear();
      if (isStarted) reflector.start();
      return reflector;
    },
    onDemand(resource, part, onKnown) {
      // What decisions require does not rest: until it is listed, nothing protects the pods that a budget has just begun to select.
      const rested = { ...part, restsAfterLists: true };
      const demand = createOnDemand((sinks) => reflect(resource, rested, sinks), onError(resource), onKnown);
      demanded.push({ resource, isWhole: showsAll(part), demand });
      return demand;
    },
    get synced() {
      return haveSynced() && areSynced([...required.values()].filter(({ isRefused }) => !isRefused));
    },
    isRefused: (key) => requiredBy(key).some(({ isRefused }) => isRefused),
    isSynced: (key) => haveSynced() && areSynced(requiredBy(key)),
    inSyncSince: (key) => Math.max(...requiredBy(key).map(({ reflector }) => reflector.syncedSince)),
    of(resource) {
      const id = resourceId(resource);
      return required.get(id)?.reflector ?? demandedOf(id);
    },
    isServed: (resource) => (required.get(resourceId(resource))?.missing ?? 0) < MOST_MISSING,
    awaitsFirst(resource) {
      const entry = required.get(resourceId(resource));
      return entry !== undefined && entry.reflector.listed === 0 && entry.missing < MOST_MISSING;
    },
    isAlways: (resource) => required.has(resourceId(resource)),
    *all() {
      for (const { resource, reflector } of required.values()) yield [resource, reflector];
      yield* demandedNow();
    },
    start() {
      isStarted = true;
      for (const { reflector } of required.values()) reflector.start();
    },
    stop() {
      isStarted = false;
      for (const { reflector } of required.values()) reflector.stop();
      for (const [, reflector] of demandedNow()) reflector.stop();
    },
  };
}

/** Whether it shows all objects of its resource, as users of the resource need them. */
function showsAll({ name, isNarrow = false }: Part): boolean {
  return name === undefined && !isNarrow;
}

function areSynced(required: readonly Required[]): boolean {
  return required.every(({ reflector }) => reflector.synced);
}
