import type { WatchEvent } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { refuse } from '../api/errors.ts';
import { apiVersionOf, type Served } from '../api/registry.ts';
import { tableOf, type TableOptions } from '../table/table.ts';
import type { Shape } from './negotiate.ts';
import { jsonReply, type Headers, type Reply } from './reply.ts';
import type { ResourceRequest } from './resourceRequest.ts';
import { frontRefusal } from './status.ts';
import { listText, objectText } from './text.ts';

type List = { metadata: object; items: readonly KubeObject[] };

/** The includeObject parameter of Tables; 400 for invalid values. */
export function includeObject(query: URLSearchParams): TableOptions['includeObject'] {
  const asked = query.get('includeObject') ?? '';
  if (asked === '') return 'Metadata';
  if (asked === 'None' || asked === 'Metadata' || asked === 'Object') return asked;
  throw refuse.badRequest(
    `Invalid value: ${JSON.stringify(asked)}: must be 'Metadata', 'Object', 'None', or empty`,
  );
}

function partial({ metadata }: KubeObject, version: 'v1' | 'v1beta1'): KubeObject {
  return { kind: 'PartialObjectMetadata', apiVersion: `meta.k8s.io/${version}`, metadata };
}

function table(
  { context, served, exchange }: ResourceRequest,
  list: { items: readonly KubeObject[]; metadata?: object },
  version: 'v1' | 'v1beta1',
  headers: boolean,
): string {
  const options = { includeObject: includeObject(exchange.query), version, headers };
  return JSON.stringify(tableOf(context.server, served, list, options));
}

function shaped(request: ResourceRequest, shape: Shape, object: KubeObject, headers: boolean): string {
  switch (shape.as) {
    case 'Table':
      return table(request, { items: [object] }, shape.version, headers);
    case 'PartialObjectMetadata':
      return objectText(partial(object, shape.version));
    case 'PartialObjectMetadataList':
      throw frontRefusal.notAcceptable(
        `you requested PartialObjectMetadataList, but the requested object is not a list (${object.kind})`,
      );
    case 'itself':
    case 'APIGroupDiscoveryList':
      return objectText(object);
  }
}

/** An object in the negotiated representation. */
export function objectReply(
  request: ResourceRequest,
  code: number,
  object: KubeObject,
  headers?: Headers,
): Reply {
  return jsonReply(code, shaped(request, request.shape, object, true), request.exchange.output, headers);
}

function listed(request: ResourceRequest, { metadata, items }: List): string {
  const { type, version } = request.served;
  const { shape } = request;
  switch (shape.as) {
    case 'Table':
      return table(request, { metadata, items }, shape.version, true);
    case 'PartialObjectMetadataList': {
      const apiVersion = `meta.k8s.io/${shape.version}`;
      const kind = 'PartialObjectMetadataList';
      return listText(
        { kind, apiVersion, metadata, items: items.map((item) => partial(item, shape.version)) },
        true,
      );
    }
    case 'PartialObjectMetadata':
      throw frontRefusal.notAcceptable(
        `you requested PartialObjectMetadata, but the requested object is a list (${type.kind}List)`,
      );
    case 'itself':
    case 'APIGroupDiscoveryList': {
      const apiVersion = apiVersionOf(type.group, version.version);
      return listText({ kind: `${type.kind}List`, apiVersion, metadata, items }, type.custom);
    }
  }
}

/** A list in the negotiated representation. */
export function listReply(request: ResourceRequest, list: List): Reply {
  return jsonReply(200, listed(request, list), request.exchange.output);
}

function bookmark({ type, version }: Served, resourceVersion: string, closesInitial: boolean): KubeObject {
  return {
    kind: type.kind,
    apiVersion: apiVersionOf(type.group, version.version),
    metadata: {
      resourceVersion,
      ...(closesInitial ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {}),
    } as KubeObject['metadata'],
  };
}

/** Serializes watch events; a Table contains column definitions only in its first event. */
export function eventLines(request: ResourceRequest): (event: WatchEvent) => string {
  const { shape } = request;
  if (shape.as === 'PartialObjectMetadataList')
    throw frontRefusal.notAcceptable(
      'you requested PartialObjectMetadataList, but the requested object is a watch',
    );
  let headers = true;
  return (event) => {
    const object =
      event.type === 'BOOKMARK'
        ? bookmark(request.served, event.resourceVersion, event.initialEventsEnd === true)
        : event.object;
    const text = shaped(request, shape, object, headers);
    headers = false;
    return `{"type":"${event.type}","object":${text}}`;
  };
}
