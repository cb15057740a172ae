import type { ListOptions, ObjectList, Resource } from '../../schemas/wire/cluster.ts';
import { LONGEST_OBJECT } from './limits.ts';
import { TransportError } from './transport-error.ts';

/** A page longer than this is asked for again with fewer objects: how large they are is for others to choose. */
const LONGEST_PAGE = 4 * 1024 * 1024;
/** As much as fits into one string, for a list that is asked for whole. */
const LONGEST_LIST = 256 * 1024 * 1024;
const SHRINK = 4;

/** One request for a list, of which no more than `mostBytes` are read. */
export type ListOnce = (options: ListOptions, mostBytes: number) => Promise<ObjectList>;

/**
 * Lists in pages by size. A page may always have fewer objects than its limit, so whoever follows `continue` needs to know
 * nothing of this: where a page comes out too long, it is asked for again with a quarter of the objects, down to one; the
 * next page begins from what fitted, and may have twice as many.
 */
export function createPages(): (
  resource: Resource,
  options: ListOptions,
  once: ListOnce,
) => Promise<ObjectList> {
  /** How many objects of a resource fitted last, by its plural, while these are fewer than were asked for. */
  const fitted = new Map<string, number>();

  return async ({ plural }, options, once) => {
    const { limit } = options;
    if (limit === undefined) return once(options, LONGEST_LIST);
    let most = Math.min(limit, (fitted.get(plural) ?? limit) * 2);
    for (;;) {
      try {
        const list = await once({ ...options, limit: most }, most === 1 ? LONGEST_OBJECT : LONGEST_PAGE);
        if (most < limit) fitted.set(plural, most);
        else fitted.delete(plural);
        return list;
      } catch (error) {
        const isOversized = error instanceof TransportError && error.kind === 'oversized';
        if (!isOversized || most === 1) throw error;
        most = Math.max(1, Math.floor(most / SHRINK));
      }
    }
  };
}
