import type { Clock } from '../../schemas/wire/clock.ts';
import {
  ApiError,
  type Cluster,
  type ObjectKey,
  type ObjectList,
  type Resource,
} from '../../schemas/wire/cluster.ts';
import { commandOf } from '../../schemas/wire/exec.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { contentTypeOf, deleteBody, listQuery, pathOf, writeQuery } from './address.ts';
import { unreadable } from './answer.ts';
import { createCalls, type ApiCall, type ApiClient, type Call } from './calls.ts';
import type { Connection } from './connection.ts';
import { createCommands, execQuery } from './exec.ts';
import { createIdentity } from './identity.ts';
import { defaultLimits, type HttpLimits } from './limits.ts';
import { createPages } from './pages.ts';
import { isStatus } from './refusal.ts';
import { createTransport } from './transport.ts';
import { createWatches } from './watches.ts';

/** The cluster port over HTTP. */
export interface HttpCluster extends Cluster {
  /** Ends watches and calls, refuses new ones, and closes every socket. */
  close(): void;
}

export interface HttpClusterOptions {
  connection: Connection;
  clock: Clock;
  /** A random number in [0, 1), for jitter. */
  random: () => number;
  userAgent: string;
  /** Called after every call, and when a watch is open or refused. */
  onCall?(call: ApiCall): void;
  /** Called before every attempt to send a write; if it throws, the call rejects with that error. */
  beforeWrite?(): void;
  /** Called for every call, except of Leases, that has no response after five seconds; the call continues. */
  onSlow?: () => void;
  /** Called with the server's time of every response, milliseconds since 1970, to the second. */
  onDate?: (date: number) => void;
  limits?: Partial<HttpLimits>;
}

/**
 * The cluster port over HTTP. Every request has a deadline. Retried are: a 429, and a 503 with Retry-After, for a minute in
 * all; a 401 once, with renewed credentials; a read whose kept-alive connection the server had closed. Anything else rejects
 * at once: with ApiError if the server refused, otherwise with TransportError or CredentialsError. There is no rate limit on
 * this side, because the server has its own (priority and fairness).
 */
export function createHttpCluster(options: HttpClusterOptions): HttpCluster {
  const { connection, clock, random, userAgent } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const transport = createTransport({ connection, clock, connectMs: limits.connectMs });
  const client: ApiClient = {
    transport,
    identity: createIdentity(connection),
    clock,
    random,
    userAgent,
    limits,
    onCall: (call) => options.onCall?.(call),
    beforeWrite: () => options.beforeWrite?.(),
    onSlow: options.onSlow,
    onDate: options.onDate,
  };
  const calls = createCalls(client);
  const watches = createWatches(client);
  const pages = createPages();
  const commands = createCommands(client, connection);

  async function objectOf(asked: Call): Promise<KubeObject> {
    const value = await calls.call(asked);
    if (typeof value === 'object' && value !== null && 'kind' in value) return value as KubeObject;
    throw unreadable(transport.host, 'it is not an object', asked.method !== 'GET');
  }

  return {
    list: async (resource, listOptions = {}) =>
      pages(resource, listOptions, async (asked, mostBytes) => {
        const path = pathOf(resource, { namespace: asked.namespace }) + listQuery(asked);
        const isMetadataEnough = asked.answer === 'metadata';
        const answer = await calls.call({
          ...{ verb: 'list', resource, method: 'GET', path, mostBytes, isMetadataEnough },
        });
        const list = listOf(answer, resource);
        if (list === undefined) throw unreadable(transport.host, 'it is not a list', false);
        return list;
      }),
    watch: (resource, watchOptions, sink) => watches.watch(resource, watchOptions, sink),
    get: async (resource, at) =>
      objectOf({ verb: 'get', resource, method: 'GET', path: objectPath(resource, at) }),
    async create(resource, body, writeOptions = {}) {
      const { subresource } = writeOptions;
      const { namespace } = body.metadata;
      if (subresource === 'exec')
        return commands.run(objectPath(resource, body.metadata, subresource) + execQuery(commandOf(body)));
      if (subresource === undefined && resource.namespaced && !namespace)
        throw badRequest('an empty namespace may not be set during creation');
      const path =
        subresource === undefined
          ? pathOf(resource, { namespace })
          : objectPath(resource, body.metadata, subresource);
      return objectOf({
        verb: 'create',
        resource,
        method: 'POST',
        path: path + writeQuery(writeOptions),
        body,
        isMetadataEnough: writeOptions.answer === 'metadata',
        // An eviction's 429 means that a disruption budget forbids it.
        final: subresource === 'eviction',
      });
    },
    async replace(resource, body, writeOptions = {}) {
      const path = objectPath(resource, body.metadata, writeOptions.subresource) + writeQuery(writeOptions);
      return objectOf({ verb: 'replace', resource, method: 'PUT', path, body });
    },
    async patch(resource, at, patch, writeOptions = {}) {
      const path = objectPath(resource, at, writeOptions.subresource) + writeQuery(writeOptions, patch);
      return objectOf({
        verb: 'patch',
        resource,
        method: 'PATCH',
        path,
        body: patch.body,
        contentType: contentTypeOf(patch),
        isMetadataEnough: writeOptions.answer === 'metadata',
      });
    },
    async delete(resource, at, deleteOptions = {}) {
      const path = objectPath(resource, at);
      const body = deleteBody(deleteOptions);
      const object = await objectOf({ verb: 'delete', resource, method: 'DELETE', path, body });
      return isStatus(object) || !isLeft(object) ? undefined : object;
    },
    close() {
      calls.close();
      watches.close();
      commands.close();
      transport.close();
    },
  };
}

/** The path of one object. Refuses an empty name, which would address all objects, with the messages of client-go. */
function objectPath(resource: Resource, at: ObjectKey, subresource?: string): string {
  if (at.name === '') throw badRequest('resource name may not be empty');
  if (resource.namespaced && !at.namespace)
    throw badRequest('an empty namespace may not be set when a resource name is provided');
  return pathOf(resource, { namespace: at.namespace, name: at.name, subresource });
}

function badRequest(message: string): ApiError {
  return new ApiError({ code: 400, reason: 'BadRequest', message });
}

/** The list with kind and apiVersion in each item: servers omit them from the items of built-in kinds, and rename metadata alone. */
function listOf(value: unknown, { kind, group, version }: Resource): ObjectList | undefined {
  const { metadata, items } = (value ?? {}) as { metadata?: unknown; items?: unknown };
  if (typeof metadata !== 'object' || metadata === null) return undefined;
  if (items !== null && items !== undefined && !Array.isArray(items)) return undefined;
  const objects = (items ?? []) as KubeObject[];
  const apiVersion = group === '' ? version : `${group}/${version}`;
  for (const object of objects) {
    if (object.kind === 'PartialObjectMetadata') Object.assign(object, { kind, apiVersion });
    object.kind ??= kind;
    object.apiVersion ??= apiVersion;
  }
  return { metadata: metadata as ObjectList['metadata'], items: objects };
}

/** Whether an object still exists after its DELETE: it waits for its grace period or for finalizers. */
function isLeft({ metadata }: KubeObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers = [] } = metadata;
  if (deletionTimestamp === undefined) return false;
  return deletionGracePeriodSeconds !== 0 || finalizers.length > 0;
}
