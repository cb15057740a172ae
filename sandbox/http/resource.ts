import { ApiError, type ObjectKey, type Subresource } from '../../schemas/wire/cluster.ts';
import type { Pod } from '../../schemas/pods/pod.ts';
import { groupResource } from '../api/errors.ts';
import type { Served } from '../api/registry.ts';
import { parseBody } from './body.ts';
import type { Exchange, FrontContext } from './exchange.ts';
import { negotiate } from './negotiate.ts';
import { readProtobuf } from './protobuf.ts';
import { readQuery, type ReadQuery } from './query.ts';
import { podLog } from './podLog.ts';
import { jsonReply, pageNotFound, plainReply, refusalReply, type Reply } from './reply.ts';
import { remove, removeCollection } from './remove.ts';
import { isProtobuf, type ResourceRequest } from './resourceRequest.ts';
import type { ResourceRoute } from './route.ts';
import { eventLines, includeObject, listReply, objectReply } from './shape.ts';
import { failure, frontRefusal } from './status.ts';
import { watchStream } from './stream.ts';
import { unknownVersion } from './unknown.ts';
import { warningHeaders } from './warnings.ts';
import { write } from './write.ts';

/** Pod subresources that need a container runtime, which the sandbox does not have. */
const runtimeParts: ReadonlySet<string> = new Set(['attach', 'portforward', 'proxy']);

/** The type of a resource path, or the 404 response. */
function resolve(frontContext: FrontContext, route: ResourceRoute): Served | Reply {
  const { registry } = frontContext.server;
  const type = registry.byId(groupResource(route));
  const version = type?.versions.get(route.version);
  if (type === undefined || version === undefined) {
    const builtIn = registry
      .types()
      .some((each) => each.group === route.group && !each.custom && each.versions.has(route.version));
    if (builtIn) throw frontRefusal.noResource();
    return unknownVersion(frontContext, route.group);
  }
  const misplaced = type.namespaced
    ? route.namespace === undefined && route.name !== undefined
    : route.namespace !== undefined;
  if (!misplaced) return { type, version };
  if (type.custom) return pageNotFound();
  throw frontRefusal.noResource();
}

function checkName(name: string): void {
  if (name === '.' || name === '..') throw frontRefusal.badName(name, `may not be '${name}'`);
  if (name.includes('%')) throw frontRefusal.badName(name, "may not contain '%'");
}

/** Whether a resource has a subresource, and with which methods. */
function methodsOf({ type, version }: Served, subresource: string): readonly string[] | undefined {
  const readWrite = ['GET', 'PUT', 'PATCH'];
  if (subresource === 'status') return version.hasStatus ? readWrite : undefined;
  if (subresource === 'scale') return version.scale === undefined ? undefined : readWrite;
  if (type.id === 'namespaces') return subresource === 'finalize' ? ['PUT'] : undefined;
  if (type.id !== 'pods') return undefined;
  if (subresource === 'resize' || subresource === 'ephemeralcontainers') return readWrite;
  return subresource === 'eviction' || subresource === 'binding' ? ['POST'] : undefined;
}

/** POST of a TokenRequest to a service account. */
function issueToken(request: ResourceRequest, at: ObjectKey): Reply {
  const { context, exchange, address } = request;
  if (exchange.method !== 'POST') throw frontRefusal.methodNotAllowed();
  const subject = { kind: 'TokenRequest', custom: false };
  const value = isProtobuf(request)
    ? readProtobuf(exchange.body)
    : parseBody(exchange.body, exchange.contentType ?? '', context.readYaml, subject).value;
  const account = context.server.get(exchange.user, address, at);
  return jsonReply(201, JSON.stringify(context.server.tokens.issue(account, value)), exchange.output);
}

/** A subresource request for a named object. */
function serveSubresource(request: ResourceRequest, at: ObjectKey, subresource: string): Reply {
  const { context, exchange, served, address } = request;
  if (served.type.id === 'serviceaccounts' && subresource === 'token') return issueToken(request, at);
  const methods = methodsOf(served, subresource);
  const view = (part?: Subresource) => context.server.get(exchange.user, address, at, part);
  if (served.type.id === 'pods' && subresource === 'log') {
    if (exchange.method !== 'GET') throw frontRefusal.methodNotAllowed();
    return plainReply(200, podLog(view() as Pod, exchange.query, context.server.now()));
  }
  if (served.type.id === 'pods' && subresource === 'exec') {
    if (!['GET', 'POST'].includes(exchange.method)) throw frontRefusal.methodNotAllowed();
    const { user, requester, query, webhooks } = exchange;
    const container = query.get('container') ?? undefined;
    const isSet = (stream: string): boolean => ['true', '1'].includes(query.get(stream) ?? '');
    const streams = {
      stdin: isSet('stdin'),
      stdout: isSet('stdout'),
      stderr: isSet('stderr'),
      tty: isSet('tty'),
    };
    const command = { container, command: query.getAll('command'), ...streams };
    const asking = { requester, ...(webhooks === undefined ? {} : { webhooks }) };
    return { type: 'executed', executed: context.server.exec(user, at, command, asking) };
  }
  if (methods === undefined) {
    const { id, custom } = served.type;
    const isProxied = subresource === 'proxy' && (id === 'services' || id === 'nodes');
    const known = custom || isProxied || (id === 'pods' && runtimeParts.has(subresource));
    if (!known) throw frontRefusal.noResource();
    view();
    if (custom) throw frontRefusal.noResource();
    throw frontRefusal.notImplemented(
      `pods run no processes here: ${subresource} of a ${id.slice(0, -1)} is not served`,
    );
  }
  if (!methods.includes(exchange.method)) throw frontRefusal.methodNotAllowed();
  const part = subresource as Subresource;
  return exchange.method === 'GET' ? objectReply(request, 200, view(part)) : write(request, at, part);
}

