import { resourceId } from './ids.ts';
import { type Named, nameId } from './names.ts';

/** The objects that targets have begun to name, and that no complete list has shown yet: they were not cached before. */
export interface AwaitedNames {
  /**
   * An object is cached from this list on, if it exists.
   *
   * @param listed the last complete list of its resource: what that has shown is no longer awaited
   */
  add(named: Named, ordinal: number, listed: number): void;
  /** Whether it is not known yet if the object exists. Others of its resource are known meanwhile. */
  has(named: Named, listed: number): boolean;
}

export function createAwaitedNames(): AwaitedNames {
  /** The ordinals of the lists by `resourceId` and `nameId`. */
  const awaited = new Map<string, Map<string, number>>();
  return {
    add(named, ordinal, listed) {
      const id = resourceId(named.resource);
      const names = awaited.get(id) ?? new Map<string, number>();
      for (const [name, by] of names) if (by <= listed) names.delete(name);
      names.set(nameId(named), ordinal);
      awaited.set(id, names);
    },
    has: (named, listed) => listed < (awaited.get(resourceId(named.resource))?.get(nameId(named)) ?? 0),
  };
}
