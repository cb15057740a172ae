import { createHash } from 'node:crypto';
import type { Registry, ResourceType } from '../api/registry.ts';
import { resourcesOf } from '../discovery/resources.ts';
import { typeNameOf } from '../kinds/shapes.ts';
import { createComponents } from './components.ts';
import { resourcePaths, subresourcePath, type OperationSubject } from './operations.ts';

type Types = Pick<Registry, 'types'>;

interface Document {
  /** The input of the cache; a changed definition is another type. */
  types: readonly ResourceType[];
  value: unknown;
  hash: string;
}

interface GroupVersion {
  group: string;
  version: string;
}

function pathOf({ group, version }: GroupVersion): string {
  return group === '' ? `api/${version}` : `apis/${group}/${version}`;
}

function groupVersionOf(path: string): GroupVersion | undefined {
  const [, version, group, groupVersion] = /^(?:api\/([^/]+)|apis\/([^/]+)\/([^/]+))$/.exec(path) ?? [];
  if (version !== undefined) return { group: '', version };
  return group === undefined || groupVersion === undefined ? undefined : { group, version: groupVersion };
}

/** The served group versions in document order. */
function groupVersions(registry: Types): GroupVersion[] {
  const found = new Map<string, GroupVersion>();
  for (const { group, versions } of registry.types())
    for (const version of versions.keys()) found.set(pathOf({ group, version }), { group, version });
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
}

function makeDocument(registry: Types, { group, version }: GroupVersion): unknown {
  const components = createComponents();
  const base = `/${pathOf({ group, version })}`;
  const paths: Record<string, unknown> = {};
  for (const { type, verbs, subresources } of resourcesOf(registry, group, version)) {
    const served = type.versions.get(version);
    if (served === undefined) continue;
    const { kind, plural, namespaced, custom } = type;
    const builtInType = custom ? undefined : typeNameOf(group, version, kind);
    const component = components.ofKind(type, served, builtInType);
    const subject: OperationSubject = { of: { group, version, kind }, namespaced, custom, component };
    Object.assign(paths, resourcePaths(base, plural, verbs, subject));
    for (const part of subresources) {
      const of = { group: part.group ?? group, version: part.version ?? version, kind: part.kind };
      const partType = part.kind === kind ? undefined : typeNameOf(of.group, of.version, of.kind);
      const partSubject: OperationSubject = {
        ...subject,
        of: custom ? subject.of : of,
        component: partType === undefined ? component : components.ofType(partType),
      };
      Object.assign(paths, subresourcePath(base, plural, part, partSubject));
    }
  }
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: '1.35' },
    paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
    components: { schemas: components.schemas() },
  };
}

const documentsByRegistry = new WeakMap<Types, Map<string, Document>>();

/** The document of a group version; cached until the served kinds change. */
function documentOf(registry: Types, groupVersion: GroupVersion): Document | undefined {
  const types = registry
    .types()
    .filter(({ group, versions }) => group === groupVersion.group && versions.has(groupVersion.version));
  if (types.length === 0) return undefined;
  let documents = documentsByRegistry.get(registry);
  if (documents === undefined) documentsByRegistry.set(registry, (documents = new Map()));
  const path = pathOf(groupVersion);
  const known = documents.get(path);
  if (known?.types.length === types.length && known.types.every((type, index) => type === types[index]))
    return known;
  const value = makeDocument(registry, groupVersion);
  const hash = createHash('sha512').update(JSON.stringify(value)).digest('hex').toUpperCase();
  const made: Document = { types, value, hash };
  documents.set(path, made);
  return made;
}

/**
 * The response of `/openapi/v3`: the document URL of each group version. The URL contains a hash of the document,
 * so clients can cache documents.
 */
export function openApiIndex(registry: Types): {
  paths: Record<string, { serverRelativeURL: string }>;
} {
  const paths: Record<string, { serverRelativeURL: string }> = {};
  for (const groupVersion of groupVersions(registry)) {
    const path = pathOf(groupVersion);
    const hash = documentOf(registry, groupVersion)?.hash ?? '';
    paths[path] = { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` };
  }
  return { paths };
}

/**
 * The OpenAPI v3 document of `api/v1` or `apis/GROUP/VERSION`; undefined if nothing is served there. Built-in kinds
 * have no descriptions but all that clients need to merge; custom kinds have those of their definition.
 */
export function openApiDocument(registry: Types, path: string): unknown {
  const groupVersion = groupVersionOf(path);
  return groupVersion === undefined ? undefined : documentOf(registry, groupVersion)?.value;
}
