import type { Cluster, Resource, WatchHandle, WatchSink } from '../../schemas/wire/cluster.ts';

/** One call of the cluster port. */
export interface Call {
  verb: 'list' | 'watch' | 'get' | 'create' | 'replace' | 'patch' | 'delete';
  resource: Resource;
  name: string;
  subresource?: string;
  /** What a create, replace or patch sends, and the preconditions of a delete. */
  sends?: object;
}

export function isWrite({ verb }: Call): boolean {
  return verb !== 'list' && verb !== 'watch' && verb !== 'get';
}

/** `patch pods/web-x2b4c status`. */
export function callText({ verb, resource, name, subresource }: Call): string {
  return [verb, name === '' ? resource.plural : `${resource.plural}/${name}`, subresource ?? '']
    .join(' ')
    .trim();
}

/** Functions between a client and the server: one for every request, one for every watch. */
export interface Between {
  request<Answer>(call: Call, send: () => Promise<Answer>): Promise<Answer>;
  watch(call: Call, open: (sink: WatchSink) => WatchHandle, sink: WatchSink): WatchHandle;
}

/** A cluster whose calls go through an interceptor. */
export function intercepting(cluster: Cluster, between: Between): Cluster {
  const { request } = between;
  const call = (
    verb: Call['verb'],
    resource: Resource,
    name = '',
    rest: Pick<Partial<Call>, 'sends'> & { subresource?: string | undefined } = {},
  ): Call => {
    const { sends, subresource } = rest;
    return {
      verb,
      resource,
      name,
      ...(sends === undefined ? {} : { sends }),
      ...(subresource === undefined ? {} : { subresource }),
    };
  };
  return {
    list: (resource, options) => request(call('list', resource), () => cluster.list(resource, options)),
    watch: (resource, options, sink) =>
      between.watch(call('watch', resource), (inner) => cluster.watch(resource, options, inner), sink),
    get: (resource, at) => request(call('get', resource, at.name), () => cluster.get(resource, at)),
    create: (resource, body, options) =>
      request(
        call('create', resource, body.metadata.name, { sends: body, subresource: options?.subresource }),
        () => cluster.create(resource, body, options),
      ),
    replace: (resource, body, options) =>
      request(
        call('replace', resource, body.metadata.name, { sends: body, subresource: options?.subresource }),
        () => cluster.replace(resource, body, options),
      ),
    patch: (resource, at, patch, options) =>
      request(
        call('patch', resource, at.name, { sends: patch.body, subresource: options?.subresource }),
        () => cluster.patch(resource, at, patch, options),
      ),
    delete: (resource, at, options) =>
      request(call('delete', resource, at.name, { sends: options ?? {} }), () =>
        cluster.delete(resource, at, options),
      ),
  };
}
