import type { Diagnostic, Source } from '../diagnostics/diagnostic.ts';
import type { CompilerHost } from '../host.ts';
import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import { KINDS } from '../plan/kinds.ts';
import { byText } from '../text/order.ts';
import { mayHoldAutoscaler } from './autoscalers.ts';
import { createBudget } from './budget.ts';
import type { Budget } from './budget.ts';
import { type ConfigFile, type ConfigFiles, mayHoldConfig } from './config-objects.ts';
import { disruptionBudget, isDisruptionBudget, mayHoldBudget } from './disruption-budget.ts';
import type { DisruptionBudget } from './disruption-budget.ts';
import { findFiles, joinPath, relativePath, shownPath } from './files.ts';
import { NO_PATHS_IGNORED } from './ignored-paths.ts';
import type { IgnoredPaths } from './ignored-paths.ts';
import { createFindings } from './findings.ts';
import type { Findings } from './findings.ts';
import {
  isObject,
  isSupportedKind,
  mayBeSupportedKind,
  mayHoldPlan,
  misspelled,
  namesGroup,
} from './identity.ts';
import type { Origin } from './locate.ts';
import { createLocator } from './locate.ts';
import { mayHoldPods } from './git-pods.ts';
import { mayHoldGate } from './gates.ts';
import { mayHoldNative } from './native.ts';
import { nestedRepository } from './nested-repository.ts';
import { mayHaveProtection, type StateFile, type StateFiles } from './protected-objects.ts';
import { mayOrderContainers } from './pod-templates.ts';
import { createParseCache, type ParseCache, type ReadDocument } from './parse-cache.ts';
import { readGiven, readSource, readYaml } from './read.ts';
import type { GivenText, PlainDocument } from './read.ts';
import type { Code } from '../diagnostics/registry.ts';
import { foreignFile } from './foreign-file.ts';
import { identify } from './identify.ts';
import type { Loading } from './identify.ts';
import type { InjectorManifest } from './injector-manifest.ts';
import type { Manifest, StandingManifest } from './manifest.ts';

export interface Loaded {
  /** By ID. */
  manifests: ReadonlyMap<string, Manifest>;
  /** Objects whose name, version, group or kind is wrong: not planned, but their other problems are reported, too. */
  checkedOnly: readonly Manifest[];
  /** Objects that are reconciled at once, by ID: no plan is made for them. */
  standing: ReadonlyMap<string, StandingManifest>;
  /** Those of them whose name, version, group or kind is wrong. */
  standingCheckedOnly: readonly StandingManifest[];
  diagnostics: Diagnostic[];
  /** The number of files that were read. */
  found: number;
  /** The number of files with an object of OpenKruise. */
  files: number;
  /** Kinds of OpenKruise that this version does not plan, with the number of objects. */
  ignored: ReadonlyMap<string, number>;
  disruptionBudgets: readonly DisruptionBudget[];
  /** Objects that add to new pods of any owner, in the order of the files. */
  injectors: readonly InjectorManifest[];
  /** The hashes of files that name no group of OpenKruise, as far as they were read, by their path at head. */
  foreign: ReadonlyMap<string, { file: string; hash: string }>;
  /** Files that seem to hold a plan. */
  unexpectedPlans: readonly Source[];
  /** Files that may contain a workload of Kubernetes whose pods a planned kind can take over. */
  nativeFiles: readonly (string | GivenText)[];
  /** Files that may contain a template with a scheduling gate that some kind removes. */
  gatedFiles: readonly (string | GivenText)[];
  /** Files that may hold an autoscaler. */
  scalerFiles: readonly (string | GivenText)[];
  /** Files that may hold a ConfigMap or Secret. */
  configFiles: ConfigFiles;
  /** Files that may describe pods of any kind, or a namespace. */
  podFiles: readonly (string | GivenText)[];
  /** Files that may have pods whose containers start in an order. */
  launchFiles: readonly (string | GivenText)[];
  /** Every file that was read, by its path at head; texts from elsewhere by their place among them. */
  readFiles: ReadonlyMap<string, string | GivenText>;
  /** Those of them that may have an object whose deletion is refused. */
  protectedFiles: StateFiles;
}

/** All objects that are reconciled at once, those among them whose name, version, group or kind is wrong. */
export function allStanding({ standing, standingCheckedOnly }: Loaded): StandingManifest[] {
  return [...standing.values(), ...standingCheckedOnly];
}

