import { isMap, type Document } from 'yaml';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic, SourcePosition, Source } from '../diagnostics/diagnostic.ts';
import type { CompilerHost } from '../host.ts';
import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { contentHash } from '../../semantics/values/canonical-json.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import { kindOf } from '../../semantics/kinds/registry.ts';
import { KINDS } from '../plan/kinds.ts';
import { isLabel, isName } from '../text/names.ts';
import { byText } from '../text/order.ts';
import { createBudget } from './budget.ts';
import type { Budget } from './budget.ts';
import { findFiles } from './files.ts';
import { createFindings } from './findings.ts';
import type { Findings } from './findings.ts';
import {
  groupOf,
  isObject,
  isSupportedKind,
  mayBeSupportedKind,
  misspelled,
  namesGroup,
} from './identity.ts';
import type { Locator, Origin } from './locate.ts';
import { createLocator } from './locate.ts';
import { eachDocument } from './parse.ts';
import type { Extent } from './parse.ts';
import { readSource, readYaml } from './read.ts';
import { tupleId } from '../../semantics/owner.ts';

/** One object of a kind that is planned. */
export interface Manifest {
  /** Group, kind, namespace and name; the version is no part of the identity. */
  id: string;
  /** The registered kind; `kind` is its bare name. */
  type: Kind;
  kind: string;
  /** Undefined where the manifest names none, and for a kind without namespaces. */
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

/** What a text holds of OpenKruise, kept so that a file that is the same in both states is read once. */
interface KnownText {
  /** Shared by equal files. */
  text: string;
  documents: readonly ReadDocument[];
}

interface ReadDocument {
  value: Json;
  at: Extent;
}

/** By the text itself; of texts that hold nothing of ours by their hash, which takes less to keep. */
export interface ParseCache {
  texts: Map<string, KnownText>;
  foreignFiles: Set<string>;
}

export function createParseCache(): ParseCache {
  return { texts: new Map(), foreignFiles: new Set() };
}

/** What loading hands from file to file. */
interface Loading {
  cache: ParseCache;
  budget: Budget;
  locate: Locator;
  manifests: Map<string, Manifest>;
  misnamed: Manifest[];
  ignored: Map<string, number>;
  /** How many objects were declared twice so far. */
  twice: number;
}

/**
 * Reads every manifest of a state. Files are shown relative to the working directory. Never throws for bad input; where a limit
 * of the run is reached, reading ends with an error that names it.
 */
export function loadState(
  host: CompilerHost,
  state: State,
  cache: ParseCache,
  budget: Budget = createBudget(),
): Loaded {
  const diagnostics: Diagnostic[] = [];
  let files = 0;
  const paths = new Set<string>();
  for (const start of state.paths) {
    const found = findFiles(host, state.root, start, state.plans, budget);
    for (const file of found.files) paths.add(file.path);
    diagnostics.push(...found.diagnostics);
  }
  const loading: Loading = {
    cache,
    budget,
    locate: createLocator(budget),
    manifests: new Map(),
    misnamed: [],
    ignored: new Map(),
    twice: 0,
  };
  for (const path of [...paths].sort(byText)) {
    if (budget.exceeded !== undefined) break;
    const { source, diagnostics: unreadable } = readSource(host, path, budget);
    const findings = createFindings(budget);
    for (const each of unreadable) findings.add(each.severity, () => each);
    if (source !== undefined && loadFile(source, loading, findings)) files += 1;
    diagnostics.push(...findings.list());
  }
  diagnostics.push(...budget.problems());
  const { manifests, misnamed, ignored } = loading;
  return { manifests, misnamed, diagnostics, found: paths.size, files, ignored };
}

/** Whether the file holds an object of OpenKruise. */
function loadFile(read: Source, loading: Loading, findings: Findings): boolean {
  const { cache, budget } = loading;
  if (!mayBeSupportedKind(read.text)) {
    for (const each of stranger(read, loading)) findings.add(each.severity, () => each);
    return false;
  }
  const known = cache.texts.get(read.text);
  const source = known === undefined ? read : { file: read.file, text: known.text };
  if (known === undefined) budget.take('keptText', read.text.length);
  const documents = known?.documents ?? readDocuments(source, loading, findings);
  let hasOurs = false;
  for (const { value, at } of documents) {
    for (const object of objectsOf(value, { source, at, path: [] })) {
      hasOurs ||= isSupportedKind(object.value);
      const mistake = misspelled(object.value, object.at, loading.locate);
      if (mistake === undefined) identify(object.value, object.at, loading, findings);
      else findings.add('error', mistake);
    }
  }
  for (const each of budget.problems({ source, start: 0, end: 0 })) findings.add('error', () => each);
  return hasOurs;
}

/** What templates are written in: Helm and its like, Jinja, ERB. */
const TEMPLATE = /\{\{|\{%|<%/;

/**
 * A file that never names the group holds no object of ours. One that is no YAML may have lost what it named; a template,
 * and JSON with comments as tools have it, is worth a word and not more.
 */
function stranger(source: Source, { cache, budget }: Loading): Diagnostic[] {
  const isJson = /\.json$/i.test(source.file);
  const hash = contentHash(source.text);
  if (cache.foreignFiles.has(hash)) return [];
  cache.foreignFiles.add(hash);
  if (isJson && isPlainJson(source.text)) return [];
  const headless: Diagnostic[] = [];
  const diagnostics = eachDocument(source, budget, (document, { from }) =>
    headless.push(...headlessIn(document, source, from)),
  );
  const limit = diagnostics.filter(({ code }) => code === 'KR1035' || code === 'KR1036');
  if (limit.length > 0) return limit;
  const first = diagnostics.find(({ code }) => code === 'KR1004' || code === 'KR1011');
  if (first === undefined) return headless;
  const template = TEMPLATE.test(source.text);
  if (template || isJson) return [diagnostic('KR1022', { template }, first.position)];
  return [diagnostic('KR1026', { problem: first.message }, first.position)];
}

/** Beyond it the values of a text would take too much memory to be made only to be thrown away. */
const MOST_JSON = 4 * 1024 * 1024;

/** Whether it is JSON, and nothing in it looks like a workload: such files are many, large, and read in no time. */
function isPlainJson(text: string): boolean {
  if (text.length > MOST_JSON || text.includes('"template"')) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A document with all of a workload but what says that it is one. */
function headlessIn({ contents }: Document, source: Source, from: number): Diagnostic[] {
  if (!isMap(contents) || contents.has('kind') || contents.has('apiVersion')) return [];
  if (!contents.has('metadata') || !contents.hasIn(['spec', 'template'])) return [];
  const start = from + (contents.range?.[0] ?? 0);
  return [diagnostic('KR1027', {}, { source, start, end: start + 1 })];
}

function readDocuments(source: Source, loading: Loading, findings: Findings): ReadDocument[] {
  const { cache, budget } = loading;
  const read = readYaml(source, budget, mayBeOurs);
  const isStranger = !namesGroup(source.text) && budget.exceeded === undefined;
  if (isStranger && read.diagnostics.length > 0) {
    for (const each of stranger(source, loading)) findings.add(each.severity, () => each);
    return [];
  }
  for (const each of read.diagnostics) findings.add(each.severity, () => each);
  let isSound = read.diagnostics.length === 0;
  for (const { value, findings: odd } of read.documents) {
    // What is odd in a document of another kind is none of our business.
    if (!concernsUs(value) || odd.retained().length === 0) continue;
    findings.merge(odd);
    isSound = false;
  }
  const documents = read.documents
    .filter(({ value }) => value !== null)
    .map(({ value, at }) => ({ value, at }));
  if (isSound) cache.texts.set(source.text, { text: source.text, documents });
  return documents;
}

/** Whether an object of ours could stand in a document, or one that was meant to be: others are not kept. */
function mayBeOurs(value: Json): boolean {
  if (!isObject(value)) return false;
  const { apiVersion, kind } = value;
  const isNamed = typeof apiVersion === 'string' && typeof kind === 'string';
  return !isNamed || KINDS.includes(kind) || isList(value) || concernsUs(value);
}

function isList(value: JsonObject): boolean {
  const kind = value['kind'];
  if (typeof kind !== 'string' || !Array.isArray(value['items'])) return false;
  return kind === 'List' || (kind.endsWith('List') && isSupportedKind(value));
}

function concernsUs(value: Json): boolean {
  return isObject(value) && (isSupportedKind(value) || (isList(value) && namesGroup(JSON.stringify(value))));
}

/** The objects of a document: itself, or the items of a List. */
function objectsOf(value: Json, at: Origin): { value: JsonObject; at: Origin }[] {
  if (!isObject(value)) return [];
  if (!isList(value)) return [{ value, at }];
  const items = Array.isArray(value['items']) ? value['items'] : [];
  return items.flatMap((item, index) =>
    isObject(item) ? [{ value: item, at: { ...at, path: ['items', String(index)] } }] : [],
  );
}

/** More duplicates are given without the place of the first: finding it may take another document each time. */
const MOST_RELATED = 20;

function identify(value: JsonObject, origin: Origin, loading: Loading, findings: Findings): void {
  const { manifests, misnamed, ignored, locate, budget } = loading;
  const kind = value['kind'];
  if (typeof kind !== 'string' || !isSupportedKind(value)) return;
  const group = groupOf(value);
  const type = kindOf({ group, kind });
  if (type === undefined) {
    ignored.set(kind, (ignored.get(kind) ?? 0) + 1);
    return;
  }
  const { apiVersion } = value;
  if (typeof apiVersion !== 'string') return;
  const served = type.versions.map((version) => `${group}/${version}`).sort(byText);
  if (!served.includes(apiVersion)) {
    const known = served.join(' or ');
    const place = () => locate(origin, ['apiVersion'], 'value');
    findings.add('error', () => diagnostic('KR1019', { apiVersion, kind, known }, place()));
    return;
  }
  const metadata = value['metadata'];
  const name = isObject(metadata) ? metadata['name'] : undefined;
  if (!isObject(metadata) || typeof name !== 'string' || name === '') {
    findings.add('error', () =>
      diagnostic('KR1018', { kind }, locate(origin, ['metadata', 'name'], 'value')),
    );
    return;
  }
  const { namespaced } = type.resource;
  const namespace =
    namespaced && typeof metadata['namespace'] === 'string' ? metadata['namespace'] : undefined;
  let isMisnamed = false;
  for (const [field, given, fits] of [
    ['name', name, isName],
    ['namespace', namespace ?? 'default', isLabel],
  ] as const) {
    if (fits(given)) continue;
    const place = () => locate(origin, ['metadata', field], 'value');
    findings.add('error', () => diagnostic('KR1021', { field: `metadata.${field}`, value: given }, place()));
    isMisnamed = true;
  }
  const id = tupleId({ group, kind }, namespace, name);
  // The envelope was checked just above; everything else is validated against the schema.
  const manifest = { id, type, kind, namespace, name, object: value as unknown as KubeObject, origin };
  // Whoever asks next reports the limit.
  if (!budget.take('objects', 1)) return;
  if (isMisnamed) {
    misnamed.push(manifest);
    return;
  }
  const first = manifests.get(id);
  if (first !== undefined) {
    loading.twice += 1;
    const nameOf = (at: Origin): SourcePosition => locate(at, ['metadata', 'name'], 'value');
    findings.add('error', () => {
      const isShown = loading.twice <= MOST_RELATED;
      const related = isShown ? [{ message: 'first here', position: nameOf(first.origin) }] : [];
      const shown = namespace === undefined ? name : `${namespace}/${name}`;
      return diagnostic('KR1016', { kind, name: shown }, nameOf(origin), related);
    });
    return;
  }
  manifests.set(id, manifest);
}
