import type { ApiError, Cluster, Resource } from '../../schemas/wire/cluster.ts';
import type { ApiServer } from '../api/server.ts';
import type { ResourceAttributes } from './attributes.ts';
import { notAllowed } from './refusals.ts';
import type { UserInfo } from './users.ts';

/**
 * The cluster port of a user who needs the permissions of roles, unlike `world.cluster(user)`, which may do everything.
 *
 * @param onAsked is called for each request with what was asked and the decision
 */
export function authorized(
  world: { cluster(user: string): Cluster; server: Pick<ApiServer, 'authorizer' | 'create'> },
  user: UserInfo,
  onAsked: (asked: ResourceAttributes, allowed: boolean) => void = () => {},
): Cluster {
  const cluster = world.cluster(user.name);

  function refusal(
    verb: string,
    { group, plural }: Resource,
    at: { namespace?: string; name?: string },
    subresource = '',
  ): ApiError | undefined {
    const { namespace = '', name = '' } = at;
    const own = plural === 'namespaces' ? name : namespace;
    const asked = { verb, group, resource: plural, subresource, namespace: own, name };
    const { allowed, reason } = world.server.authorizer.authorize(user, asked);
    onAsked(asked, allowed);
    if (allowed) return undefined;
    return notAllowed(user, asked, reason);
  }

  async function unlessRefused<Answer>(
    error: ApiError | undefined,
    send: () => Promise<Answer>,
  ): Promise<Answer> {
    if (error !== undefined) throw error;
    return send();
  }

  return {
    list: (resource, options = {}) =>
      unlessRefused(refusal('list', resource, options), () => cluster.list(resource, options)),
    watch(resource, options, sink) {
      const error = refusal('watch', resource, options);
      if (error === undefined) return cluster.watch(resource, options, sink);
      let stopped = false;
      queueMicrotask(() => {
        if (!stopped) sink.onEnd(error);
      });
      return { stop: () => void (stopped = true) };
    },
    get: (resource, at) => unlessRefused(refusal('get', resource, at), () => cluster.get(resource, at)),
    create(resource, body, options) {
      // Whoever decides does not know the name of what is made.
      const { namespace } = body.metadata;
      const at = namespace === undefined ? {} : { namespace };
      // A connection is opened by a GET, as clients do that use web sockets.
      const { subresource } = options ?? {};
      const unread = subresource === 'exec' ? refusal('get', resource, at, subresource) : undefined;
      return unlessRefused(unread ?? refusal('create', resource, at, subresource), async () =>
        // A review answers what this user may do.
        resource.group === 'authorization.k8s.io'
          ? world.server.create(user.name, resource, body, { requester: user })
          : cluster.create(resource, body, options),
      );
    },
    replace: (resource, body, options) =>
      unlessRefused(refusal('update', resource, body.metadata, options?.subresource), () =>
        cluster.replace(resource, body, options),
      ),
    patch: (resource, at, patch, options) =>
      unlessRefused(refusal('patch', resource, at, options?.subresource), () =>
        cluster.patch(resource, at, patch, options),
      ),
    delete: (resource, at, options) =>
      unlessRefused(refusal('delete', resource, at), () => cluster.delete(resource, at, options)),
  };
}
