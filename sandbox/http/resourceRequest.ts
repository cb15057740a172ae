import type { Served } from '../api/registry.ts';
import type { Exchange, FrontContext } from './exchange.ts';
import type { Shape } from './negotiate.ts';
import type { ResourceRoute } from './route.ts';

/** A request to a served resource. */
export interface ResourceRequest {
  context: FrontContext;
  exchange: Exchange;
  route: ResourceRoute;
  served: Served;
  address: { group: string; version: string; plural: string };
  namespace: string | undefined;
  /** The representation of the response; negotiated before the request runs, so that a 406 has no effect. */
  shape: Shape;
}

/** The media type of a Content-Type without parameters. */
export function mediaType(contentType: string | undefined): string {
  return (contentType?.split(';')[0] ?? '').trim().toLowerCase();
}

/** Whether the body is protobuf, which is supported for built-in kinds only. */
export function isProtobuf({ exchange, served }: ResourceRequest): boolean {
  return !served.type.custom && mediaType(exchange.contentType) === 'application/vnd.kubernetes.protobuf';
}
