import { ApiError, type Resource } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { ApiServer } from '../../sandbox/api/server.ts';
import { diagnostic, sortDiagnostics } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { positionOf } from '../diagnostics/position.ts';
import { HostError } from '../host.ts';
import type { Host } from '../host.ts';
import { findFiles, shownPath } from '../load/files.ts';
import { isObject } from '../load/identity.ts';
import { createLocator } from '../load/locate.ts';
import type { Origin } from '../load/locate.ts';
import { decode } from '../load/parse.ts';
import { readYaml } from '../load/read.ts';
import { byText } from '../text/order.ts';
import { suggest } from '../text/suggest.ts';
import type { Named } from './sandbox-options.ts';

/** An object of a file, as it is to be applied. */
export interface Loadable {
  value: JsonObject;
  at: Origin;
}

/** One thing that keeps an object from being applied. */
export interface LoadProblem {
  /** `web.yaml:12` */
  place: string;
  /** `CloneSet shop/web` */
  subject: string;
  message: string;
}

/** Reads every document of every file; what is wrong with any of them is told, wherever it stands. */
export function readLoadables(
  host: Host,
  paths: readonly Named[],
): { objects: Loadable[]; files: number; diagnostics: Diagnostic[] } {
  const diagnostics: Diagnostic[] = [];
  const files = new Set<string>();
  for (const { path } of paths) {
    const root = host.inspect(path)?.kind === 'folder' ? path : host.cwd;
    const found = findFiles(host, root, path, '');
    diagnostics.push(...found.diagnostics);
    for (const file of found.files.map((each) => each.path).sort(byText)) files.add(file);
  }
  const objects: Loadable[] = [];
  for (const path of files) {
    let bytes;
    try {
      bytes = host.readFile(path);
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      diagnostics.push(diagnostic('KR1001', { path: shownPath(host, path), reason: error.reason }));
      continue;
    }
    const { source, diagnostics: undecodable } = decode(shownPath(host, path), bytes);
    const read = readYaml(source);
    diagnostics.push(...undecodable, ...read.diagnostics);
    for (const [document, { value, diagnostics: odd }] of read.documents.entries()) {
      diagnostics.push(...odd);
      objects.push(...objectsIn(value, { source, document, path: [] }));
    }
  }
  return { objects, files: files.size, diagnostics: sortDiagnostics(diagnostics) };
}

/** A document that holds nothing is none; a List is what is in it. */
function objectsIn(value: unknown, at: Origin): Loadable[] {
  if (value === null || value === undefined) return [];
  const object = isObject(value as JsonObject) ? (value as JsonObject) : {};
  const { kind, items } = object;
  if (typeof kind !== 'string' || !kind.endsWith('List') || !Array.isArray(items))
    return [{ value: object, at }];
  return items.flatMap((item, index) =>
    objectsIn(item, { ...at, path: [...at.path, 'items', String(index)] }),
  );
}

/** What others need to be there comes first. */
const FIRST = ['CustomResourceDefinition', 'Namespace'];

function rank({ value }: Loadable): number {
  const { kind } = value;
  const index = typeof kind === 'string' ? FIRST.indexOf(kind) : -1;
  return index < 0 ? FIRST.length : index;
}

const MANAGER = 'kruise-sandbox';
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * Applies objects as `kubectl apply` would: definitions and namespaces first, the others in their order; what is there
 * already is changed to what the file says. Everything that the server refuses is told.
 */
export function applyLoadables(
  server: ApiServer,
  user: string,
  objects: readonly Loadable[],
): { applied: number; problems: LoadProblem[] } {
  const problems: LoadProblem[] = [];
  const locate = createLocator();
  const placeOf = (at: Origin): string =>
    `${at.source.file}:${positionOf(locate(at, ['metadata', 'name'], 'value')).line}`;
  const given = new Map<string, Origin>();
  const ordered = objects.toSorted((a, b) => rank(a) - rank(b));
  for (const { value, at } of ordered) {
    const identity = identityOf(value);
    const first = identity === undefined ? undefined : given.get(identity);
    if (identity !== undefined) given.set(identity, first ?? at);
    const message =
      first === undefined ? applyOne(server, user, value) : `it is given twice, first at ${placeOf(first)}`;
    if (message !== undefined) problems.push({ place: placeOf(at), subject: subjectOf(value), message });
  }
  return { applied: objects.length - problems.length, problems };
}

