import type { Clock } from '../../schemas/wire/clock.ts';
import type { ObjectKey, Subresource } from '../../schemas/wire/cluster.ts';
import type { Authorizer } from '../access/authorizer.ts';
import type { IdSource } from '../store/ids.ts';
import type { Answers, WebhookClient } from '../webhooks/answers.ts';
import type { Pod } from '../../schemas/pods/pod.ts';
import type { Store } from '../store/store.ts';
import { refuse } from './errors.ts';
import { viewOf, type Registry, type Served } from './registry.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';

/** The dependencies of every request handler. */
export interface ApiContext {
  store: Store;
  registry: Registry;
  clock: Clock;
  ids: IdSource;
  authorizer: Authorizer;
  /** Who calls webhooks, and what they answered to writes without a request of their own. */
  webhooks: { client: WebhookClient | undefined; answers: Answers };
  /** Asks the program of a container to end. */
  terminate: (pod: Pod, container: string) => void;
  /** Milliseconds between two bookmarks of a watch that requested them. */
  bookmarkMs: number;
}

/** Namespace and name of an object; the namespace of cluster-scoped objects is ''. */
export interface ObjectLocation {
  namespace: string;
  name: string;
}

/** The location of a key; 400 if a namespaced resource has no namespace. */
export function locationOf({ type }: Served, key: ObjectKey): ObjectLocation {
  if (!type.namespaced) return { namespace: '', name: key.name };
  if (!key.namespace)
    throw refuse.badRequest('an empty namespace may not be set when a resource name is provided');
  return { namespace: key.namespace, name: key.name };
}

/** The stored object in the requested version; 404 if it does not exist. */
export function readView(context: ApiContext, served: Served, place: ObjectLocation): KubeObject {
  const stored = context.store.read(served.type.id, place.namespace, place.name);
  if (stored === undefined) throw refuse.notFound(served.type, place.name);
  return viewOf(served, stored);
}

/** Rejects a subresource that the resource does not have: 404, as for any unknown path. */
export function requireSubresource({ type, version }: Served, subresource: Subresource | undefined): void {
  if (subresource === undefined) return;
  const served =
    (subresource === 'status' && version.hasStatus) ||
    (subresource === 'scale' && version.scale !== undefined) ||
    (subresource === 'finalize' && type.id === 'namespaces') ||
    (['binding', 'ephemeralcontainers', 'eviction', 'resize'].includes(subresource) && type.id === 'pods');
  if (!served) throw refuse.noResource();
}
