import {
  ApiError,
  type ListOptions,
  type ObjectKey,
  type ObjectList,
  type Patch,
  type Resource,
  type Subresource,
  type WatchOptions,
  type WatchSink,
} from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Authorizer } from '../access/authorizer.ts';
import { checkGrant, isGrant } from '../access/escalation.ts';
import { createTokens, type Tokens } from '../access/tokens.ts';
import { isAdministrator } from '../access/users.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { fieldAt } from '../../schemas/pods/fields.ts';
import type { Pod } from '../../schemas/pods/pod.ts';
import { locationOf, readView, requireSubresource, type ApiContext } from './context.ts';
import { createObject } from './create.ts';
import { deleteCollection } from './deleteCollection.ts';
import { deleteObject } from './delete.ts';
import { evictPod } from './evict.ts';
import { admitByPolicies } from './admission.ts';
import { connectTo, type ExecCommand, type Executed, execIn } from './exec.ts';
import { listObjects } from './list.ts';
import { patchObject } from './patch.ts';
import { refuse } from './errors.ts';
import { namespaceFinalizers, withFinalizers } from './namespaceFinalizers.ts';
import type { Registry, Served } from './registry.ts';
import type { DeletionOptions, RequestOptions } from './request.ts';
import { putObject } from './replace.ts';
import { answerReview } from './review.ts';
import { scaleOf } from './scale.ts';
import { updateObject } from './update.ts';
import { watchObjects, type OpenWatch } from './watch.ts';
import { Waiting } from '../webhooks/answers.ts';

/** One request, similar to an audit log entry. */
export interface ApiLogEntry {
  /** Milliseconds since 1970 UTC. */
  at: number;
  user: string;
  verb: 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';
  resource: string;
  subresource?: string;
  namespace?: string;
  name?: string;
  code: number;
  /** The resourceVersion of the object or list in the response. */
  resourceVersion?: string;
}

type Address = Pick<Resource, 'group' | 'version' | 'plural'>;

/**
 * The API server's request handlers. They are synchronous, throw ApiError, and always add a log entry. The
 * in-process port and the HTTP front end call the same handlers.
 */
export interface ApiServer {
  get(user: string, resource: Address, at: ObjectKey, subresource?: Subresource): KubeObject;
  list(user: string, resource: Address, options?: ListOptions): ObjectList;
  watch(user: string, resource: Address, options: WatchOptions, sink: WatchSink): OpenWatch;
  create(user: string, resource: Address, body: unknown, options?: RequestOptions): KubeObject;
  replace(user: string, resource: Address, body: unknown, options?: RequestOptions): KubeObject;
  patch(user: string, resource: Address, at: ObjectKey, patch: Patch, options?: RequestOptions): KubeObject;
  delete(user: string, resource: Address, at: ObjectKey, options?: DeletionOptions): KubeObject | undefined;
  /** Runs a command in a container. */
  exec(
    user: string,
    at: ObjectKey,
    command: ExecCommand,
    options?: Pick<RequestOptions, 'requester' | 'webhooks'>,
  ): Executed;
  /** Deletes every selected object; responds with the list from before. */
  deleteCollection(user: string, resource: Address, options?: ListOptions & DeletionOptions): ObjectList;
  /** All served types, for discovery and OpenAPI. */
  registry: Pick<Registry, 'types' | 'serving' | 'byId'>;
  /** The server's current time, milliseconds since 1970 UTC. */
  now(): number;
  /** Called by the namespace controller when the namespace is empty. */
  finalizeNamespace(user: string, name: string): void;
  log: readonly ApiLogEntry[];
  /** The authorizer. These handlers do not authorize; front ends must do it first. */
  authorizer: Authorizer;
  /** Whether writes may have to wait for webhooks: `withAnswers` plays them. */
  callsWebhooks: boolean;
  tokens: Tokens;
  /** Logs a request that a front end rejected. */
  logRefused(refused: Omit<ApiLogEntry, 'at' | 'resourceVersion'>): void;
  /** Ends every open watch, like a server restart. */
  endWatches(error?: ApiError): void;
}

type Subject = Pick<ApiLogEntry, 'verb' | 'subresource' | 'namespace' | 'name'>;

function subject(verb: ApiLogEntry['verb'], at: Partial<ObjectKey>, subresource?: string): Subject {
  return {
    verb,
    ...(subresource === undefined ? {} : { subresource }),
    ...(at.namespace ? { namespace: at.namespace } : {}),
    ...(at.name ? { name: at.name } : {}),
  };
}

function keyOfBody(body: unknown): Partial<ObjectKey> {
  const name = fieldAt(body, ['metadata', 'name']);
  const namespace = fieldAt(body, ['metadata', 'namespace']);
  return {
    ...(typeof name === 'string' ? { name } : {}),
    ...(typeof namespace === 'string' ? { namespace } : {}),
  };
}

function answeredVersion(answer: unknown): string | undefined {
  const version = fieldAt(answer, ['metadata', 'resourceVersion']);
  return typeof version === 'string' ? version : undefined;
}

