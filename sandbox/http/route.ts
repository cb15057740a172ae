/** The parsed path of a request, before the resource is looked up. */
export type Route =
  | { type: 'root' }
  | { type: 'version' }
  | { type: 'health'; check: string; part: string | undefined }
  | { type: 'coreVersions' }
  | { type: 'groups' }
  | { type: 'group'; group: string }
  | { type: 'resources'; group: string; version: string }
  | { type: 'openapiV2' }
  | { type: 'openapi'; path: string | undefined }
  | ResourceRoute
  | { type: 'unknown' };

export interface ResourceRoute {
  type: 'resource';
  group: string;
  version: string;
  plural: string;
  namespace?: string;
  name?: string;
  subresource?: string;
  /** The deprecated watch URL: a path segment `watch` after the version. */
  watched: boolean;
}

const healthChecks: ReadonlySet<string> = new Set(['healthz', 'livez', 'readyz']);
/** Subresources of a namespace, in contrast to resources in it. */
const namespaceSubresources: ReadonlySet<string> = new Set(['status', 'finalize']);

function withoutEmptyTail(segments: string[]): string[] {
  return segments.at(-1) === '' ? segments.slice(0, -1) : segments;
}

function location(group: string, version: string, segments: string[], watched: boolean): Route {
  const [first, second, third] = segments;
  const inNamespace =
    first === 'namespaces' &&
    second !== undefined &&
    third !== undefined &&
    !namespaceSubresources.has(third);
  const rest = inNamespace ? segments.slice(2) : segments;
  const [plural, name, subresource, ...more] = rest;
  if (more.length > 0 || rest.includes('') || second === '' || plural === undefined)
    return { type: 'resource', group, version, plural: '', watched };
  return {
    type: 'resource',
    group,
    version,
    plural,
    ...(inNamespace ? { namespace: second } : {}),
    ...(name === undefined ? {} : { name }),
    ...(subresource === undefined ? {} : { subresource }),
    watched,
  };
}

function inGroup(group: string, version: string, segments: string[]): Route {
  if (segments.length === 0) return { type: 'resources', group, version };
  return segments[0] === 'watch' && segments.length > 1
    ? location(group, version, segments.slice(1), true)
    : location(group, version, segments, false);
}

/**
 * Parses a decoded path. Because decoding comes first, an escaped slash separates segments; `.` and `..` are
 * ordinary names. A resource route with an empty `plural` matches no resource.
 */
export function routeOf(path: string): Route {
  if (path === '/' || path === '') return { type: 'root' };
  if (!path.startsWith('/')) return { type: 'unknown' };
  const [first = '', ...after] = path.slice(1).split('/');
  if (first === 'openapi' && after[0] === 'v3') {
    const rest = after.slice(1).join('/');
    return { type: 'openapi', path: rest === '' ? undefined : rest };
  }
  if (first === 'openapi' && after.join('/') === 'v2') return { type: 'openapiV2' };
  if (healthChecks.has(first)) {
    if (after.at(-1) === '') return { type: 'unknown' };
    return { type: 'health', check: first, part: after.length === 0 ? undefined : after.join('/') };
  }
  const segments = withoutEmptyTail(after);
  if (first === 'version') return segments.length === 0 ? { type: 'version' } : { type: 'unknown' };
  if (first === 'api') {
    const [version, ...rest] = segments;
    if (version === undefined) return { type: 'coreVersions' };
    return version === '' ? { type: 'unknown' } : inGroup('', version, rest);
  }
  if (first === 'apis') {
    const [group, version, ...rest] = segments;
    if (group === undefined) return { type: 'groups' };
    if (group === '') return { type: 'unknown' };
    return version === undefined ? { type: 'group', group } : inGroup(group, version, rest);
  }
  return { type: 'unknown' };
}
