import type { FrontContext } from './exchange.ts';
import { pageNotFound, type Reply } from './reply.ts';
import { frontRefusal } from './status.ts';

/** A group that is built in knows that it has no such version; of any other nobody knows a thing. */
export function unknownVersion({ server }: FrontContext, group: string): Reply {
  const builtIn = server.registry.types().some((type) => type.group === group && !type.custom);
  if (!builtIn && group !== '') return pageNotFound();
  throw frontRefusal.noResource();
}
