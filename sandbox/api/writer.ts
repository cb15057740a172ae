import { managerOfUser, type Writer } from '../fields/manager.ts';
import type { ApiContext } from './context.ts';
import type { RequestOptions } from './request.ts';

/** Who writes, as managedFields will have it: the manager that the request names, or the one its user is. */
export function writerOf(context: ApiContext, user: string, options: RequestOptions): Writer {
  return {
    manager: options.fieldManager || managerOfUser(user),
    ...(options.subresource === undefined ? {} : { subresource: options.subresource }),
    at: context.clock.now(),
  };
}