/** One state of a repository. */
export interface State {
  /** The absolute folder outside of which nothing is read. */
  root: string;
  /** Absolute files and folders in it. */
  paths: readonly string[];
  /** The absolute folder of the plans, which is skipped. */
  plans: string;
  /** A submodule is not checked out, so that not all of its manifests are known. */
  isIncomplete?: true;
  /** The folder of the plans of all roots, which is skipped as well. */
  allPlans?: string;
  /** The only namespaces that the manifests may reach. Default: all. */
  namespaces?: readonly string[];
  /** Manifests from elsewhere. */
  given?: readonly GivenText[];
  /** The folder at head that the root stands for; default: the root itself. */
  headRoot?: string;
  /** The folder that holds all of the state, outside of which it has no `kruise.yaml`. Default: any that is found counts. */
  top?: string;
  /** Files that are read before the others, so that their objects count. Default: none. */
  readsFirst?: (path: string) => boolean;
  /** The paths are files that were found, and not what somebody named. Default: false. */
  isFound?: boolean;
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
  const nativeFiles: (string | GivenText)[] = [];
  const gatedFiles: (string | GivenText)[] = [];
  const podFiles: (string | GivenText)[] = [];
  const launchFiles: (string | GivenText)[] = [];
  const scalerFiles: (string | GivenText)[] = [];
  const configFiles = new Map<string, ConfigFile>();
  const readFiles = new Map<string, string | GivenText>();
  const protectedFiles = new Map<string, StateFile>();
  const foreign = new Map<string, { file: string; hash: string }>();
  let files = 0;
  const paths = new Set<string>();
  const atHead = (path: string): string =>
    joinPath(state.headRoot ?? state.root, relativePath({ cwd: state.root }, path));
  const ignores = (path: string): boolean => ignoredFiles.has(atHead(path));
  for (const start of state.paths) {
    const isCovered = ignoredFiles.covering(atHead(start), shownPath(host, start));
    if (isCovered.length > 0) {
      diagnostics.push(...isCovered);
      continue;
    }
    const selection = {
      skip: state.allPlans ?? state.plans,
      ignores,
      refusesTools: true,
      isNamed: state.isFound !== true,
    };
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
    standing: new Map(),
    standingCheckedOnly: [],
    ignored: new Map(),
    disruptionBudgets: [],
    injectors: [],
    foreign: new Map(),
    twice: 0,
    nestedIn: (file) => nestedRepository(host, state.root, file),
  };
  const given = state.given ?? [];
  const inOrder = [...paths].sort(byText);
  const { readsFirst } = state;
  if (readsFirst !== undefined) inOrder.sort((a, b) => Number(readsFirst(b)) - Number(readsFirst(a)));
  for (const next of [...inOrder, ...given]) {
    if (budget.exceeded !== undefined) break;
    const { source, diagnostics: unreadable } =
      typeof next === 'string' ? readSource(host, next, budget) : readGiven(next, budget);
    const findings = createFindings(budget);
    for (const each of unreadable) findings.add(each.severity, () => each);
    const path = typeof next === 'string' ? atHead(next) : `text ${given.indexOf(next)}`;
    if (source !== undefined) readFiles.set(path, next);
    if (source !== undefined && mayHoldNative(source.text)) nativeFiles.push(next);
    if (source !== undefined && mayHoldGate(source.text)) gatedFiles.push(next);
    if (source !== undefined && mayHoldPods(source.text)) podFiles.push(next);
    if (source !== undefined && mayOrderContainers(source.text)) launchFiles.push(next);
    if (source !== undefined && mayHoldPlan(source.text)) unexpectedPlans.push(source);
    if (source !== undefined && loadFile(source, loading, findings)) files += 1;
    const hash = source === undefined ? undefined : loading.foreign.get(source.file);
    // A text from elsewhere has no path that it could have at base.
    if (typeof next === 'string' && source !== undefined && hash !== undefined)
      foreign.set(atHead(next), { file: source.file, hash });
    if (source !== undefined && mayHaveProtection(source.text))
      protectedFiles.set(path, { file: next, content: hash ?? source.text });
    if (source !== undefined && mayHoldAutoscaler(source.text)) scalerFiles.push(next);
    if (source !== undefined && mayHoldConfig(source.text))
      configFiles.set(typeof next === 'string' ? atHead(next) : `${configFiles.size}`, {
        file: next,
        content: hash ?? source.text,
      });
    diagnostics.push(...findings.list());
  }
  diagnostics.push(...budget.problems());
  const { manifests, checkedOnly, standing, standingCheckedOnly, ignored, disruptionBudgets, injectors } =
    loading;
  return {
    manifests,
    checkedOnly,
    standing,
    standingCheckedOnly,
    diagnostics,
    found: paths.size + given.length,
    files,
    ignored,
    disruptionBudgets,
    injectors,
    foreign,
    configFiles,
    scalerFiles,
    unexpectedPlans,
    nativeFiles,
    gatedFiles,
    podFiles,
    launchFiles,
    readFiles,
    protectedFiles,
  };
}

