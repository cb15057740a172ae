import { isMap, type Document } from 'yaml';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic, Source } from '../diagnostics/diagnostic.ts';
import { HostError } from '../host.ts';
import type { Host } from '../host.ts';
import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { PLANNED } from '../plan/kinds.ts';
import { isLabel, isName } from '../text/names.ts';
import { byText } from '../text/order.ts';
import { findFiles, shownPath } from './files.ts';
import { GROUP, groupOf, isObject, mayConcernUs, misspelt } from './identity.ts';
import type { Origin } from './locate.ts';
import { createLocator } from './locate.ts';
import { decode, parseYaml } from './parse.ts';
import { readYaml } from './read.ts';
import { tupleId } from '../../semantics/owner.ts';

/** One object of a kind that is planned. */
export interface Manifest {
  /** Group, kind, namespace and name; the version is no part of the identity. */
  id: string;
  kind: string;
  namespace: string | undefined;
  name: string;
  object: KubeObject;
  origin: Origin;
}

export interface Loaded {
  /** By id. */
  manifests: ReadonlyMap<string, Manifest>;
  /** Objects that no server would take for their name: what else is wrong with them is worth telling. */
  misnamed: readonly Manifest[];
  diagnostics: Diagnostic[];
  /** How many files were looked at. */
  found: number;
  /** How many of them hold an object of OpenKruise. */
  files: number;
  /** OpenKruise kinds that this version does not plan, with how many objects there are. */
  ignored: ReadonlyMap<string, number>;
}

/** What one state of a repository consists of. */
export interface State {
  /** Absolute folder that nothing is read outside of. */
  root: string;
  /** Absolute files and folders in it. */
  paths: readonly string[];
  /** Absolute folder of the plans, skipped. */
  plans: string;
}

/** Documents of a text, kept so that a file that is the same in both states is parsed once. */
export type ParseCache = Map<string, Json[]>;

/** Reads every manifest of a state. Files are shown relative to the working directory. Never throws for bad input. */
export function loadState(host: Host, state: State, cache: ParseCache): Loaded {
  const diagnostics: Diagnostic[] = [];
  let files = 0;
  const paths = new Set<string>();
  for (const start of state.paths) {
    const found = findFiles(host, state.root, start, state.plans);
    for (const file of found.files) paths.add(file.path);
    diagnostics.push(...found.diagnostics);
  }
  const manifests = new Map<string, Manifest>();
  const misnamed: Manifest[] = [];
  const ignored = new Map<string, number>();
  const locate = createLocator();
  for (const path of [...paths].sort(byText)) {
    let bytes;
    try {
      bytes = host.readFile(path);
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      diagnostics.push(diagnostic('KR1001', { path: shownPath(host, path), reason: error.reason }));
      continue;
    }
    const { source, diagnostics: undecodable } = decode(shownPath(host, path), bytes);
    diagnostics.push(...undecodable);
    if (!mayConcernUs(source.text)) {
      diagnostics.push(...stranger(source, cache));
      continue;
    }
    const documents = readDocuments(source, cache, diagnostics);
    const objects = documents.flatMap((value, index) => objectsOf(value, source, index));
    if (objects.some(({ value }) => groupOf(value) === GROUP)) files += 1;
    for (const { value, at } of objects) {
      const mistake = misspelt(value, at, locate);
      if (mistake === undefined) identify(value, at, manifests, misnamed, ignored, diagnostics, locate);
      else diagnostics.push(mistake);
    }
  }
  return { manifests, misnamed, diagnostics, found: paths.size, files, ignored };
}

