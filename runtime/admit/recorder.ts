import type { Clock } from '../../schemas/wire/clock.ts';
import type { Cluster, ObjectKey, Resource } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { isConflictOrNotFound } from '../act/conflict.ts';
import { within } from './deadline.ts';

/** Most conflicts of one request. The rules are asked again after each. */
const MOST_CONFLICTS = 6;
/** The longest pause after the first conflict, milliseconds; it doubles with each. */
const PAUSE_MS = 25;

/** What the rules decide, and what must be on record first. */
export interface Recording<T> {
  value: T;
  record: { object: KubeObject; status: JsonObject } | undefined;
}

export type Recorded<T> =
  /** It is on record, or nothing is to be. */
  | { is: 'decided'; value: T }
  /** Others changed the object of this name each time. */
  | { is: 'contended'; name: string }
  /** A record was not written, or the object could not be read. */
  | { is: 'failed'; name: string; error: unknown };

export interface Recorder {
  /**
   * Decides, and writes the record by compare-and-swap: where the object has changed meanwhile it is read, and the rules decide
   * again. Never rejects.
   *
   * @param decide receives the newest version of an object that was observed; `newest` returns undefined if it is gone, or one that
   *   no rule may read
   * @param deadline by the monotonic clock, milliseconds: nothing is waited for beyond it
   */
  settle<T>(
    resource: Resource,
    decide: (newest: (object: KubeObject) => KubeObject | undefined) => Recording<T>,
    deadline: number,
  ): Promise<Recorded<T>>;
}

/** Requests of this process about one object follow one another: each knows what the one before has written. */
interface Queue {
  /** Ends when the last one that waits has ended. */
  tail: Promise<void>;
  newest: KubeObject | undefined;
}

/**
 * @param usable whether rules may read an object
 * @param random a number in [0, 1)
 */
export function createRecorder(options: {
  cluster: Cluster;
  clock: Clock;
  random: () => number;
  usable(object: KubeObject): boolean;
}): Recorder {
  const { cluster, clock, random, usable } = options;
  const queues = new Map<string, Queue>();

  /** Runs once those before have ended; each of them ends by a deadline that is earlier. */
  async function inTurn<T>(uid: string, run: (queue: Queue) => Promise<T>): Promise<T> {
    const queue = queues.get(uid) ?? { tail: Promise.resolve(), newest: undefined };
    queues.set(uid, queue);
    const turn = queue.tail.then(async () => run(queue));
    const ended = turn.then(
      () => {},
      () => {},
    );
    queue.tail = ended;
    try {
      return await turn;
    } finally {
      if (queue.tail === ended) queues.delete(uid);
    }
  }

  async function read(resource: Resource, at: ObjectKey, deadline: number): Promise<KubeObject | undefined> {
    try {
      const found = await within(clock, deadline, cluster.get(resource, at));
      return usable(found) ? found : undefined;
    } catch (error) {
      if (isConflictOrNotFound(error)) return undefined;
      throw error;
    }
  }

  return {
    async settle(resource, decide, deadline) {
      const versions = new Map<string, KubeObject | undefined>();
      const newest = (object: KubeObject): KubeObject | undefined => {
        const { uid = '' } = object.metadata;
        return versions.has(uid) ? versions.get(uid) : object;
      };
      let name = '';
      let conflicts = 0;
      try {
        for (;;) {
          const { value, record } = decide(newest);
          if (record === undefined) return { is: 'decided', value };
          const { uid = '' } = record.object.metadata;
          ({ name } = record.object.metadata);
          if (conflicts > MOST_CONFLICTS || clock.monotonic() >= deadline) return { is: 'contended', name };
          const written = await inTurn(uid, async (queue) => {
            if (queue.newest !== undefined) versions.set(uid, queue.newest);
            const again = decide(newest);
            if (again.record === undefined) return again;
            const { metadata } = again.record.object;
            // The rules may have found another object, whose queue is another one.
            if (metadata.uid !== uid || clock.monotonic() >= deadline) return undefined;
            const { namespace, resourceVersion } = metadata;
            const at: ObjectKey = { name: metadata.name, ...(namespace !== undefined && { namespace }) };
            const body = {
              metadata: { uid, ...(resourceVersion !== undefined && { resourceVersion }) },
              status: again.record.status,
            };
            try {
              const sent = cluster.patch(resource, at, { type: 'merge', body }, { subresource: 'status' });
              queue.newest = await within(clock, deadline, sent);
              return again;
            } catch (error) {
              if (!isConflictOrNotFound(error)) throw error;
              const found = await read(resource, at, deadline);
              versions.set(uid, found);
              if (found?.metadata.uid === uid) queue.newest = found;
              return undefined;
            }
          });
          if (written !== undefined) return { is: 'decided', value: written.value };
          const most = Math.min(PAUSE_MS * 2 ** conflicts, deadline - clock.monotonic());
          if (most > 0) await new Promise<void>((resolve) => clock.after(random() * most, resolve));
          conflicts += 1;
        }
      } catch (error) {
        return { is: 'failed', name, error };
      }
    },
  };
}
