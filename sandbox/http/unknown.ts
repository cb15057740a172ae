import type { FrontContext } from './exchange.ts';
import { pageNotFound, type Reply } from './reply.ts';
import { frontRefusal } from './status.ts';

/** 404 for an unknown version of a built-in group; other groups get the generic 404. */
export function unknownVersion({ server }: FrontContext, group: string): Reply {
  const builtIn = server.registry.types().some((type) => type.group === group && !type.custom);
  if (!builtIn && group !== '') return pageNotFound();
  throw frontRefusal.noResource();
}