/** What templates are written in: Helm and its like, Jinja, ERB. */
const TEMPLATE = /\{\{|\{%|<%/;

/**
 * A file that never names the group holds no object of ours. One that is no YAML may have lost what it named; a template,
 * and JSON with comments as tools have it, is worth a word and not more.
 */
function stranger(source: Source, cache: ParseCache): Diagnostic[] {
  if (cache.has(source.text)) return [];
  cache.set(source.text, []);
  const { documents, diagnostics } = parseYaml(source);
  const first = diagnostics.find(({ code }) => code === 'KR1004' || code === 'KR1011');
  if (first === undefined) return documents.flatMap((document) => headless(document, source));
  const template = TEMPLATE.test(source.text);
  if (template || /\.json$/i.test(source.file)) return [diagnostic('KR1022', { template }, first.place)];
  return [diagnostic('KR1026', { problem: first.message }, first.place)];
}

/** A document with all of a workload but what says that it is one. */
function headless({ contents }: Document, source: Source): Diagnostic[] {
  if (!isMap(contents) || contents.has('kind') || contents.has('apiVersion')) return [];
  if (!contents.has('metadata') || !contents.hasIn(['spec', 'template'])) return [];
  const [start = 0] = contents.range ?? [];
  return [diagnostic('KR1027', {}, { source, start, end: start + 1 })];
}

function readDocuments(source: Source, cache: ParseCache, diagnostics: Diagnostic[]): Json[] {
  const known = cache.get(source.text);
  if (known !== undefined) return known;
  const read = readYaml(source);
  if (!source.text.includes(GROUP) && read.diagnostics.length > 0) {
    return strangerDocuments(source, cache, diagnostics);
  }
  const values = read.documents.map(({ value }) => value);
  const found = [
    ...read.diagnostics,
    // What is odd in a document of another kind is none of our business.
    ...read.documents.flatMap(({ value, diagnostics: odd }) => (concernsUs(value) ? odd : [])),
  ];
  if (found.length === 0) cache.set(source.text, values);
  diagnostics.push(...found);
  return values;
}

function strangerDocuments(source: Source, cache: ParseCache, diagnostics: Diagnostic[]): Json[] {
  diagnostics.push(...stranger(source, cache));
  return [];
}

function isList(value: JsonObject): boolean {
  const kind = value['kind'];
  if (typeof kind !== 'string' || !Array.isArray(value['items'])) return false;
  return kind === 'List' || (kind.endsWith('List') && groupOf(value) === GROUP);
}

function concernsUs(value: Json): boolean {
  return (
    isObject(value) && (groupOf(value) === GROUP || (isList(value) && JSON.stringify(value).includes(GROUP)))
  );
}

/** The objects of a document: itself, or the items of a List. */
function objectsOf(value: Json, source: Source, document: number): { value: JsonObject; at: Origin }[] {
  if (!isObject(value)) return [];
  if (!isList(value)) return [{ value, at: { source, document, path: [] } }];
  const items = Array.isArray(value['items']) ? value['items'] : [];
  return items.flatMap((item, index) =>
    isObject(item) ? [{ value: item, at: { source, document, path: ['items', String(index)] } }] : [],
  );
}

function identify(
  value: JsonObject,
  origin: Origin,
  manifests: Map<string, Manifest>,
  misnamed: Manifest[],
  ignored: Map<string, number>,
  diagnostics: Diagnostic[],
  locate: ReturnType<typeof createLocator>,
): void {
  const kind = value['kind'];
  if (typeof kind !== 'string' || groupOf(value) !== GROUP) return;
  const versions = PLANNED.get(kind);
  if (versions === undefined) {
    ignored.set(kind, (ignored.get(kind) ?? 0) + 1);
    return;
  }
  const { apiVersion } = value;
  if (typeof apiVersion !== 'string') return;
  if (!versions.some((version) => apiVersion === `${GROUP}/${version}`)) {
    const known = versions.map((version) => `${GROUP}/${version}`).join(' or ');
    diagnostics.push(
      diagnostic('KR1019', { apiVersion, kind, known }, locate(origin, ['apiVersion'], 'value')),
    );
    return;
  }
  const metadata = value['metadata'];
  const name = isObject(metadata) ? metadata['name'] : undefined;
  if (!isObject(metadata) || typeof name !== 'string' || name === '') {
    diagnostics.push(diagnostic('KR1018', { kind }, locate(origin, ['metadata', 'name'], 'value')));
    return;
  }
  const namespace = typeof metadata['namespace'] === 'string' ? metadata['namespace'] : undefined;
  let isMisnamed = false;
  for (const [field, given, fits] of [
    ['name', name, isName],
    ['namespace', namespace ?? 'default', isLabel],
  ] as const) {
    if (fits(given)) continue;
    const place = locate(origin, ['metadata', field], 'value');
    diagnostics.push(diagnostic('KR1021', { field: `metadata.${field}`, value: given }, place));
    isMisnamed = true;
  }
  const id = tupleId({ group: GROUP, kind }, namespace, name);
  // The envelope was checked just above; everything else is validated against the schema.
  const manifest = { id, kind, namespace, name, object: value as unknown as KubeObject, origin };
  if (isMisnamed) {
    misnamed.push(manifest);
    return;
  }
  const first = manifests.get(id);
  if (first !== undefined) {
    const related = [{ message: 'first here', place: locate(first.origin, ['metadata', 'name'], 'value') }];
    const shown = namespace === undefined ? name : `${namespace}/${name}`;
    const place = locate(origin, ['metadata', 'name'], 'value');
    diagnostics.push(diagnostic('KR1016', { kind, name: shown }, place, related));
    return;
  }
  manifests.set(id, manifest);
}