/** A file of a state that its configuration leaves out, if the state has it. */
export function fileLeftOut(
  host: CompilerHost,
  state: State,
  path: string,
  budget: Budget,
): readonly (string | GivenText)[] {
  if (!path.startsWith('/') || host.inspect(path)?.kind !== 'file') return [];
  const ofFile = { root: state.root, paths: [path], plans: state.plans, isFound: true as const };
  return [...loadState(host, ofFile, createParseCache(), budget).readFiles.values()];
}

/** Whether the file contains an object of OpenKruise. */
function loadFile(read: Source, loading: Loading, findings: Findings): boolean {
  const { cache, budget } = loading;
  if (!mayBeSupportedKind(read.text) && !mayHoldBudget(read.text)) {
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
      const disruption = disruptionBudget(object.value, object.at);
      if (disruption !== undefined && budget.take('objects', 1)) loading.disruptionBudgets.push(disruption);
      const mistake = misspelled(object.value, object.at, loading.locate);
      if (mistake !== undefined) findings.add('error', mistake.report);
      const meant = mistake === undefined ? object.value : mistake.meant;
      if (meant !== undefined) identify(meant, object.at, mistake === undefined, loading, findings);
    }
  }
  for (const each of budget.problems({ source, start: 0, end: 0 })) findings.add('error', () => each);
  return hasSupported;
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
  for (const each of read.documents) {
    const { value, findings: problems } = each;
    if (problems.retained().length === 0) continue;
    // Ambiguous values in a document of another kind do not affect plans.
    if (!containsSupported(value) && !mayHideSupported(each, source)) continue;
    findings.merge(problems);
    isSound = false;
  }
  const documents = read.documents
    .filter((each) => each.value !== null && !mayHideSupported(each, source))
    .map(({ value, at }) => ({ value: withoutStatus(value), at }));
  if (isSound) cache.texts.set(source.text, { text: source.text, documents });
  return documents;
}

/** Problems at which the reading of a document ends. */
const ENDS: ReadonlySet<Code> = new Set<Code>(['KR1011', 'KR1012']);

/**
 * Whether the reading of a document ended before all of its names were known, and its text names a planned group. What kind its
 * objects are of is unknown then, so nothing else can be said of it.
 */
function mayHideSupported({ value, at, findings }: PlainDocument, { text }: Source): boolean {
  if (!findings.retained().some(({ code }) => ENDS.has(code))) return false;
  const isNamed = isObject(value) && typeof value['kind'] === 'string' && isSupportedKind(value);
  return !isNamed && namesGroup(text.slice(at.from, at.to));
}

/** Whether a document may contain an object of a planned group, possibly misspelled. Other documents are not stored. */
function mayBePlanned(value: Json): boolean {
  if (!isObject(value)) return false;
  const { apiVersion, kind } = value;
  const isNamed = typeof apiVersion === 'string' && typeof kind === 'string';
  return (
    !isNamed || KINDS.includes(kind) || isList(value) || isDisruptionBudget(value) || containsSupported(value)
  );
}

function isList(value: JsonObject): boolean {
  const kind = value['kind'];
  if (typeof kind !== 'string' || !Array.isArray(value['items'])) return false;
  return kind === 'List' || (kind.endsWith('List') && isSupportedKind(value));
}

function containsSupported(value: Json): boolean {
  return isObject(value) && (isSupportedKind(value) || (isList(value) && namesGroup(JSON.stringify(value))));
}

/**
 * A document without the status of its objects: the API server drops the status of what users write, whatever it contains, and
 * tools of Go write an empty one.
 */
function withoutStatus(value: Json): Json {
  if (!isObject(value)) return value;
  if (isList(value) && Array.isArray(value['items']))
    return { ...value, items: value['items'].map(withoutStatus) };
  const { status: _dropped, ...rest } = value;
  return rest;
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
