import type { KubeObject } from '../../schemas/wire/object.ts';
import { inProcess } from '../access/users.ts';
import { withUpdate } from '../fields/manage.ts';
import { checkManager } from '../fields/manager.ts';
import { internValue } from '../store/value.ts';
import { readBody } from './admit.ts';
import type { ApiContext } from './context.ts';
import { refuse } from './errors.ts';
import { timestamp } from './metadata.ts';
import type { Served } from './registry.ts';
import type { RequestOptions } from './request.ts';
import { writerOf } from './writer.ts';

/**
 * POST of a review kind (such as SubjectAccessReview): computes the response and stores nothing. 400 if the body is
 * of another kind, 422 if it is invalid.
 */
export function answerReview(
  context: ApiContext,
  user: string,
  served: Served,
  rawBody: unknown,
  options: RequestOptions,
): KubeObject {
  const { answer } = served.type;
  if (answer === undefined || options.subresource !== undefined) throw refuse.noResource();
  checkManager('CreateOptions', options.fieldManager, false);
  const question = readBody(served, rawBody, undefined, options);
  const asked = withUpdate(served, writerOf(context, user, options), question, undefined);
  const requester = options.requester ?? inProcess(user);
  return internValue(
    answer(asked, { user: requester, at: timestamp(context.clock.now()), authorizer: context.authorizer }),
  );
}
