import type { IncomingHttpHeaders } from 'node:http';
import { refuse } from '../api/errors.ts';
import type { ResourceAttributes } from './attributes.ts';
import type { Authorizer } from './authorizer.ts';
import { requireAllowed } from './refusals.ts';
import { accountGroups, accountOf, anonymous, everybody, type UserInfo } from './users.ts';

/** The user that a request impersonates (`kubectl --as`). */
export interface Impersonation {
  name: string;
  groups: readonly string[];
  uid: string;
  extra: Readonly<Record<string, readonly string[]>>;
}

/** Every value of each header, whether the client repeated the header or not. */
type Headers = Readonly<Record<string, readonly string[] | undefined>>;

const extraPrefix = 'impersonate-extra-';

/** Parses the impersonation headers; undefined if there are none. */
export function impersonationOf(
  sent: IncomingHttpHeaders,
  headers: () => Headers,
): Impersonation | undefined {
  if (!Object.keys(sent).some((name) => name.startsWith('impersonate-'))) return undefined;
  const all = headers();
  const extra = Object.entries(all)
    .filter(([name]) => name.startsWith(extraPrefix))
    .map(([name, values = []]) => [decodeURIComponent(name.slice(extraPrefix.length)), values] as const);
  return {
    name: all['impersonate-user']?.[0] ?? '',
    groups: all['impersonate-group'] ?? [],
    uid: all['impersonate-uid']?.[0] ?? '',
    extra: Object.fromEntries(extra),
  };
}

function impersonating(resource: string, name: string, more: Partial<ResourceAttributes> = {}) {
  return { verb: 'impersonate', group: '', resource, subresource: '', namespace: '', name, ...more };
}

const authentication = 'authentication.k8s.io';

/**
 * The impersonated user. 400 for groups without a user, 403 for each attribute that the requester may not
 * impersonate.
 */
export function impersonated(authorizer: Authorizer, user: UserInfo, wanted: Impersonation): UserInfo {
  const { name, groups, uid, extra } = wanted;
  if (name === '') {
    const parts = [
      ...groups.map((each) => `{Group  ${each}    }`),
      ...(uid === '' ? [] : [`{UID  ${uid}    }`]),
    ];
    throw refuse.badRequest(`requested [${parts.join(' ')}] without impersonating a user`);
  }
  const account = accountOf(name);
  requireAllowed(
    authorizer,
    user,
    account === undefined
      ? impersonating('users', name)
      : impersonating('serviceaccounts', account.name, { namespace: account.namespace }),
  );
  for (const each of groups) requireAllowed(authorizer, user, impersonating('groups', each));
  if (uid !== '') requireAllowed(authorizer, user, impersonating('uids', uid, { group: authentication }));
  for (const [subresource, values] of Object.entries(extra))
    for (const each of values)
      requireAllowed(
        authorizer,
        user,
        impersonating('userextras', each, { group: authentication, subresource }),
      );
  const own = groups.length === 0 && account !== undefined ? accountGroups(account.namespace) : groups;
  const outer = name === anonymous ? 'system:unauthenticated' : everybody;
  return {
    name,
    groups: own.includes(outer) ? own : [...own, outer],
    ...(uid === '' ? {} : { uid }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}
