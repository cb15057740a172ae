import { ApiError, type ObjectKey } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';

/** Objects of a watched resource that are read one by one: a list of all would be much for one. */
export interface SingleReads {
  /**
   * Reads an object. `then` is called once: with true when it is stored as far as it exists, with false when only a list shows it, as
   * another list began meanwhile, or it could not be read.
   */
  read(at: ObjectKey, then: (isStored: boolean) => void): void;
  /** The watch reported this object, and it is stored: what is being read of it may be older. */
  see(key: string): void;
}

export interface SingleReadsOptions {
  get(at: ObjectKey): Promise<KubeObject>;
  /** Which list the watch follows; undefined: no watch is open. */
  watched(): number | undefined;
  /** Undefined: there is no such object. */
  store(key: string, object: KubeObject | undefined): void;
}

interface Reading {
  isPast: boolean;
}

export function createSingleReads({ get, watched, store }: SingleReadsOptions): SingleReads {
  const readings = new Map<string, Set<Reading>>();

  async function read(at: ObjectKey, key: string): Promise<boolean> {
    const list = watched();
    if (list === undefined) return false;
    const mine: Reading = { isPast: false };
    const all = readings.get(key) ?? new Set();
    readings.set(key, all.add(mine));
    try {
      const found = await existing(get(at));
      // Another list may be newer than what was read, and no event would then tell that the object is gone.
      if (watched() !== list) return false;
      if (!mine.isPast) store(key, found);
      return true;
    } catch {
      return false;
    } finally {
      all.delete(mine);
      if (all.size === 0) readings.delete(key);
    }
  }

  return {
    read(at, then) {
      const key = at.namespace === undefined ? at.name : `${at.namespace}/${at.name}`;
      void read(at, key).then(then);
    },
    see(key) {
      for (const each of readings.get(key) ?? []) each.isPast = true;
    },
  };
}

async function existing(found: Promise<KubeObject>): Promise<KubeObject | undefined> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof ApiError && error.status.code === 404) return undefined;
    throw error;
  }
}
