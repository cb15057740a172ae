import type { KubeObject } from '../../schemas/wire/object.ts';
import type { DeleteOptions, ObjectKey } from '../../schemas/wire/cluster.ts';
import { refuse } from '../api/errors.ts';
import { fieldAt } from '../../schemas/pods/fields.ts';
import { parseBody } from './body.ts';
import { readProtobuf } from './protobuf.ts';
import { deleteOptions, deleteQuery, readQuery, type RawDeleteOptions } from './query.ts';
import { jsonReply, type Reply } from './reply.ts';
import { isProtobuf, type ResourceRequest } from './resourceRequest.ts';
import { listReply, objectReply } from './shape.ts';
import { success } from './status.ts';
import { warningHeaders } from './warnings.ts';

function typed<T>(
  body: unknown,
  path: readonly string[],
  is: (value: unknown) => value is T,
  go: string,
): T | undefined {
  const value = fieldAt(body, path);
  if (value === undefined || value === null) return undefined;
  if (is(value)) return value;
  const name = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  throw refuse.badRequest(
    `json: cannot unmarshal ${name} into Go struct field DeleteOptions.${path.join('.')} of type ${go}`,
  );
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isFlag = (value: unknown): value is boolean => typeof value === 'boolean';
const isWhole = (value: unknown): value is number => Number.isInteger(value);
const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);

/** DeleteOptions of a body; 400 for another kind or wrong types. */
function deleteBody(request: ResourceRequest): RawDeleteOptions {
  const { context, exchange } = request;
  const value: unknown = isProtobuf(request)
    ? readProtobuf(exchange.body)
    : parseBody(exchange.body, exchange.contentType ?? '', context.readYaml).value;
  const kind = fieldAt(value, ['kind']);
  if (typeof kind === 'string' && kind !== '' && kind !== 'DeleteOptions')
    throw refuse.badRequest(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(fieldAt(value, ['apiVersion']) ?? '')} in scheme "pkg/runtime/scheme.go:111"`,
    );
  const raw = {
    gracePeriodSeconds: typed(value, ['gracePeriodSeconds'], isWhole, 'int64'),
    propagationPolicy: typed(value, ['propagationPolicy'], isText, 'v1.DeletionPropagation'),
    orphanDependents: typed(value, ['orphanDependents'], isFlag, 'bool'),
    dryRun: typed(value, ['dryRun'], isTexts, 'string'),
    uid: typed(value, ['preconditions', 'uid'], isText, 'types.UID'),
    resourceVersion: typed(value, ['preconditions', 'resourceVersion'], isText, 'string'),
  };
  return Object.fromEntries(Object.entries(raw).filter(([, each]) => each !== undefined));
}

function optionsOf(request: ResourceRequest): DeleteOptions {
  const { body, query } = request.exchange;
  return deleteOptions(body.length > 0 ? deleteBody(request) : deleteQuery(query));
}

/** Kinds whose DELETE returns the object; all others return a Status. */
const returnedAfterRemoval: ReadonlySet<string> = new Set([
  'persistentvolumeclaims',
  'persistentvolumes',
  'pods',
  'podtemplates',
  'resourcequotas',
  'serviceaccounts',
  'services',
  'csidrivers.storage.k8s.io',
  'csinodes.storage.k8s.io',
  'storageclasses.storage.k8s.io',
  'volumeattachments.storage.k8s.io',
]);

/** DELETE of one object: returns the object if it is only marked or its kind requires it, else a Status. */
export function remove(request: ResourceRequest, at: ObjectKey): Reply {
  const { context, exchange, served, address } = request;
  let removed: KubeObject | undefined;
  const warnings: string[] = [];
  const left = context.server.delete(exchange.user, address, at, {
    ...optionsOf(request),
    requester: exchange.requester,
    ...(exchange.webhooks === undefined ? {} : { webhooks: exchange.webhooks }),
    warn: (text) => warnings.push(text),
    removed: (last) => {
      removed = last;
    },
  });
  const { id, group, plural } = served.type;
  const shown = left ?? (returnedAfterRemoval.has(id) ? removed : undefined);
  if (shown !== undefined) return objectReply(request, 200, shown, warningHeaders(warnings));
  const uid = removed?.metadata.uid;
  const details = { name: at.name, group, kind: plural, ...(uid === undefined ? {} : { uid }) };
  return jsonReply(200, JSON.stringify(success(details)), exchange.output, warningHeaders(warnings));
}

/** DELETE of a collection: returns the deleted objects. */
export function removeCollection(request: ResourceRequest): Reply {
  const { context, exchange, address, namespace } = request;
  const { list } = readQuery(exchange.query, false);
  const deleted = context.server.deleteCollection(exchange.user, address, {
    ...list,
    ...optionsOf(request),
    requester: exchange.requester,
    ...(exchange.webhooks === undefined ? {} : { webhooks: exchange.webhooks }),
    ...(namespace === undefined ? {} : { namespace }),
  });
  return listReply(request, deleted);
}
