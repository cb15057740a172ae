import { managerOfUser, type Writer } from '../fields/manager.ts';
import type { ApiContext } from './context.ts';
import type { RequestOptions } from './request.ts';

/** The writer for managedFields: the requested field manager, else the one derived from the user. */
export function writerOf(context: ApiContext, user: string, options: RequestOptions): Writer {
  return {
    manager: options.fieldManager || managerOfUser(user),
    ...(options.subresource === undefined ? {} : { subresource: options.subresource }),
    at: context.clock.now(),
  };
}
