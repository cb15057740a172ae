import { ApiError, type ListOptions, type ObjectList } from '../../schemas/wire/cluster.ts';
import type { ApiContext } from './context.ts';
import { deleteObject } from './delete.ts';
import { listObjects } from './list.ts';
import type { Served } from './registry.ts';
import type { DeletionOptions } from './request.ts';

/**
 * DELETE of a collection: deletes one object after the other, and stops at the first error. Responds with the list
 * from before the deletion.
 */
export function deleteCollection(
  context: ApiContext,
  user: string,
  served: Served,
  options: ListOptions & DeletionOptions,
): ObjectList {
  const list = listObjects(context, served, options);
  const { resourceVersion: _ofList, ...deletion } = options;
  for (const { metadata } of list.items) {
    try {
      deleteObject(context, user, served, metadata, deletion);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status.code !== 404) throw error;
    }
  }
  return list;
}