/** `logSize`: the minimum number of recent requests in the log; default: all. */
export function createApiServer(context: ApiContext, logSize = Infinity): ApiServer {
  const log: ApiLogEntry[] = [];
  const watches = new Set<OpenWatch>();
  const { authorizer } = context;
  const tokens = createTokens(
    context.store,
    () => context.clock.now(),
    () => context.ids.uid(),
  );

  /** Roles and bindings are checked for escalation in their stored form. */
  function granting(
    { type }: Served,
    options: RequestOptions,
    write: (options: RequestOptions) => KubeObject,
  ): KubeObject {
    const { requester, subresource } = options;
    if (requester !== undefined && subresource === undefined && !isAdministrator(requester) && isGrant(type))
      checkGrant(authorizer, requester, type.plural, write({ ...options, dryRun: true, warn: () => {} }));
    return write(options);
  }

  function keep(entry: ApiLogEntry): void {
    log.push(entry);
    // Trimmed in batches, so that the cost per request does not grow with uptime.
    if (log.length > 2 * logSize) log.splice(0, logSize);
  }

  function request<T>(user: string, resource: Address, about: Subject, run: (served: Served) => T): T {
    const at = context.clock.now();
    const note = (code: number, resourceVersion?: string, name = about.name) => {
      keep({
        at,
        user,
        ...about,
        ...(name === undefined ? {} : { name }),
        resource: resource.plural,
        code,
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
      });
    };
    try {
      const served = context.registry.serving(resource);
      if (served.type.answer !== undefined && about.verb !== 'create') throw refuse.methodNotAllowed();
      const answer = run(served);
      context.webhooks.answers.end();
      const generated = about.verb === 'create' ? fieldAt(answer, ['metadata', 'name']) : undefined;
      const version = about.verb === 'watch' ? undefined : answeredVersion(answer);
      note(
        about.verb === 'create' ? 201 : 200,
        version,
        typeof generated === 'string' ? generated : about.name,
      );
      return answer;
    } catch (error) {
      // The request goes on later.
      if (error instanceof Waiting) throw error;
      context.webhooks.answers.end();
      note(error instanceof ApiError ? error.status.code : 500);
      throw error;
    }
  }

  return {
    log,
    authorizer,
    callsWebhooks: context.webhooks.client !== undefined,
    tokens,
    logRefused: (refused) => keep({ at: context.clock.now(), ...refused }),
    registry: context.registry,
    now: () => context.clock.now(),
    get: (user, resource, at, subresource) =>
      request(user, resource, subject('get', at, subresource), (served) => {
        requireSubresource(served, subresource);
        const view = readView(context, served, locationOf(served, at));
        return subresource === 'scale' ? scaleOf(served, view) : view;
      }),
    list: (user, resource, options = {}) =>
      request(user, resource, subject('list', { namespace: options.namespace ?? '' }), (served) =>
        listObjects(context, served, options),
      ),
    watch: (user, resource, options, sink) =>
      request(user, resource, subject('watch', { namespace: options.namespace ?? '' }), (served) => {
        const watch = watchObjects(context, served, options, sink, (closed) => watches.delete(closed));
        watches.add(watch);
        return watch;
      }),
    create: (user, resource, body, options = {}) =>
      request(
        user,
        resource,
        subject('create', options.at ?? keyOfBody(body), options.subresource),
        (served) => {
          if (served.type.answer !== undefined) return answerReview(context, user, served, body, options);
          return options.subresource === 'eviction'
            ? evictPod(context, user, served, body, options)
            : granting(served, options, (each) => createObject(context, user, served, body, each));
        },
      ),
    replace: (user, resource, body, options = {}) =>
      request(
        user,
        resource,
        subject('update', options.at ?? keyOfBody(body), options.subresource),
        (served) => granting(served, options, (each) => putObject(context, user, served, body, each)),
      ),
    patch: (user, resource, at, patch, options = {}) =>
      request(user, resource, subject('patch', at, options.subresource), (served) =>
        granting(served, options, (each) => patchObject(context, user, served, at, patch, each)),
      ),
    delete: (user, resource, at, options = {}) =>
      request(user, resource, subject('delete', at), (served) =>
        deleteObject(context, user, served, at, options),
      ),
    exec: (user, at, command, { requester, ...options } = {}) =>
      request(user, resources.Pod, subject('create', at, 'exec'), (served) => {
        const pod = readView(context, served, locationOf(served, at)) as Pod;
        admitByPolicies(context, { user, requester, ...options }, () => connectTo(served, pod, command));
        return execIn(pod, command, (container) => context.terminate(pod, container));
      }),
    deleteCollection: (user, resource, options = {}) =>
      request(user, resource, subject('deletecollection', { namespace: options.namespace ?? '' }), (served) =>
        deleteCollection(context, user, served, options),
      ),
    finalizeNamespace(user, name) {
      request(user, resources.Namespace, subject('update', { name }, 'finalize'), (served) =>
        updateObject(
          context,
          user,
          served,
          { name },
          {
            produce: (namespace) =>
              withFinalizers(
                namespace,
                namespaceFinalizers(namespace).filter((finalizer) => finalizer !== 'kubernetes'),
              ),
            unchecked: true,
          },
        ),
      );
    },
    endWatches(error) {
      for (const watch of [...watches]) watch.end(error);
    },
  };
}
