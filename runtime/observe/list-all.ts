import { ApiError, type Cluster, type ListOptions, type Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { keyOf } from './ids.ts';

/** Lists are read in pages, so that no response blocks the event loop for long. */
const PAGE = 100;

/** A complete list: the stored part of each object by `keyOf`, and the version of the list. */
export interface Listing {
  fresh: Map<string, KubeObject>;
  /** Of all objects, if they were seen; otherwise empty. */
  keys: ReadonlySet<string>;
  asOf: number;
}

/** What is listed, and the part of each object that is stored; undefined: the object is ignored. */
export interface Listed {
  cluster: Cluster;
  resource: Resource;
  transform(object: KubeObject): KubeObject | undefined;
  /** Is called with every object. */
  see?: ((object: KubeObject) => void) | undefined;
}

/**
 * Lists all objects of a resource within `scope`, in pages. All pages are of one version, which expires after some minutes:
 * the list is then started again once. Once `isWanted` no longer holds, it ends early: what it returns then is not complete.
 */
export async function listAll(
  listed: Listed,
  scope: Pick<ListOptions, 'namespace' | 'labelSelector' | 'fieldSelector'>,
  isWanted: () => boolean,
): Promise<Listing> {
  try {
    return await pages(listed, scope, isWanted);
  } catch (error) {
    if (!isWanted() || !isExpired(error)) throw error;
    return pages(listed, scope, isWanted);
  }
}

async function pages(
  { cluster, resource, transform, see }: Listed,
  scope: ListOptions,
  isWanted: () => boolean,
): Promise<Listing> {
  const fresh = new Map<string, KubeObject>();
  const keys = new Set<string>();
  let asOf = 0;
  let page: string | undefined;
  do {
    const { items, metadata } = await cluster.list(resource, {
      ...scope,
      limit: PAGE,
      ...(page === undefined ? {} : { continue: page }),
    });
    if (!isWanted()) break;
    for (const object of items) {
      const stored = transform(object);
      if (stored !== undefined) fresh.set(keyOf(object), stored);
      if (see === undefined) continue;
      see(object);
      keys.add(keyOf(object));
    }
    page = metadata.continue;
    asOf = Number(metadata.resourceVersion);
  } while (page !== undefined && page !== '');
  return { fresh, keys, asOf };
}

function isExpired(error: unknown): boolean {
  return error instanceof ApiError && error.status.code === 410;
}
