import type { Clock } from '../../schemas/wire/clock.ts';
import {
  ApiError,
  type Cluster,
  type ListOptions,
  type ObjectKey,
  type Resource,
  type WatchHandle,
} from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { createBackoff } from './backoff.ts';
import { keyOf } from './ids.ts';
import { listAll } from './list-all.ts';
import { createSingleReads } from './single-reads.ts';

export interface ReflectorOptions {
  cluster: Cluster;
  clock: Clock;
  resource: Resource;
  /** The watched namespace. Default: all. */
  namespace?: string;
  /** In string form; asked for each list. Undefined: all objects. */
  labelSelector?(): string | undefined;
  /** Watches only the object of this name. */
  name?: string;
  /** Names of tenants request its lists: after each one it rests. Default: it does not. */
  restsAfterLists?: boolean;
  /** A random number in [0, 1), for jitter: it adds up to half of a pause. Default: no jitter. */
  random?: () => number;
  /**
   * The part of an object that is stored and passed to `onChange`, with name, namespace and version at least; undefined: the
   * object is ignored. Default: the whole object.
   *
   * @param before the stored object; of a list it is not known
   */
  transform?(object: KubeObject, before?: KubeObject): KubeObject | undefined;
  /** Is shown every object, whether it is stored or not. */
  tap?: Tap | undefined;
  /** A list is complete; `has` returns whether an object of a key exists. */
  onListed?(has: (key: string) => boolean): void;
  /** Whether a later list may store more of the same version of an object. Default: never. */
  isStub?(object: KubeObject): boolean;
  /**
   * Called for every created, changed or deleted object after the store was updated; if `gone`, `object` is its last state.
   * `before`: the stored object before.
   */
  onChange(object: KubeObject, gone: boolean, before: KubeObject | undefined): void;
  /** Called after a complete list, and when a lost watch is open again. */
  onSync(): void;
  /** Called with every bookmark of a watch that is open: it is no news, but the watch is alive. */
  onBookmark?: () => void;
  /** Called with refusals of the server, lost connections, and errors thrown by `onChange` or `onSync`. */
  onError?(error: unknown): void;
}

/** Observes all objects of a reflector beside its store. */
export interface Tap {
  /** False: nothing is needed of it now. */
  readonly isOpen: boolean;
  /** An object was listed, created, changed or deleted. */
  see(object: KubeObject, gone: boolean): void;
  /** A list is complete: others than these, by `keyOf`, do not exist. */
  settle(keys: ReadonlySet<string>): void;
}

/** A cache of a resource: complete once `synced`, updated only by list and watch. */
export interface Reflector {
  readonly synced: boolean;
  /** Since when it has been watched without a gap, milliseconds since 1970; meaningless while not synced. */
  readonly syncedSince: number;
  /** The newest version observed by event, bookmark or list. */
  readonly version: number;
  /** When the last complete list began, by the monotonic clock; -Infinity: there is none. */
  readonly listBegunAt: number;
  /** How often `onChange` or `onSync` threw. */
  readonly handlerErrors: number;
  get(key: string): KubeObject | undefined;
  values(): Iterable<KubeObject>;
  /** The ordinal, from 1, of the last complete list; 0: none is complete. */
  readonly listed: number;
  /** Lists again, because the watch lags behind. Does nothing while a list is in progress. */
  relist(): void;
  /**
   * Lists again, because `transform` or `labelSelector` lets in more objects than before: a list in progress is followed by
   * another. Everything is stored once `listed` reaches the returned ordinal. With `restsAfterLists` the next one waits nine times as
   * long as that took, for a minute at most.
   */
  listAgain(): number;
  /**
   * Reads one object, because `transform` lets in more of it than before. `then` is called once, with an ordinal: what there is of the
   * object is stored once `listed` reaches it. It is 0 when that is so already; otherwise all are listed again, as after `listAgain`.
   */
  read(at: ObjectKey, then: (shownBy: number) => void): void;
  start(): void;
  stop(): void;
}

/** How many objects of a list are processed before the reflector yields. */
const YIELD_AFTER = 100;
/** A watch that was open for this long and was closed in order is opened again at once. */
const CALM_MS = 5_000;
/** Names of tenants request lists, and they may make up others without end: lists take a tenth of the time. */
const REST_SHARE = 9;
const LONGEST_REST_MS = 60_000;
/** Missed events arrive right after a watch is open again; the cache counts as synced only after this time. */
const CATCH_UP_MS = 100;

