import type { Clock } from '../../schemas/wire/clock.ts';
import type { Cluster, Resource, WatchHandle } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';

export interface ReflectorOptions {
  cluster: Cluster;
  clock: Clock;
  resource: Resource;
  /** Called for every object that appeared, changed or went, after the store shows it. `gone` is its last state. */
  onChange(object: KubeObject, gone: boolean): void;
  /** Called once a list is complete: at the start and after every relist. */
  onSync(): void;
}

/** A resource as last seen: complete after `synced`, never written to by anybody but the watch. */
export interface Reflector {
  readonly synced: boolean;
  /** Since when it has been watched without a gap, milliseconds since 1970; meaningless while not synced. */
  readonly syncedSince: number;
  /** The newest version this reflector has seen, by event, bookmark or list. */
  readonly version: number;
  get(key: string): KubeObject | undefined;
  values(): Iterable<KubeObject>;
  /** Lists again: the watch does not show what is known to be there. */
  relist(): void;
  start(): void;
  stop(): void;
}

/** Objects are asked for in pages, so that no answer blocks the process for long. */
const PAGE = 500;
const BACKOFF_MS = { first: 800, most: 30_000 };
/** A watch that lived this long and was closed in order is opened again at once. */
const CALM_MS = 5_000;

/**
 * Lists, then watches, for ever: a lost watch resumes where it was, an expired one lists again and reports what went
 * meanwhile; any other error is retried with a doubling pause. Every start lists without a resourceVersion.
 */
export function createReflector(options: ReflectorOptions): Reflector {
  const { cluster, clock, resource, onChange, onSync } = options;
  let store = new Map<string, KubeObject>();
  let version = 0;
  let synced = false;
  let syncedSince = 0;
  let watchingSince = 0;
  let stopped = true;
  let pauseMs = BACKOFF_MS.first;
  let watch: WatchHandle | undefined;
  let cancelRetry: (() => void) | undefined;

  async function list(): Promise<void> {
    const fresh = new Map<string, KubeObject>();
    let listed = 0;
    let page: string | undefined;
    do {
      const answer = await cluster.list(resource, {
        limit: PAGE,
        ...(page === undefined ? {} : { continue: page }),
      });
      for (const object of answer.items) fresh.set(keyOf(object), object);
      page = answer.metadata.continue;
      listed = Number(answer.metadata.resourceVersion);
    } while (page !== undefined && page !== '');
    if (stopped) return;
    const before = store;
    store = fresh;
    version = listed;
    if (!synced) syncedSince = clock.now();
    synced = true;
    pauseMs = BACKOFF_MS.first;
    for (const [key, object] of fresh) {
      if (before.get(key)?.metadata.resourceVersion !== object.metadata.resourceVersion)
        onChange(object, false);
    }
    for (const [key, object] of before) if (!fresh.has(key)) onChange(object, true);
    onSync();
  }

  function follow(): void {
    watchingSince = clock.now();
    watch = cluster.watch(
      resource,
      { resourceVersion: String(version), allowBookmarks: true },
      {
        onEvent(event) {
          pauseMs = BACKOFF_MS.first;
          if (event.type === 'BOOKMARK') {
            version = Math.max(version, Number(event.resourceVersion));
            onSync();
            return;
          }
          const { object } = event;
          version = Math.max(version, Number(object.metadata.resourceVersion));
          if (event.type === 'DELETED') store.delete(keyOf(object));
          else store.set(keyOf(object), object);
          onChange(object, event.type === 'DELETED');
        },
        onEnd(error) {
          watch = undefined;
          if (stopped) return;
          if (error === undefined && clock.now() - watchingSince >= CALM_MS) {
            follow();
            return;
          }
          if (error === undefined) {
            retry(follow);
            return;
          }
          // What happens from here on is not seen until a list says what is there now.
          synced = false;
          retry(begin);
        },
      },
    );
  }

  function begin(): void {
    list().then(
      () => {
        if (!stopped) follow();
      },
      () => {
        if (stopped) return;
        synced = false;
        retry(begin);
      },
    );
  }

  function retry(what: () => void): void {
    cancelRetry = clock.after(pauseMs, what);
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
    relist() {
      if (stopped || watch === undefined) return;
      watch.stop();
      watch = undefined;
      begin();
    },
    get version() {
      return version;
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

/** `namespace/name`, or `name` alone for what has no namespace. */
export function keyOf(object: KubeObject): string {
  const { namespace, name } = object.metadata;
  return namespace === undefined ? name : `${namespace}/${name}`;
}
