import type { Clock } from '../../schemas/wire/clock.ts';
import { ApiError, type Cluster, type Resource, type WatchHandle } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';

export interface ReflectorOptions {
  cluster: Cluster;
  clock: Clock;
  resource: Resource;
  /** What of it is looked at; everything where it is left out. */
  namespace?: string;
  /** Those of them that are looked at, in the string form; all where it is left out. */
  labelSelector?: string;
  /** The one object that is looked at, by its name. */
  name?: string;
  /** From 0 up to 1: up to half of a pause is added to it, so that processes do not come back together. Default: none. */
  random?: () => number;
  /**
   * What is kept of an object, in the store and for `onChange`: name, namespace and version at least; undefined: nothing, as
   * if it were not there. Default: all of it.
   */
  transform?(object: KubeObject): KubeObject | undefined;
  /** A list is complete; `has` says whether there is an object of that key. */
  onListed?(has: (key: string) => boolean): void;
  /** Whether less was kept of an object than a later list may keep of the same version. Default: never. */
  isStub?(object: KubeObject): boolean;
  /**
   * Called for every object that appeared, changed or went, after the store shows it; where `gone`, `object` is its last
   * state. `before`: as it was in the store.
   */
  onChange(object: KubeObject, gone: boolean, before: KubeObject | undefined): void;
  /** Called once a list is complete, with every bookmark, and when a lost watch is open again. */
  onSync(): void;
  /** Told of what the server refused, of lost connections, and of what `onChange` or `onSync` threw. */
  onError?(error: unknown): void;
}

/** A resource as last seen: complete after `synced`, never written to by anybody but the watch. */
export interface Reflector {
  readonly synced: boolean;
  /** Since when it has been watched without a gap, milliseconds since 1970; meaningless while not synced. */
  readonly syncedSince: number;
  /** The newest version this reflector has seen, by event, bookmark or list. */
  readonly version: number;
  /** When the last list that is complete was begun, by the steady clock; before all times while none is. */
  readonly listBegunAt: number;
  /** How often `onChange` or `onSync` threw. */
  readonly handlerErrors: number;
  get(key: string): KubeObject | undefined;
  values(): Iterable<KubeObject>;
  /** Which of the lists that were begun, counted from 1, is the last that is complete; 0: none is. */
  readonly listed: number;
  /** Lists again: the watch does not show what is known to be there. A list that is under way is waited for instead. */
  relist(): void;
  /**
   * Lists again, because `keep` keeps more than before: a list that is under way is followed by another. Once `listed` is as
   * high as what is returned, all of it is known.
   */
  listAgain(): number;
  start(): void;
  stop(): void;
}

/** Objects are asked for in pages, so that no answer blocks the process for long. */
const PAGE = 100;
/** Of what a list has shown, so many are told before others have their turn. */
const TOLD_AT_ONCE = 100;
const BACKOFF_MS = { first: 800, most: 30_000 };
/** A watch that lived this long and was closed in order is opened again at once. */
const CALM_MS = 5_000;
/** What was missed comes as soon as a watch is open again; only then is it known how things are. */
const CATCH_UP_MS = 100;

/**
 * Lists, then watches, for ever. A watch that was closed in order goes on where it was; one that was lost does so too, and
 * what happens until it is open again is not seen; one that expired, or that the server refused, lists again and reports
 * what went meanwhile. Whatever fails is tried again with a pause that doubles, up to half a minute. Every start lists
 * without a resourceVersion.
 */