/**
 * Lists, then watches. A watch that was closed in order is resumed; a lost one is resumed too, and the cache is not synced
 * until then; one that expired or was refused is followed by a list, which also reports deleted objects. Failures are
 * retried with exponential backoff up to half a minute. Every start lists without a resourceVersion.
 */
export function createReflector(options: ReflectorOptions): Reflector {
  const { cluster, clock, resource, random = () => 0, onError = () => {}, isStub = () => false } = options;
  const transform = options.transform ?? ((object: KubeObject): KubeObject | undefined => object);
  const { namespace, name, tap } = options;
  /** The scope of the last list, and of the watches that follow it. */
  let scope: Pick<ListOptions, 'namespace' | 'labelSelector' | 'fieldSelector'> = {};
  const store = new Map<string, KubeObject>();
  const backoff = createBackoff(clock, random);
  let version = 0;
  let listBegunAt = -Infinity;
  let startedLists = 0;
  let listed = 0;
  /** A list begins as soon as none is in progress. */
  let wantsList = false;
  /** When the next list on request may begin, by the monotonic clock. */
  let restUntil = -Infinity;
  let cancelRest = (): void => {};
  let synced = false;
  let syncedSince = 0;
  let stopped = true;
  let watch: WatchHandle | undefined;
  let handlerErrors = 0;

  /** Calls a handler; its error does not end the watch. */
  function notify(handler: () => void): void {
    try {
      handler();
    } catch (error) {
      handlerErrors += 1;
      onError(error);
    }
  }

  function change(object: KubeObject, gone: boolean, before: KubeObject | undefined): void {
    notify(() => options.onChange(object, gone, before));
  }

  function inSync(): void {
    if (!synced) syncedSince = clock.now();
    synced = true;
    notify(options.onSync);
  }

  async function list(): Promise<void> {
    const begunAt = clock.monotonic();
    const ordinal = ++startedLists;
    const isRequested = wantsList;
    wantsList = false;
    const labelSelector = options.labelSelector?.();
    scope = {
      ...(namespace === undefined ? {} : { namespace }),
      ...(labelSelector === undefined ? {} : { labelSelector }),
      ...(name === undefined ? {} : { fieldSelector: `metadata.name=${name}` }),
    };
    const isTapped = tap?.isOpen === true;
    const see = isTapped ? (object: KubeObject): void => tap.see(object, false) : undefined;
    const { fresh, keys, asOf } = await listAll({ cluster, resource, transform, see }, scope, () => !stopped);
    if (stopped) return;
    const gone = [...store.keys()].filter((key) => !fresh.has(key));
    // A synced cache must not yield: a mixture of old and new objects never existed, and must not be decided on.
    const yields = !synced;
    let processed = 0;
    // Processing many objects at once would block everything else.
    for (const key of [...fresh.keys(), ...gone]) {
      if (yields && processed++ % YIELD_AFTER === YIELD_AFTER - 1) await yieldOnce();
      if (stopped) return;
      const [before, object] = [store.get(key), fresh.get(key)];
      if (object === undefined) {
        store.delete(key);
        if (before !== undefined) change(before, true, before);
      } else if (isNew(before, object)) {
        store.set(key, object);
        change(object, false, before);
      }
    }
    if (isTapped) notify(() => tap.settle(keys));
    version = asOf;
    listBegunAt = begunAt;
    listed = ordinal;
    if (isRequested && options.restsAfterLists === true) {
      const endedAt = clock.monotonic();
      restUntil = endedAt + Math.min(REST_SHARE * (endedAt - begunAt), LONGEST_REST_MS);
    }
    notify(() => options.onListed?.((key) => store.has(key)));
  }

  const reads = createSingleReads({
    get: (at) => cluster.get(resource, at),
    watched: () => (watch === undefined ? undefined : startedLists),
    store(key, read) {
      const before = store.get(key);
      const object = read && transform(read);
      if (object !== undefined) {
        store.set(key, object);
        change(object, false, before);
      } else if (before !== undefined) {
        store.delete(key);
        change(before, true, before);
      }
    },
  });

  function isNew(before: KubeObject | undefined, object: KubeObject): boolean {
    if (before === undefined) return true;
    if (before.metadata.resourceVersion !== object.metadata.resourceVersion) return true;
    // What a stub has depends on the targets that select its object now.
    return isStub(before) || isStub(object);
  }

  async function yieldOnce(): Promise<void> {
    return new Promise((resolve) => void clock.after(0, resolve));
  }

  function follow(): void {
    if (wantsList && clock.monotonic() >= restUntil) {
      begin();
      return;
    }
    const openedAt = clock.monotonic();
    let cancelCatchUp = (): void => {};
    const mine = cluster.watch(
      resource,
      { ...scope, resourceVersion: String(version), allowBookmarks: true },
      {
        onOpen() {
          if (!synced) cancelCatchUp = clock.after(CATCH_UP_MS, inSync);
        },
        onEvent(event) {
          if (event.type === 'BOOKMARK') {
            version = Math.max(version, Number(event.resourceVersion));
            // All earlier events have been received.
            cancelCatchUp();
            if (!synced) inSync();
            else if (options.onBookmark !== undefined) notify(options.onBookmark);
            return;
          }
          version = Math.max(version, Number(event.object.metadata.resourceVersion));
          const key = keyOf(event.object);
          if (tap?.isOpen === true) notify(() => tap.see(event.object, event.type === 'DELETED'));
          const before = store.get(key);
          // It was read since, beside the watch.
          if (before !== undefined && isOlder(event.object, before)) return;
          reads.see(key);
          const object = transform(event.object, before);
          if (object !== undefined && event.type !== 'DELETED') {
            store.set(key, object);
            change(object, false, before);
            return;
          }
          // An object that is no longer stored counts as deleted.
          const last = object ?? before;
          store.delete(key);
          if (last !== undefined) change(last, true, before);
        },
        onEnd(error) {
          cancelCatchUp();
          watch = undefined;
          if (stopped) return;
          const isCalm = clock.monotonic() - openedAt >= CALM_MS;
          if (isCalm) backoff.reset();
          if (error === undefined) {
            if (isCalm) follow();
            else backoff.retry(follow);
            return;
          }
          onError(error);
          // Events from now on are missed until the watch is open again or a list is complete.
          synced = false;
          backoff.retry(resumes(error) ? follow : begin, error);
        },
      },
    );
    watch = {
      stop() {
        cancelCatchUp();
        mine.stop();
      },
    };
    if (wantsList) listRested();
  }

  /** Begins the list that was requested, when the rest after the last one is over. */
  function listRested(): void {
    cancelRest();
    const restMs = restUntil - clock.monotonic();
    if (restMs <= 0) restart();
    else
      cancelRest = clock.after(restMs, () => {
        if (wantsList && watch !== undefined) restart();
      });
  }

  function listAgain(): number {
    const ordinal = startedLists + 1;
    wantsList = !stopped;
    // Otherwise a list is in progress, or a retry is pending.
    if (watch !== undefined) listRested();
    return ordinal;
  }

  function begin(): void {
    list().then(
      () => {
        if (stopped) return;
        inSync();
        follow();
      },
      (error: unknown) => {
        if (stopped) return;
        onError(error);
        synced = false;
        backoff.retry(begin, error);
      },
    );
  }

  function restart(): void {
    watch?.stop();
    watch = undefined;
    begin();
  }

  return {
    get synced() {
      return synced;
    },
    get syncedSince() {
      // After the clock was set back, only the time since then counts.
      syncedSince = Math.min(syncedSince, clock.now());
      return syncedSince;
    },
    get version() {
      return version;
    },
    get listBegunAt() {
      return listBegunAt;
    },
    get handlerErrors() {
      return handlerErrors;
    },
    get listed() {
      return listed;
    },
    relist() {
      if (watch !== undefined) restart();
    },
    listAgain,
    read(at, then) {
      reads.read(at, (isStored) => then(isStored ? 0 : listAgain()));
    },
    get: (key) => store.get(key),
    values: () => store.values(),
    start() {
      stopped = false;
      begin();
    },
    stop() {
      stopped = true;
      cancelRest();
      watch?.stop();
      // What is being read is then not stored.
      watch = undefined;
      backoff.cancel();
    },
  };
}

function isOlder(one: KubeObject, other: KubeObject): boolean {
  return Number(one.metadata.resourceVersion) < Number(other.metadata.resourceVersion);
}

/** Whether the watch is resumed after an error: a lost connection, or an overloaded server. */
function resumes(error: Error): boolean {
  return !(error instanceof ApiError) || error.status.code === 429 || error.status.code === 503;
}
