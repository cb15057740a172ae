import type { Served } from '../api/registry.ts';
import type { Exchange, FrontContext } from './exchange.ts';
import type { Shape } from './negotiate.ts';
import type { ResourceRoute } from './route.ts';

/** One request to a resource that is served. */
export interface ResourceRequest {
  context: FrontContext;
  exchange: Exchange;
  route: ResourceRoute;
  served: Served;
  address: { group: string; version: string; plural: string };
  namespace: string | undefined;
  /** What the answer is to look like; settled before anything is done, so that a 406 has no effect. */
  shape: Shape;
}

/** The media type of a Content-Type, without its parameters. */
export function mediaType(contentType: string | undefined): string {
  return (contentType?.split(';')[0] ?? '').trim().toLowerCase();
}

/** The body is protobuf, which only built-in kinds are sent as. */
export function isProtobuf({ exchange, served }: ResourceRequest): boolean {
  return !served.type.custom && mediaType(exchange.contentType) === 'application/vnd.kubernetes.protobuf';
}