/** What keeps it from being applied, in a sentence; undefined when it was. */
function applyOne(server: ApiServer, user: string, value: JsonObject): string | undefined {
  const { apiVersion, kind, metadata } = value;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string')
    return 'it has no apiVersion and kind, so it is no Kubernetes object';
  const meta = isObject(metadata) ? metadata : {};
  const name = meta['name'];
  if (typeof name !== 'string' || name === '') return 'it has no metadata.name';
  const resource = resourceOf(server, apiVersion, kind);
  if (typeof resource === 'string') return resource;
  const said = typeof meta['namespace'] === 'string' ? meta['namespace'] : 'default';
  const at: { name: string; namespace?: string } = resource.namespaced ? { name, namespace: said } : { name };
  const body = withLastApplied({ ...value, metadata: { ...meta, ...(at as JsonObject) } });
  try {
    server.patch(
      user,
      resource,
      at,
      { type: 'apply', body, force: true },
      { fieldManager: MANAGER, fieldValidation: 'Strict' },
    );
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const isNamespace = error.status.code === 404 && error.message.startsWith('namespaces "');
    const hint = isNamespace ? '; load a Namespace of that name, too' : '';
    return `${error.message}${hint}`;
  }
}

function resourceOf(server: ApiServer, apiVersion: string, kind: string): Resource | string {
  const [group, version] = apiVersion.includes('/')
    ? [apiVersion.slice(0, apiVersion.indexOf('/')), apiVersion.slice(apiVersion.indexOf('/') + 1)]
    : ['', apiVersion];
  const types = server.registry.types();
  const type = types.find((each) => each.group === group && each.kind === kind);
  if (type?.versions.has(version) === true)
    return { group, version, plural: type.plural, kind, namespaced: type.namespaced };
  if (type !== undefined) {
    const served = [...type.versions.keys()].map((each) => (group === '' ? each : `${group}/${each}`));
    return `there is no ${kind} in ${apiVersion}; use ${served.join(' or ')}`;
  }
  const elsewhere = types.find((each) => each.kind === kind);
  if (elsewhere !== undefined) {
    const right = [elsewhere.group, elsewhere.storageVersion].filter((part) => part !== '').join('/');
    return `there is no ${kind} in ${apiVersion}; did you mean ${right}?`;
  }
  const meant = suggest(
    kind,
    types.filter((each) => each.group === group).map((each) => each.kind),
  );
  const hint = meant === undefined ? 'load its CustomResourceDefinition, too' : `did you mean ${meant}?`;
  return `there is no kind ${kind} in ${apiVersion}; ${hint}`;
}

/** With what `kubectl apply` remembers, so that a later one knows which fields it may take out. */
function withLastApplied(object: JsonObject & { metadata: JsonObject }): JsonObject {
  const { metadata } = object;
  const { [LAST_APPLIED]: _, ...annotations } = isObject(metadata['annotations'])
    ? metadata['annotations']
    : {};
  const plain = { ...object, metadata: { ...metadata, annotations } };
  const text = `${JSON.stringify(sorted(plain))}\n`;
  return { ...object, metadata: { ...metadata, annotations: { ...annotations, [LAST_APPLIED]: text } } };
}

function sorted(value: JsonObject[string]): JsonObject[string] {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort(byText)
      .map((key) => [key, sorted(value[key] ?? null)]),
  );
}

/** Two objects of one identity are the same one, whatever version they are given in. */
function identityOf(value: JsonObject): string | undefined {
  const metadata = isObject(value['metadata']) ? value['metadata'] : {};
  if (metadata['name'] === undefined) return undefined;
  const group = typeof value['apiVersion'] === 'string' ? value['apiVersion'].split('/').slice(0, -1) : [];
  return JSON.stringify([group, value['kind'], metadata['namespace'] ?? 'default', metadata['name']]);
}

function subjectOf(value: JsonObject): string {
  const kind = typeof value['kind'] === 'string' ? value['kind'] : 'document';
  const metadata = isObject(value['metadata']) ? value['metadata'] : {};
  const parts = [metadata['namespace'], metadata['name']].filter((part) => typeof part === 'string');
  return parts.length === 0 ? kind : `${kind} ${parts.join('/')}`;
}
