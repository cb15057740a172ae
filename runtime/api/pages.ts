import type { ListOptions, ObjectList, Resource } from '../../schemas/wire/cluster.ts';
import { LONGEST_OBJECT } from './limits.ts';
import { TransportError } from './transport-error.ts';

/** A page longer than this is requested again with fewer objects: users choose the size of objects. Bytes. */
const LONGEST_PAGE = 4 * 1024 * 1024;
/** The longest list without pages, bytes: it must fit into one string. */
const LONGEST_LIST = 256 * 1024 * 1024;
const SHRINK = 4;

/** One list request; rejects if the response is longer than `mostBytes`. */
export type ListOnce = (options: ListOptions, mostBytes: number) => Promise<ObjectList>;

/**
 * Lists in pages of limited size. A page that is too long is requested again with a quarter of the objects, down to one; the
 * limit of the next page is twice the number that fitted. Callers follow `continue` as usual, because a page may always have
 * fewer objects than its limit.
 */
export function createPages(): (
  resource: Resource,
  options: ListOptions,
  once: ListOnce,
) => Promise<ObjectList> {
  /** How many objects of a resource fitted last, by its plural, while they are fewer than requested. */
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
