import { isMap, type Document } from 'yaml';
import { diagnostic, withoutEarlierErrors } from '../diagnostics/diagnostic.ts';
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
import { findFiles, joinPath, shownPath } from './files.ts';
import { NO_PATHS_IGNORED } from './ignored-paths.ts';
import type { IgnoredPaths } from './ignored-paths.ts';
import { createFindings } from './findings.ts';
import type { Findings } from './findings.ts';
import {
  groupOf,
  isObject,
  isPolicy,
  isSupportedKind,
  mayBeSupportedKind,
  mayHoldPlan,
  misspelled,
  namesGroup,
} from './identity.ts';
import type { Locator, Origin } from './locate.ts';
import { createLocator } from './locate.ts';
import { nestedRepository } from './nested-repository.ts';
import type { ParseCache, ReadDocument } from './parse-cache.ts';
import { eachDocument } from './parse.ts';
import { readGiven, readSource, readYaml, withinBudget } from './read.ts';
import type { GivenText } from './read.ts';
import { readSimple } from './simple-yaml.ts';
import { tupleId } from '../../semantics/owner.ts';

/** One object of a planned kind. */
export interface Manifest {
  /** Group, kind, namespace and name; the version does not identify an object. */
  id: string;
  /** The registered kind; `kind` is its name without the group. */
  type: Kind;
  kind: string;
  /** Undefined if the manifest names none, and for a cluster-scoped kind. */
  namespace: string | undefined;
  name: string;
  object: KubeObject;
  origin: Origin;
}

export interface Loaded {
  /** By ID. */
  manifests: ReadonlyMap<string, Manifest>;
  /** Objects whose name, version, group or kind is wrong: not planned, but their other problems are reported, too. */
  checkedOnly: readonly Manifest[];
  diagnostics: Diagnostic[];
  /** The number of files that were read. */
  found: number;
  /** The number of files with an object of OpenKruise. */
  files: number;
  /** Kinds of OpenKruise that this version does not plan, with the number of objects. */
  ignored: ReadonlyMap<string, number>;
  /** Files that seem to hold a plan. */
  unexpectedPlans: readonly Source[];
}

/** One state of a repository. */
export interface State {
  /** The absolute folder outside of which nothing is read. */
  root: string;
  /** Absolute files and folders in it. */
  paths: readonly string[];
  /** The absolute folder of the plans, which is skipped. */
  plans: string;
  /** The folder of the plans of all roots, which is skipped as well. */
  allPlans?: string;
  /** Manifests from elsewhere. */
  given?: readonly GivenText[];
  /** The folder at head that the root stands for; default: the root itself. */
  headRoot?: string;
}

/** The state of loading, shared by all files. */
interface Loading {
  cache: ParseCache;
  budget: Budget;
  locate: Locator;
  manifests: Map<string, Manifest>;
  checkedOnly: Manifest[];
  ignored: Map<string, number>;
  /** The number of objects declared twice so far. */
  twice: number;
  /** The repository of its own that a file, as shown, is in. */
  nestedIn: (file: string) => string | undefined;
}

/**
 * Reads every manifest of a state. Shows files relative to the working directory. Never throws for bad input; if a limit of
 * the run is reached, reading ends with an error that names it.
 */
export function loadState(
  host: CompilerHost,
  state: State,
  cache: ParseCache,
  budget: Budget = createBudget(),
  ignoredFiles: IgnoredPaths = NO_PATHS_IGNORED,
): Loaded {
  const diagnostics: Diagnostic[] = [];
  const unexpectedPlans: Source[] = [];
  let files = 0;
  const paths = new Set<string>();
  const atHead = (path: string): string =>
    joinPath(state.headRoot ?? state.root, `./${path.slice(state.root.length)}`);
  const ignores = (path: string): boolean => ignoredFiles.has(atHead(path));
  for (const start of state.paths) {
    const isCovered = ignoredFiles.covering(atHead(start), shownPath(host, start));
    if (isCovered.length > 0) {
      diagnostics.push(...isCovered);
      continue;
    }
    const selection = { skip: state.allPlans ?? state.plans, ignores, refusesTools: true };
    const found = findFiles(host, state.root, start, selection, budget);
    for (const file of found.files) paths.add(file.path);
    diagnostics.push(...found.diagnostics);
  }
  const loading: Loading = {
    cache,
    budget,
    locate: createLocator(budget),
    manifests: new Map(),
    checkedOnly: [],
    ignored: new Map(),
    twice: 0,
    nestedIn: (file) => nestedRepository(host, state.root, file),
  };
  const given = state.given ?? [];
  for (const next of [...[...paths].sort(byText), ...given]) {
    if (budget.exceeded !== undefined) break;
    const { source, diagnostics: unreadable } =
      typeof next === 'string' ? readSource(host, next, budget) : readGiven(next, budget);
    const findings = createFindings(budget);
    for (const each of unreadable) findings.add(each.severity, () => each);
    if (source !== undefined && mayHoldPlan(source.text)) unexpectedPlans.push(source);
    if (source !== undefined && loadFile(source, loading, findings)) files += 1;
    diagnostics.push(...findings.list());
  }
  diagnostics.push(...budget.problems());
  const { manifests, checkedOnly, ignored } = loading;
  return {
    manifests,
    checkedOnly,
    diagnostics,
    found: paths.size + given.length,
    files,
    ignored,
    unexpectedPlans,
  };
}

