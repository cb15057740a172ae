import type { Clock } from '../../schemas/wire/clock.ts';
import type { Cluster, ObjectKey, Resource } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { isConflictOrNotFound, isRefusal } from '../act/conflict.ts';
import { within } from './deadline.ts';
import { joinedPatches, merged } from './merge-patch.ts';

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

/** A request that waits for its turn. */
interface Waiting {
  decide(): Recording<unknown>;
  /** The versions that it has read, by uid. */
  versions: Map<string, KubeObject | undefined>;
  deadline: number;
  conflicts: number;
  /** A write with others was refused: it gets one of its own, as one of them may be at fault. */
  isAlone: boolean;
  /** With undefined it has to try again. */
  resolve(decided: Recording<unknown> | undefined): void;
  reject(error: unknown): void;
}

/** Requests of this process about one object: each knows what those before have written, or are about to. */
interface Queue {
  waiting: Waiting[];
  newest: KubeObject | undefined;
}

/** What one write has on record. */
interface Batch {
  /** The version that it is bound to. */
  object: KubeObject;
  /** The patch. */
  status: JsonObject;
  /** The object as it will be. */
  after: KubeObject;
  requests: { request: Waiting; decided: Recording<unknown> }[];
}

/** So many requests are written at once at most: they are decided in one go, in which nothing else is answered. */
const MOST_AT_ONCE = 50;

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

  async function read(resource: Resource, at: ObjectKey, deadline: number): Promise<KubeObject | undefined> {
    try {
      const found = await within(clock, deadline, cluster.get(resource, at));
      return usable(found) ? found : undefined;
    } catch (error) {
      if (isConflictOrNotFound(error)) return undefined;
      throw error;
    }
  }

  async function pause(most: number): Promise<void> {
    if (most > 0) await new Promise<void>((resolve) => clock.after(random() * most, resolve));
  }

  /** What becomes of a request once those that wait with it are on record, in one write. */
  async function inTurn(resource: Resource, uid: string, request: Omit<Waiting, 'resolve' | 'reject'>) {
    return new Promise<Recording<unknown> | undefined>((resolve, reject) => {
      const queue = queues.get(uid);
      const waiting = Object.assign(request, { resolve, reject });
      if (queue !== undefined) queue.waiting.push(waiting);
      else {
        const own: Queue = { waiting: [waiting], newest: undefined };
        queues.set(uid, own);
        void writeAll(resource, uid, own);
      }
    });
  }

  async function writeAll(resource: Resource, uid: string, queue: Queue): Promise<void> {
    while (queue.waiting.length > 0) {
      const batch = decideAll(uid, queue);
      if (batch !== undefined) await write(resource, batch, queue);
    }
    queues.delete(uid);
  }

  /** Lets requests decide one after the other, each on what those before will have written; undefined: nothing is to be written. */
  function decideAll(uid: string, queue: Queue): Batch | undefined {
    let batch: Batch | undefined;
    const later: Waiting[] = [];
    for (const request of queue.waiting.splice(0, MOST_AT_ONCE)) {
      if (clock.monotonic() >= request.deadline) {
        request.resolve(undefined);
        continue;
      }
      const isApart = request.isAlone || batch?.requests.some(({ request: other }) => other.isAlone) === true;
      if (batch !== undefined && isApart) {
        later.push(request);
        continue;
      }
      const present = batch?.after ?? queue.newest;
      if (present !== undefined) request.versions.set(uid, present);
      let decided: Recording<unknown>;
      try {
        decided = request.decide();
      } catch (error) {
        request.reject(error);
        continue;
      }
      const { record } = decided;
      if (record === undefined) {
        // What it was decided on may not be there in the end.
        if (batch === undefined) request.resolve(decided);
        else batch.requests.push({ request, decided });
        continue;
      }
      const { object, status } = record;
      // The rules may have found another object, whose queue is another one.
      if (object.metadata.uid !== uid) {
        request.resolve(undefined);
        continue;
      }
      const all = batch === undefined ? status : joinedPatches(batch.status, status);
      if (all === undefined) {
        later.push(request);
        continue;
      }
      const after = { ...object, status: merged(object['status'], status) };
      const requests = batch?.requests ?? [];
      batch = { object: batch?.object ?? object, status: all, after, requests };
      requests.push({ request, decided });
    }
    queue.waiting.unshift(...later);
    return batch;
  }

  async function write(resource: Resource, batch: Batch, queue: Queue): Promise<void> {
    const { object, status, requests } = batch;
    const { namespace, name, uid = '', resourceVersion } = object.metadata;
    const at: ObjectKey = { name, ...(namespace !== undefined && { namespace }) };
    const body = { metadata: { uid, ...(resourceVersion !== undefined && { resourceVersion }) }, status };
    const deadline = Math.max(...requests.map(({ request }) => request.deadline));
    try {
      try {
        const sent = cluster.patch(resource, at, { type: 'merge', body }, { subresource: 'status' });
        queue.newest = await within(clock, deadline, sent);
        for (const { request, decided } of requests) request.resolve(decided);
      } catch (error) {
        if (!isConflictOrNotFound(error)) throw error;
        const found = await read(resource, at, deadline);
        queue.newest = found?.metadata.uid === uid ? found : undefined;
        for (const { request } of requests) {
          request.conflicts += 1;
          request.versions.set(uid, found);
        }
        // They stay together: one after the other, each would meet the write of the one before.
        const conflicts = Math.max(...requests.map(({ request }) => request.conflicts));
        const again = requests.map(({ request }) => request);
        const isOver = queue.newest === undefined || conflicts > MOST_CONFLICTS;
        if (isOver) for (const request of again) request.resolve(undefined);
        else {
          await pause(Math.min(PAUSE_MS * 2 ** (conflicts - 1), deadline - clock.monotonic()));
          queue.waiting.unshift(...again);
        }
      }
    } catch (error) {
      if (requests.length === 1 || !isRefusal(error))
        for (const { request } of requests) request.reject(error);
      else {
        for (const { request } of requests) request.isAlone = true;
        queue.waiting.unshift(...requests.map(({ request }) => request));
      }
    }
  }

  return {
    async settle<T>(
      resource: Resource,
      decide: (newest: (object: KubeObject) => KubeObject | undefined) => Recording<T>,
      deadline: number,
    ): Promise<Recorded<T>> {
      const versions = new Map<string, KubeObject | undefined>();
      const newest = (object: KubeObject): KubeObject | undefined => {
        const { uid = '' } = object.metadata;
        return versions.has(uid) ? versions.get(uid) : object;
      };
      let name = '';
      const request = { decide: () => decide(newest), versions, deadline, conflicts: 0, isAlone: false };
      try {
        for (let tried = 0; ; tried += 1) {
          const { value, record } = decide(newest);
          if (record === undefined) return { is: 'decided', value };
          const { uid = '' } = record.object.metadata;
          ({ name } = record.object.metadata);
          const most = Math.max(tried, request.conflicts);
          if (most > MOST_CONFLICTS || clock.monotonic() >= deadline) return { is: 'contended', name };
          const written = await within(clock, deadline, inTurn(resource, uid, request));
          if (written !== undefined) return { is: 'decided', value: written.value as T };
        }
      } catch (error) {
        return { is: 'failed', name, error };
      }
    },
  };
}