function list(request: ResourceRequest, { list: options }: ReadQuery): Reply {
  const { context, exchange, address, namespace } = request;
  const found = context.server.list(exchange.user, address, {
    ...options,
    ...(namespace === undefined ? {} : { namespace }),
  });
  return listReply(request, found);
}

const longestWatchSeconds = 3_600;

function watch(request: ResourceRequest, query: ReadQuery): Reply {
  const { context, exchange, address, namespace } = request;
  const lineOf = eventLines(request);
  const { limit: _limit, continue: _token, resourceVersionMatch: _match, ...options } = query.list;
  const timeoutSeconds = query.timeoutSeconds ?? 0;
  try {
    const open = watchStream({
      timers: context.timers,
      limits: context.limits,
      timeoutMs: 1000 * (timeoutSeconds > 0 ? timeoutSeconds : longestWatchSeconds),
      lineOf,
      onError: context.onError,
      watch: (sink) =>
        context.server.watch(
          exchange.user,
          address,
          {
            ...options,
            resourceVersion: options.resourceVersion ?? '',
            ...(namespace === undefined ? {} : { namespace }),
            ...(query.allowBookmarks ? { allowBookmarks: true } : {}),
            ...(query.sendInitialEvents === undefined ? {} : { sendInitialEvents: query.sendInitialEvents }),
          },
          sink,
        ),
    });
    return { type: 'stream', open };
  } catch (error) {
    // A compacted history is reported as the first and only event of the stream.
    if (!(error instanceof ApiError) || error.status.code !== 410) throw error;
    return jsonReply(200, JSON.stringify({ type: 'ERROR', object: failure(error.status) }), exchange.output);
  }
}

function read(request: ResourceRequest): Reply {
  const query = readQuery(request.exchange.query, request.route.watched);
  return query.watch ? watch(request, query) : list(request, query);
}

/** The deprecation warning of a version. */
const deprecations: Readonly<Record<string, string>> = {
  endpoints: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
};

/** Responds to a resource request. Throws ApiError, but for one that the warning of a deprecated version goes with. */
export function serveResource(frontContext: FrontContext, exchange: Exchange, route: ResourceRoute): Reply {
  const { group, version, plural } = route;
  const deprecation =
    group === ''
      ? deprecations[plural]
      : frontContext.server.registry.byId(`${plural}.${group}`)?.versions.get(version)?.deprecation;
  if (deprecation === undefined) return serve(frontContext, exchange, route);
  const reply = answered(frontContext, exchange, route);
  if (reply.type !== 'text') return reply;
  const others: unknown = reply.headers?.['Warning'] ?? [];
  const { Warning } = warningHeaders([deprecation]) ?? { Warning: [] };
  return { ...reply, headers: { ...reply.headers, Warning: [...Warning, ...[others].flat().map(String)] } };
}

function answered(frontContext: FrontContext, exchange: Exchange, route: ResourceRoute): Reply {
  try {
    return serve(frontContext, exchange, route);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return refusalReply(error, exchange.output);
  }
}

function serve(frontContext: FrontContext, exchange: Exchange, route: ResourceRoute): Reply {
  const served = resolve(frontContext, route);
  if (!('version' in served)) return served;
  const { group, version, plural, name, subresource, namespace } = route;
  const isQuestion = served.type.answer !== undefined;
  const shape = negotiate(
    exchange.accept,
    isQuestion ? [] : ['Table', 'PartialObjectMetadata', 'PartialObjectMetadataList'],
  );
  if (shape.as === 'Table') includeObject(exchange.query);
  const address = { group, version, plural };
  const request: ResourceRequest = {
    context: frontContext,
    exchange,
    route,
    served,
    address,
    namespace,
    shape,
  };
  if (isQuestion) {
    if (name !== undefined || (served.type.namespaced && namespace === undefined))
      throw frontRefusal.noResource();
    if (exchange.method !== 'POST') throw frontRefusal.methodNotAllowed();
    return write(request, undefined, undefined);
  }
  if (name === undefined) {
    if (exchange.method === 'GET') return read(request);
    const scoped = !served.type.namespaced || namespace !== undefined;
    if (exchange.method === 'POST' && scoped) return write(request, undefined, undefined);
    if (exchange.method === 'DELETE' && scoped && served.type.id !== 'namespaces')
      return removeCollection(request);
    if (served.type.custom && !scoped) return pageNotFound();
    throw frontRefusal.methodNotAllowed();
  }
  checkName(name);
  const at: ObjectKey = namespace === undefined ? { name } : { namespace, name };
  if (subresource !== undefined) return serveSubresource(request, at, subresource);
  switch (exchange.method) {
    case 'GET':
      if (!route.watched)
        return objectReply(request, 200, frontContext.server.get(exchange.user, request.address, at));
      exchange.query.set('fieldSelector', `metadata.name=${name}`);
      return read(request);
    case 'PUT':
    case 'PATCH':
      return write(request, at, undefined);
    case 'DELETE':
      return remove(request, at);
    default:
      throw frontRefusal.methodNotAllowed();
  }
}
