import type { ResourceAttributes } from '../../sandbox/access/attributes.ts';
import { notAllowed } from '../../sandbox/access/refusals.ts';
import { accountGroups, accountName, everybody, type UserInfo } from '../../sandbox/access/users.ts';
import type { World } from '../../sandbox/world.ts';
import type { ApiError, Cluster, Resource } from '../../schemas/wire/cluster.ts';

export function serviceAccount(namespace: string, name: string): UserInfo {
  return { name: accountName(namespace, name), groups: [...accountGroups(namespace), everybody] };
}

/** The cluster of a user whom the sandbox's authoriser asks for permission, request by request; `onAsked` hears of each. */
export function guarded(
  world: World,
  user: UserInfo,
  onAsked: (asked: ResourceAttributes, allowed: boolean) => void,
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
      return unlessRefused(refusal('create', resource, at, options?.subresource), () =>
        cluster.create(resource, body, options),
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
