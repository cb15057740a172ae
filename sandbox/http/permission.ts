import { type Attributes, attributesOf, type ResourceAttributes } from '../access/attributes.ts';
import { impersonated } from '../access/impersonation.ts';
import { notAllowed } from '../access/refusals.ts';
import { anonymous, isAdministrator } from '../access/users.ts';
import type { ApiLogEntry } from '../api/server.ts';
import type { Exchange, FrontContext } from './exchange.ts';
import type { Route } from './route.ts';

const logged: ReadonlySet<string> = new Set<ApiLogEntry['verb']>([
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
]);

const isLogged = (verb: string): verb is ApiLogEntry['verb'] => logged.has(verb);

function noteRefused({ server }: FrontContext, user: string, asked: ResourceAttributes): void {
  const { verb, resource, subresource, namespace, name } = asked;
  if (!isLogged(verb)) return;
  server.logRefused({
    user,
    verb,
    resource,
    ...(subresource === '' ? {} : { subresource }),
    ...(namespace === '' ? {} : { namespace }),
    ...(name === '' ? {} : { name }),
    code: 403,
  });
}

/**
 * Applies impersonation and authorizes the request. 403 is logged. Anonymous requests reach this point only for
 * public paths.
 */
export function permitted(context: FrontContext, received: Exchange, route: Route): Exchange {
  const { authorizer } = context.server;
  const { impersonation } = received;
  let exchange = received;
  if (impersonation !== undefined) {
    const impersonator = impersonated(authorizer, received.requester, impersonation);
    exchange = { ...received, user: impersonator.name, requester: impersonator };
  }
  const { requester, method, path, query } = exchange;
  if (isAdministrator(requester) || received.user === anonymous) return exchange;
  for (const asked of questions(attributesOf(method, path, route, query))) {
    const { allowed, reason } = authorizer.authorize(requester, asked);
    if (allowed) continue;
    if (!('path' in asked)) noteRefused(context, requester.name, asked);
    throw notAllowed(requester, asked, reason);
  }
  return exchange;
}

/** Whoever opens a connection to a container by a GET needs the right to create it, too. */
function questions(asked: Attributes): Attributes[] {
  const isConnection = !('path' in asked) && asked.verb === 'get' && isConnectionTo(asked);
  return isConnection ? [asked, { ...asked, verb: 'create' }] : [asked];
}

function isConnectionTo({ group, resource, subresource }: ResourceAttributes): boolean {
  return group === '' && resource === 'pods' && ['exec', 'attach', 'portforward'].includes(subresource);
}
