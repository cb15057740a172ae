import type { ResourceRoute, Route } from '../http/route.ts';

/** The resource attributes of an authorization request. Absent attributes are empty strings. */
export interface ResourceAttributes {
  verb: string;
  group: string;
  resource: string;
  subresource: string;
  namespace: string;
  name: string;
}

/** The subject of an authorization decision: a resource or a path. */
export type Attributes = ResourceAttributes | { verb: string; path: string };

const verbs: Readonly<Record<string, string>> = {
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
};

function verbOf(method: string, { name, watched }: ResourceRoute, query: URLSearchParams): string {
  if (method === 'DELETE') return name === undefined ? 'deletecollection' : 'delete';
  const other = verbs[method];
  if (other !== undefined) return other;
  const watch = query.get('watch');
  if (watched || (name === undefined && watch !== null && watch !== 'false' && watch !== '0')) return 'watch';
  return name === undefined ? 'list' : 'get';
}

/** The single name that a list or watch is restricted to; a rule with resourceNames can allow it. */
function selectedName(query: URLSearchParams): string {
  const selector = query.get('fieldSelector') ?? '';
  return /^metadata\.name==?([^,=!]+)$/.exec(selector)?.[1] ?? '';
}

/** The attributes that a request must be authorized for. */
export function attributesOf(method: string, path: string, route: Route, query: URLSearchParams): Attributes {
  if (route.type !== 'resource' || route.plural === '') return { verb: method.toLowerCase(), path };
  const { group, plural, name, subresource = '', namespace } = route;
  const ownNamespace = group === '' && plural === 'namespaces' ? name : namespace;
  return {
    verb: verbOf(method, route, query),
    group,
    resource: plural,
    subresource,
    namespace: ownNamespace ?? '',
    name: name ?? selectedName(query),
  };
}
