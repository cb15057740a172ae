import { ApiError } from '../../schemas/wire/cluster.ts';
import { refuse } from '../api/errors.ts';
import type { Attributes, ResourceAttributes } from './attributes.ts';
import type { Authorizer } from './authorizer.ts';
import type { UserInfo } from './users.ts';

/** 403 about a resource: `pods is forbidden: …`, `pods "a" is forbidden: …`. */
function forbidden({ group, resource, name }: ResourceAttributes, why: string): ApiError {
  if (name !== '') return refuse.forbidden({ group, plural: resource }, name, why);
  const details = { ...(group === '' ? {} : { group }), kind: resource };
  const subject = group === '' ? resource : `${resource}.${group}`;
  return new ApiError({
    code: 403,
    reason: 'Forbidden',
    message: `${subject} is forbidden: ${why}`,
    details,
  });
}

/** The error for a request that no rule allows. */
export function notAllowed(user: UserInfo, asked: Attributes, reason: string): ApiError {
  const who = `User ${JSON.stringify(user.name)} cannot ${asked.verb}`;
  const explanation = reason === '' ? '' : `: ${reason}`;
  if ('path' in asked) {
    const message = `forbidden: ${who} path ${JSON.stringify(asked.path)}${explanation}`;
    return new ApiError({ code: 403, reason: 'Forbidden', message, details: {} });
  }
  const { group, resource, subresource, namespace } = asked;
  const whole = subresource === '' ? resource : `${resource}/${subresource}`;
  const scope = namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(namespace)}`;
  const what = `resource ${JSON.stringify(whole)} in API group ${JSON.stringify(group)} ${scope}`;
  return forbidden(asked, `${who} ${what}${explanation}`);
}

/** Throws 403 unless the request is allowed. */
export function requireAllowed(authorizer: Authorizer, user: UserInfo, asked: Attributes): void {
  const { allowed, reason } = authorizer.authorize(user, asked);
  if (!allowed) throw notAllowed(user, asked, reason);
}
