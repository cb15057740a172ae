import type { KubeObject } from '../../schemas/wire/object.ts';

/** Objects in the order of their names. */
export interface Sorted {
  readonly size: number;
  get(name: string): KubeObject | undefined;
  /** Adds an object, or replaces the one of this name. */
  put(name: string, object: KubeObject): void;
  delete(name: string): void;
  /** All objects; the list is immutable. */
  values(): readonly KubeObject[];
}

/**
 * Every reconcile reads the list of pods, of which few have changed since the last one: the array is copied on the first
 * write after it was returned, which costs a hundredth of building it from a map.
 */
export function createSorted(): Sorted {
  const names: string[] = [];
  let objects: KubeObject[] = [];
  let isLent = false;

  /** The index of this name, or the index to insert it at. */
  function find(name: string): { at: number; isThere: boolean } {
    let from = 0;
    let to = names.length;
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((names[middle] ?? '') < name) from = middle + 1;
      else to = middle;
    }
    return { at: from, isThere: names[from] === name };
  }

  function own(): KubeObject[] {
    if (isLent) objects = objects.slice();
    isLent = false;
    return objects;
  }

  return {
    get size() {
      return names.length;
    },
    get(name) {
      const { at, isThere } = find(name);
      return isThere ? objects[at] : undefined;
    },
    put(name, object) {
      const { at, isThere } = find(name);
      if (isThere) own()[at] = object;
      else {
        names.splice(at, 0, name);
        own().splice(at, 0, object);
      }
    },
    delete(name) {
      const { at, isThere } = find(name);
      if (!isThere) return;
      names.splice(at, 1);
      own().splice(at, 1);
    },
    values() {
      isLent = true;
      return objects;
    },
  };
}
