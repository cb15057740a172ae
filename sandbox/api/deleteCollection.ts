import type { DeleteOptions, ListOptions, ObjectList } from '../../schemas/wire/cluster.ts';
import type { ApiContext } from './context.ts';
import { deleteObject } from './delete.ts';
import { listObjects } from './list.ts';
import type { Served } from './registry.ts';

/** DELETE of a collection: each object of the list, one after the other. Answers with the list as it was. */
export function deleteCollection(
  context: ApiContext,
  user: string,
  served: Served,
  options: ListOptions & DeleteOptions,
): ObjectList {
  const list = listObjects(context, served, options);
  for (const { metadata } of list.items) deleteObject(context, user, served, metadata, options);
  return list;
}