/** Whether the file contains an object of OpenKruise. */
function loadFile(read: Source, loading: Loading, findings: Findings): boolean {
  const { cache, budget } = loading;
  if (!mayBeSupportedKind(read.text)) {
    for (const each of foreignFile(read, loading)) findings.add(each.severity, () => each);
    return false;
  }
  const known = cache.texts.get(read.text);
  const source = known === undefined ? read : { file: read.file, text: known.text };
  if (known === undefined) budget.take('keptText', read.text.length);
  const documents = known?.documents ?? readDocuments(source, loading, findings);
  let hasSupported = false;
  for (const { value, at } of documents) {
    for (const object of objectsOf(value, { source, at, path: [] })) {
      hasSupported ||= isSupportedKind(object.value);
      const mistake = misspelled(object.value, object.at, loading.locate);
      if (mistake !== undefined) findings.add('error', mistake.report);
      const meant = mistake === undefined ? object.value : mistake.meant;
      if (meant !== undefined) identify(meant, object.at, mistake === undefined, loading, findings);
    }
  }
  for (const each of budget.problems({ source, start: 0, end: 0 })) findings.add('error', () => each);
  return hasSupported;
}

/** The markers of templates: Helm and similar tools, Jinja, ERB. */
const TEMPLATE = /\{\{|\{%|<%/;

/**
 * Diagnostics of a file that does not name the group, so it contains no object of OpenKruise. If it is not valid YAML, the
 * name may be lost in the damage. A template, or JSON with comments as some tools write it, only gets a warning.
 */
function foreignFile(source: Source, { cache, budget }: Loading): Diagnostic[] {
  const isJson = /\.json$/i.test(source.file);
  const hash = contentHash(source.text);
  if (cache.foreignFiles.has(hash)) return [];
  cache.foreignFiles.add(hash);
  if (isJson && isPlainJson(source.text)) return [];
  if (!isJson && isPlainYaml(source, budget)) return [];
  const withoutType: Diagnostic[] = [];
  const diagnostics = eachDocument(source, budget, (document, { from }) =>
    withoutType.push(...withoutTypeIn(document, source, from)),
  );
  const limit = diagnostics.filter(({ code }) => code === 'KR1035' || code === 'KR1036');
  if (limit.length > 0) return limit;
  const first = diagnostics.find(({ code }) => code === 'KR1004' || code === 'KR1011');
  if (first === undefined) return withoutType;
  const template = TEMPLATE.test(source.text);
  if (template || isJson) return [diagnostic('KR1022', { template }, first.position)];
  return [diagnostic('KR1026', { problem: first.message }, first.position)];
}

/** Larger JSON is not parsed, because its values would take too much memory only to be discarded. */
const MOST_JSON = 4 * 1024 * 1024;

/** Whether the text is JSON in which nothing looks like a workload. Such files are frequent and large, and JSON.parse is fast. */
function isPlainJson(text: string): boolean {
  if (text.length > MOST_JSON || text.includes('"template"')) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Whether it is simple YAML in which every document has an apiVersion or a kind. */
function isPlainYaml(source: Source, budget: Budget): boolean {
  const lacksType = (value: Json): boolean =>
    !isObject(value) || (value['kind'] === undefined && value['apiVersion'] === undefined);
  const simple = readSimple(source.text, budget.limits, lacksType);
  if (simple === undefined || simple.documents.some(({ value }) => value !== null)) return false;
  return withinBudget(budget, simple);
}

/** Reports a document with the structure of a workload, but without apiVersion and kind. */
function withoutTypeIn({ contents }: Document, source: Source, from: number): Diagnostic[] {
  if (!isMap(contents) || contents.has('kind') || contents.has('apiVersion')) return [];
  if (!contents.has('metadata') || !contents.hasIn(['spec', 'template'])) return [];
  const start = from + (contents.range?.[0] ?? 0);
  return [diagnostic('KR1027', {}, { source, start, end: start + 1 })];
}

function readDocuments(source: Source, loading: Loading, findings: Findings): ReadDocument[] {
  const { cache, budget } = loading;
  const read = readYaml(source, budget, mayBePlanned);
  const isForeign = !namesGroup(source.text) && budget.exceeded === undefined;
  if (isForeign && read.diagnostics.length > 0) {
    for (const each of foreignFile(source, loading)) findings.add(each.severity, () => each);
    return [];
  }
  for (const each of read.diagnostics) findings.add(each.severity, () => each);
  let isSound = read.diagnostics.length === 0;
  for (const { value, findings: problems } of read.documents) {
    // Ambiguous values in a document of another kind do not affect plans.
    if (!containsSupported(value) || problems.retained().length === 0) continue;
    findings.merge(problems);
    isSound = false;
  }
  const documents = read.documents
    .filter(({ value }) => value !== null)
    .map(({ value, at }) => ({ value, at }));
  if (isSound) cache.texts.set(source.text, { text: source.text, documents });
  return documents;
}

/** Whether a document may contain an object of a planned group, possibly misspelled. Other documents are not stored. */
function mayBePlanned(value: Json): boolean {
  if (!isObject(value)) return false;
  const { apiVersion, kind } = value;
  const isNamed = typeof apiVersion === 'string' && typeof kind === 'string';
  return !isNamed || KINDS.includes(kind) || isList(value) || isPolicy(value) || containsSupported(value);
}

function isList(value: JsonObject): boolean {
  const kind = value['kind'];
  if (typeof kind !== 'string' || !Array.isArray(value['items'])) return false;
  return kind === 'List' || (kind.endsWith('List') && isSupportedKind(value));
}

function containsSupported(value: Json): boolean {
  return isObject(value) && (isSupportedKind(value) || (isList(value) && namesGroup(JSON.stringify(value))));
}

/** The objects of a document: the document itself, or the items of a List, also of one in a List. */
function objectsOf(value: Json, at: Origin): { value: JsonObject; at: Origin }[] {
  if (!isObject(value)) return [];
  if (!isList(value)) return [{ value, at }];
  const items = Array.isArray(value['items']) ? value['items'] : [];
  return items.flatMap((item, index) =>
    objectsOf(item, { ...at, path: [...at.path, 'items', String(index)] }),
  );
}

/**
 * Further duplicates are reported without the position of the first declaration: finding it may require parsing another
 * document each time.
 */
const MOST_RELATED = 20;

/**
 * Finds out which object a value is. Everything about it but its name and version is validated later.
 *
 * @param isAsWritten false if its group or kind was corrected: it is not planned
 */
function identify(
  value: JsonObject,
  origin: Origin,
  isAsWritten: boolean,
  loading: Loading,
  findings: Findings,
): void {
  const { manifests, checkedOnly, ignored, locate, budget } = loading;
  const kind = value['kind'];
  if (typeof kind !== 'string' || !(isSupportedKind(value) || isPolicy(value))) return;
  const group = groupOf(value);
  const type = kindOf({ group, kind });
  if (type === undefined) {
    if (isAsWritten) ignored.set(kind, (ignored.get(kind) ?? 0) + 1);
    return;
  }
  let isPlanned = isAsWritten;
  const { apiVersion } = value;
  if (typeof apiVersion !== 'string') return;
  if (isAsWritten && !type.versions.some((version) => apiVersion === `${group}/${version}`)) {
    const known = type.versions
      .map((version) => `${group}/${version}`)
      .sort(byText)
      .join(' or ');
    const position = () => locate(origin, ['apiVersion'], 'value');
    findings.add('error', () => diagnostic('KR1019', { apiVersion, kind, known }, position()));
    isPlanned = false;
  }
  const metadata = isObject(value['metadata']) ? value['metadata'] : {};
  const name = typeof metadata['name'] === 'string' ? metadata['name'] : '';
  if (name === '') {
    const isOther = typeof (metadata['name'] ?? '') !== 'string';
    const report = (): Diagnostic =>
      diagnostic('KR1018', { kind, isOther }, locate(origin, ['metadata', 'name'], 'value'));
    // A name that YAML 1.1 reads as another value has its own error.
    const ambiguous = isOther ? findings.retained().filter(({ code }) => code === 'KR1006') : [];
    if (ambiguous.length === 0 || withoutEarlierErrors(ambiguous)([report()]).length > 0)
      findings.add('error', report);
    isPlanned = false;
  }
  const { namespaced } = type.resource;
  const namespace =
    namespaced && typeof metadata['namespace'] === 'string' ? metadata['namespace'] : undefined;
  for (const [field, text, fits] of [
    ['name', name, isName],
    ['namespace', namespace ?? 'default', isLabel],
  ] as const) {
    // KR1018 reports a missing name.
    if ((field === 'name' && name === '') || fits(text)) continue;
    const position = () => locate(origin, ['metadata', field], 'value');
    findings.add('error', () =>
      diagnostic('KR1021', { field: `metadata.${field}`, value: text }, position()),
    );
    isPlanned = false;
  }
  const id = tupleId({ group, kind }, namespace, name);
  // The envelope was checked just above; everything else is validated against the schema.
  const object = (value['metadata'] === metadata ? value : { ...value, metadata }) as unknown as KubeObject;
  const manifest = { id, type, kind, namespace, name, object, origin };
  // The next caller of budget.problems reports the limit.
  if (!budget.take('objects', 1)) return;
  if (!isPlanned) {
    checkedOnly.push(manifest);
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
      const nested = loading.nestedIn(origin.source.file) ?? loading.nestedIn(first.origin.source.file);
      return diagnostic('KR1016', { kind, name: shown, nested }, nameOf(origin), related);
    });
    return;
  }
  manifests.set(id, manifest);
}
