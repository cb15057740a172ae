import { ApiError, type ObjectKey, type Patch, type Subresource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { requireAllowed } from '../access/refusals.ts';
import { refuse } from '../api/errors.ts';
import type { RequestOptions } from '../api/request.ts';
import { scaleOf } from '../api/scale.ts';
import { isFields } from '../../schemas/pods/fields.ts';
import { parseBody, type Body } from './body.ts';
import { readProtobuf } from './protobuf.ts';
import { writeQuery } from './query.ts';
import { jsonReply, refusalReply, type Reply } from './reply.ts';
import { isProtobuf, mediaType, type ResourceRequest } from './resourceRequest.ts';
import { objectReply } from './shape.ts';
import { success } from './status.ts';
import { warningHeaders } from './warnings.ts';

const patchTypes: Readonly<Record<string, Patch['type']>> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/apply-patch+yaml': 'apply',
};

/** A patch body; `null` changes nothing. */
function patchOf(type: Patch['type'], body: unknown, force: boolean): Patch {
  switch (type) {
    case 'json':
      return { type, body: (body ?? []) as (Patch & { type: 'json' })['body'] };
    case 'apply':
      return { type, body: (body ?? {}) as (Patch & { type: 'apply' })['body'], force };
    case 'merge':
    case 'strategic':
      return { type, body: (body ?? {}) as (Patch & { type: 'merge' })['body'] };
  }
}

/** The error for an unsupported patch type; built-in kinds do not list the supported ones. */
function unknownPatchType(custom: boolean): ApiError {
  const reason = 'UnsupportedMediaType';
  if (!custom)
    return new ApiError({ code: 415, reason, message: '415: Unsupported Media Type', details: {} });
  const accepted = Object.keys(patchTypes).filter((type) => patchTypes[type] !== 'strategic');
  return refuse.unsupportedMediaType(
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  );
}

/** The expected body of a write to the object or a subresource. */
function kindOf({ served }: ResourceRequest, part: Subresource | undefined): string {
  switch (part) {
    case 'scale':
      return 'Scale';
    case 'eviction':
      return 'Eviction';
    case 'binding':
      return 'Binding';
    case 'exec':
      return 'PodExecOptions';
    case 'status':
    case 'ephemeralcontainers':
    case 'finalize':
    case 'resize':
    case undefined:
      return served.type.kind;
  }
}

function readObject(request: ResourceRequest, part: Subresource | undefined): Body {
  const { context, exchange, served } = request;
  if (isProtobuf(request)) return { value: readProtobuf(exchange.body), duplicates: [] };
  const custom = served.type.custom && (part === undefined || part === 'status');
  return parseBody(exchange.body, exchange.contentType ?? '', context.readYaml, {
    kind: kindOf(request, part),
    custom,
  });
}

/** POST, PUT and PATCH of objects and subresources. Errors also include the warnings. */
export function write(
  request: ResourceRequest,
  at: ObjectKey | undefined,
  part: Subresource | undefined,
): Reply {
  const warnings: string[] = [];
  try {
    return written(request, at, part, warnings);
  } catch (error) {
    const headers = warningHeaders(warnings);
    if (!(error instanceof ApiError) || headers === undefined) throw error;
    return refusalReply(error, request.exchange.output, headers);
  }
}

function written(
  request: ResourceRequest,
  at: ObjectKey | undefined,
  part: Subresource | undefined,
  warnings: string[],
): Reply {
  const { context, exchange, served, address, namespace } = request;
  const { server } = context;
  const { user, query, userAgent } = exchange;
  const options = (common: RequestOptions, duplicates: string[]): RequestOptions => ({
    ...common,
    ...(part === undefined ? {} : { subresource: part }),
    ...(at === undefined ? {} : { at }),
    warn: (text) => warnings.push(text),
    requester: exchange.requester,
    ...(exchange.webhooks === undefined ? {} : { webhooks: exchange.webhooks }),
    ...(duplicates.length === 0 ? {} : { duplicates }),
  });
  const reply = (code: number, object: KubeObject) =>
    objectReply(
      request,
      code,
      part === 'scale' && object.kind !== 'Scale' ? scaleOf(served, object) : object,
      warningHeaders(warnings),
    );

  if (exchange.method === 'PATCH' && at !== undefined) {
    const type = patchTypes[mediaType(exchange.contentType)];
    if (type === undefined || (type === 'strategic' && served.type.custom))
      throw unknownPatchType(served.type.custom);
    const { options: common, force } = writeQuery(query, 'PatchOptions', userAgent, type === 'apply');
    const { value, duplicates } = parseBody(exchange.body, exchange.contentType ?? '', context.readYaml);
    const existed = type !== 'apply' || exists(request, at);
    if (!existed) requireCreate(request, at);
    const patch = patchOf(type, value, force);
    return reply(existed ? 200 : 201, server.patch(user, address, at, patch, options(common, duplicates)));
  }
  const kind = exchange.method === 'POST' ? 'CreateOptions' : 'UpdateOptions';
  const { options: common } = writeQuery(query, kind, userAgent);
  const { value, duplicates } = readObject(request, part);
  if (exchange.method === 'PUT' && at !== undefined) {
    const mayCreate = part === undefined && served.type.rules.createsOnUpdate === true;
    const existed = !mayCreate || exists(request, at);
    if (!existed) requireCreate(request, at);
    return reply(existed ? 200 : 201, server.replace(user, address, value, options(common, duplicates)));
  }
  const placed = part === undefined || part === 'binding' ? inNamespace(value, namespace) : value;
  const created = server.create(user, address, placed, options(common, duplicates));
  // A POST to a subresource returns no object.
  if (part !== undefined) return jsonReply(201, JSON.stringify({ ...success(), code: 201 }), exchange.output);
  return reply(201, created);
}

/** The namespace of a body defaults to that of the path; a different one is an error. */
function inNamespace(body: unknown, namespace: string | undefined): unknown {
  if (namespace === undefined || !isFields(body)) return body;
  const metadata = body['metadata'] ?? {};
  if (!isFields(metadata)) return body;
  const own = metadata['namespace'];
  if (own === namespace) return body;
  if (own !== undefined && own !== null && own !== '')
    throw refuse.badRequest(
      'the namespace of the provided object does not match the namespace sent on the request',
    );
  return { ...body, metadata: { ...metadata, namespace } };
}

/** A write that creates the object also needs the permission to create. */
function requireCreate({ context, exchange, address }: ResourceRequest, at: ObjectKey): void {
  requireAllowed(context.server.authorizer, exchange.requester, {
    verb: 'create',
    group: address.group,
    resource: address.plural,
    subresource: '',
    namespace: at.namespace ?? '',
    name: at.name,
  });
}

function exists({ context, exchange, address }: ResourceRequest, at: ObjectKey): boolean {
  try {
    context.server.get(exchange.user, address, at);
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status.code === 404) return false;
    throw error;
  }
}
