import type {
  ApiError,
  WatchEvent,
  WatchHandle,
  WatchOptions,
  WatchSink,
} from '../../schemas/wire/cluster.ts';
import type { Commit } from '../store/history.ts';
import type { ApiContext } from './context.ts';
import { refuse } from './errors.ts';
import { parseRevision, selectedBy } from './list.ts';
import { viewOf, type Served } from './registry.ts';
import type { Matcher } from './selector.ts';

/** The server's side of an open watch. */
export interface OpenWatch extends WatchHandle {
  /** Closes it from the server's side; earlier events are still delivered. */
  end(error: ApiError | undefined): void;
}

/**
 * Maps a commit to the event for a watch with selectors: an object that starts to match is ADDED, one that stops
 * matching is DELETED (with the last matching state, at the revision of the change).
 */
function eventFor(served: Served, matches: Matcher, commit: Commit): WatchEvent | undefined {
  const { object, previous } = commit;
  const was = previous !== undefined && matches(previous);
  const is = commit.type !== 'DELETED' && matches(object);
  if (!was && !is) return undefined;
  const type = !was ? 'ADDED' : is ? 'MODIFIED' : 'DELETED';
  return { type, object: viewOf(served, object) };
}

/**
 * WATCH: events after `resourceVersion` in commit order, never synchronously. With '' or '0', or if initial events
 * are requested, the current objects come first as ADDED, followed by a bookmark if requested by sendInitialEvents.
 * 410 if the history was compacted. A future revision is awaited, but together with initial events it ends the
 * watch with 504. Throws ApiError for an invalid request instead of using the sink.
 */
export function watchObjects(
  context: ApiContext,
  served: Served,
  options: WatchOptions,
  sink: WatchSink,
  onClosed: (watch: OpenWatch) => void,
): OpenWatch {
  const { store, clock, bookmarkMs } = context;
  const { type } = served;
  const selected = selectedBy(served, options);
  const namespace = type.namespaced ? options.namespace || undefined : undefined;
  const matches: Matcher =
    namespace === undefined
      ? selected
      : (object) => object.metadata.namespace === namespace && selected(object);
  const from = options.resourceVersion;
  const given = from === '' ? 0 : parseRevision(from, refuse.internal);
  const { sendInitialEvents } = options;
  const showsPresent = sendInitialEvents ?? given === 0;
  const present = store.revision();
  const since = showsPresent || given === 0 ? present : given;
  const history = store.history(type.id);
  const missed = history.after(since);
  if (missed === undefined) throw refuse.expired(`too old resource version: ${since} (${history.oldest()})`);

  const queue: (() => void)[] = [];
  let draining = false;
  let stopped = false;
  let bookmarked = 0;

  function enqueue(step: () => void): void {
    queue.push(step);
    if (draining) return;
    draining = true;
    queueMicrotask(drain);
  }

  function drain(): void {
    const steps = queue.splice(0);
    for (const step of steps) {
      if (stopped) break;
      step();
    }
    draining = false;
    if (queue.length > 0 && !stopped) {
      draining = true;
      queueMicrotask(drain);
    }
  }

  function send(event: WatchEvent): void {
    enqueue(() => sink.onEvent(event));
  }

  function see(commit: Commit): void {
    // A future revision: the client got it from another server.
    if (commit.revision <= since) return;
    const event = eventFor(served, matches, commit);
    if (event !== undefined) send(event);
  }

  function bookmark(): void {
    const revision = store.revision();
    if (revision > bookmarked) send({ type: 'BOOKMARK', resourceVersion: String(revision) });
    bookmarked = revision;
    cancelBookmark = clock.after(bookmarkMs, bookmark);
  }

  const unfollow = store.follow(type.id, see);
  let cancelBookmark = options.allowBookmarks === true ? clock.after(bookmarkMs, bookmark) : () => {};
  let closed = false;

  function close(): void {
    if (closed) return;
    closed = true;
    unfollow();
    cancelBookmark();
    onClosed(watch);
  }

  const watch: OpenWatch = {
    stop() {
      stopped = true;
      close();
    },
    end(error) {
      if (closed) return;
      close();
      enqueue(() => {
        stopped = true;
        sink.onEnd(error);
      });
    },
  };

  if (showsPresent && given > present) {
    const refusal = refuse.revisionTooLarge(given, present);
    queueMicrotask(() => watch.end(refusal));
    return watch;
  }
  if (sink.onOpen !== undefined) enqueue(() => sink.onOpen?.());
  if (showsPresent)
    for (const object of store.list(type.id, namespace))
      if (matches(object)) send({ type: 'ADDED', object: viewOf(served, object) });
  if (sendInitialEvents === true && options.allowBookmarks === true)
    send({ type: 'BOOKMARK', resourceVersion: String(present), initialEventsEnd: true });
  missed.forEach(see);
  return watch;
}