export function createReflector(options: ReflectorOptions): Reflector {
  const { cluster, clock, resource, random = () => 0, onError = () => {} } = options;
  const { transform = (object: KubeObject): KubeObject | undefined => object, isStub = () => false } =
    options;
  const { namespace, labelSelector, name } = options;
  const scope = {
    ...(namespace === undefined ? {} : { namespace }),
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(name === undefined ? {} : { fieldSelector: `metadata.name=${name}` }),
  };
  const store = new Map<string, KubeObject>();
  let version = 0;
  let listBegunAt = -Infinity;
  let begun = 0;
  let listed = 0;
  /** A list is to be begun as soon as none is under way. */
  let wantsList = false;
  let synced = false;
  let syncedSince = 0;
  let stopped = true;
  let pauseMs = BACKOFF_MS.first;
  let watch: WatchHandle | undefined;
  let cancelRetry: (() => void) | undefined;
  let handlerErrors = 0;

  /** What a handler throws is its own affair: the watch goes on. */
  function tell(handler: () => void): void {
    try {
      handler();
    } catch (error) {
      handlerErrors += 1;
      onError(error);
    }
  }

  function change(object: KubeObject, gone: boolean, before: KubeObject | undefined): void {
    tell(() => options.onChange(object, gone, before));
  }

  function inSync(): void {
    if (!synced) syncedSince = clock.now();
    synced = true;
    tell(options.onSync);
  }

  /** Every object there is, and the version as of which. */
  async function pages(): Promise<{ fresh: Map<string, KubeObject>; asOf: number }> {
    const fresh = new Map<string, KubeObject>();
    let asOf = 0;
    let page: string | undefined;
    do {
      const answer = await cluster.list(resource, {
        ...scope,
        limit: PAGE,
        ...(page === undefined ? {} : { continue: page }),
      });
      for (const object of answer.items) {
        const kept = transform(object);
        if (kept !== undefined) fresh.set(keyOf(object), kept);
      }
      page = answer.metadata.continue;
      asOf = Number(answer.metadata.resourceVersion);
    } while (page !== undefined && page !== '');
    return { fresh, asOf };
  }

  async function list(): Promise<void> {
    const begunAt = clock.monotonic();
    const ordinal = ++begun;
    wantsList = false;
    const { fresh, asOf } = await pages().catch(async (error: unknown) => {
      // Pages are of one moment, which the server forgets after some minutes; then they begin anew.
      if (!stopped && isExpired(error)) return pages();
      throw error;
    });
    const gone = [...store.keys()].filter((key) => !fresh.has(key));
    // Half of what was and half of what is was never so at any time: nobody must decide on it.
    const inTurns = !synced;
    let told = 0;
    // Many at once would keep everything else waiting: they are told as a watch would tell them.
    for (const key of [...fresh.keys(), ...gone]) {
      if (inTurns && told++ % TOLD_AT_ONCE === TOLD_AT_ONCE - 1) await turn();
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
    version = asOf;
    listBegunAt = begunAt;
    listed = ordinal;
    tell(() => options.onListed?.((key) => store.has(key)));
  }

  function isNew(before: KubeObject | undefined, object: KubeObject): boolean {
    if (before === undefined) return true;
    if (before.metadata.resourceVersion !== object.metadata.resourceVersion) return true;
    return isStub(before) !== isStub(object);
  }

  async function turn(): Promise<void> {
    return new Promise((resolve) => void clock.after(0, resolve));
  }

  function follow(): void {
    if (wantsList) {
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
            // All that came before it has been seen.
            cancelCatchUp();
            inSync();
            return;
          }
          version = Math.max(version, Number(event.object.metadata.resourceVersion));
          const key = keyOf(event.object);
          const object = transform(event.object);
          const before = store.get(key);
          if (object !== undefined && event.type !== 'DELETED') {
            store.set(key, object);
            change(object, false, before);
            return;
          }
          // What is no longer kept is as good as gone.
          const last = object ?? before;
          store.delete(key);
          if (last !== undefined) change(last, true, before);
        },
        onEnd(error) {
          cancelCatchUp();
          watch = undefined;
          if (stopped) return;
          const isCalm = clock.monotonic() - openedAt >= CALM_MS;
          if (isCalm) pauseMs = BACKOFF_MS.first;
          if (error === undefined) {
            if (isCalm) follow();
            else retry(follow);
            return;
          }
          onError(error);
          // What happens from here on is not seen until the watch is open again, or a list says what is there now.
          synced = false;
          retry(resumes(error) ? follow : begin, error);
        },
      },
    );
    watch = {
      stop() {
        cancelCatchUp();
        mine.stop();
      },
    };
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
        retry(begin, error);
      },
    );
  }

  function restart(): void {
    watch?.stop();
    watch = undefined;
    begin();
  }

  function retry(what: () => void, error?: unknown): void {
    const pause = Math.max(pauseMs, askedPause(error));
    cancelRetry = clock.after(Math.min(pause * (1 + random() / 2), BACKOFF_MS.most), what);
    pauseMs = Math.min(pauseMs * 2, BACKOFF_MS.most);
  }

  return {
    get synced() {
      return synced;
    },
    get syncedSince() {
      // A clock that was set back: no gap since then, and the time before it counts for nothing.
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
    listAgain() {
      if (watch !== undefined) {
        restart();
        return begun;
      }
      // Unless it is stopped, it lists or is about to try something again.
      wantsList = !stopped;
      return begun + 1;
    },
    get: (key) => store.get(key),
    values: () => store.values(),
    start() {
      stopped = false;
      begin();
    },
    stop() {
      stopped = true;
      watch?.stop();
      cancelRetry?.();
    },
  };
}

function isExpired(error: unknown): boolean {
  return error instanceof ApiError && error.status.code === 410;
}

/** After a lost connection, and from a server that has too much to do, the watch goes on where it was. */
function resumes(error: Error): boolean {
  return !(error instanceof ApiError) || error.status.code === 429 || error.status.code === 503;
}

/** How long the server asks to be left alone, milliseconds. */
function askedPause(error: unknown): number {
  const seconds = error instanceof ApiError ? error.status.details?.retryAfterSeconds : undefined;
  return (seconds ?? 0) * 1000;
}

/** `namespace/name`, or `name` alone for what has no namespace. */
export function keyOf(object: KubeObject): string {
  const { namespace, name } = object.metadata;
  return namespace === undefined ? name : `${namespace}/${name}`;
}
