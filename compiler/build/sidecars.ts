import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { PodInjector, SkippedSet } from '../../semantics/kinds/pod-injector.ts';
import { podInjectors } from '../../semantics/registry/pod-injectors.ts';
import { canonicalJson } from '../../semantics/values/canonical-json.ts';
import { NAMESPACE_NAME_LABEL } from '../../semantics/values/namespace-label.ts';
import { objectOf } from '../../semantics/values/read.ts';
import { bounded } from '../load/findings.ts';
import { diagnostic, finish, hasErrors } from '../diagnostics/diagnostic.ts';
import { foundIn } from '../diagnostics/shared.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { CompilerHost } from '../host.ts';
import { createBudget } from '../load/budget.ts';
import type { Budget } from '../load/budget.ts';
import { loadConfig } from '../load/configuration.ts';
import { isObject } from '../load/identity.ts';
import { ignoredPaths } from '../load/ignored-paths.ts';
import type { InjectorManifest } from '../load/injector-manifest.ts';
import { createLocator } from '../load/locate.ts';
import type { Locator } from '../load/locate.ts';
import { loadState } from '../load/manifests.ts';
import type { State } from '../load/manifests.ts';
import { createParseCache } from '../load/parse-cache.ts';
import { injectorRules } from '../validate/injector-rules.ts';
import { byText } from '../text/order.ts';
import { podTemplatesIn, withTemplate } from '../load/pod-templates.ts';
import type { KruiseConfig } from '../../schemas/generated/types/config.ts';
import { choiceOf, idOfNames, namesOf, rowText, textOfNames } from './verdict.ts';
import {
  type BuiltFile,
  type Location,
  objectsOf,
  readTexts,
  type Rewritten,
  rewrittenFile,
} from './documents.ts';

/** What a build gives; the files count only if no diagnostic is an error. */
export interface Built {
  files: BuiltFile[];
  diagnostics: Diagnostic[];
  /** Templates that were changed, and all there are. */
  changed: number;
  templates: number;
  /** What is not known here, in sentences: sets that select by labels of namespaces without a manifest. */
  notes: string[];
}

/** The time of every record: another one at each build would roll every workload out. */
const TIME = 0;

/**
 * Writes the containers of sets into the templates of all pods in a state, with the rules
 * that a webhook has. Documents without a changed template stay as they are, comments included.
 *
 * @param namespace of objects that name none
 * @param isShown whether a terminal may show the texts: documents with unsafe characters are written anew then
 */
export function buildSidecars(
  host: CompilerHost,
  state: State,
  namespace: string,
  budget: Budget = createBudget(),
  isShown = false,
): Built {
  const locator = createLocator(budget);
  const configuration = loadConfig(host, state.root, budget);
  const ignoredFiles = ignoredPaths(configuration);
  const loaded = loadState(host, state, createParseCache(), budget, ignoredFiles);
  const images = configuration.config.images ?? 'tag';
  const diagnostics = [
    ...configuration.diagnostics,
    ...loaded.diagnostics,
    ...foundIn(injectorRules(loaded.injectors, undefined, images, locator, false)),
  ];
  const texts = readTexts(host, state, budget, diagnostics);
  const none = { files: [], changed: 0, templates: 0, notes: [] };
  if (hasErrors(diagnostics)) return { ...none, diagnostics: finish(bounded(diagnostics, budget), false) };
  const { sets, natives, lines } = withNatives(loaded.injectors, configuration.config, diagnostics, locator);
  const build: Build = {
    sets,
    natives,
    namespaces: namespacesIn(texts.flatMap(({ documents }) => documents.map(({ value }) => value))),
    namespace,
    locator,
    budget,
    diagnostics,
    unknown: new Map(),
    changed: 0,
    templates: 0,
  };
  const files = texts.map((each) =>
    rewrittenFile(each, (object, where) => builtObject(object, where, build), diagnostics, isShown),
  );
  diagnostics.push(...budget.problems());
  const notes = [...lines, ...[...build.unknown.values()].sort(byText)];
  const { changed, templates } = build;
  return { files, diagnostics: finish(bounded(diagnostics, budget), false), changed, templates, notes };
}

interface Build {
  sets: ReadonlyMap<PodInjector, KubeObject[]>;
  /** What is written in place of the sets that become native sidecars, by their names. */
  natives: ReadonlyMap<string, JsonObject>;
  /** The labels of each namespace that has a manifest. */
  namespaces: ReadonlyMap<string, Record<string, string>>;
  namespace: string;
  locator: Locator;
  budget: Budget;
  diagnostics: Diagnostic[];
  unknown: Map<string, string>;
  changed: number;
  templates: number;
}

/** The sets by their kinds, with native sidecars where kruise.yaml asks for them, and a line about each of these. */
function withNatives(
  manifests: readonly InjectorManifest[],
  config: KruiseConfig,
  diagnostics: Diagnostic[],
  locator: Locator,
): { sets: Map<PodInjector, KubeObject[]>; natives: Map<string, JsonObject>; lines: string[] } {
  const natives = new Map<string, JsonObject>();
  const lines: string[] = [];
  const sets = new Map(podInjectors.map((type) => [type, new Array<KubeObject>()]));
  for (const { type, object, origin } of manifests) {
    const names = namesOf(object as JsonObject, '');
    const isAsked = names !== undefined && choiceOf(object, names, config) === 'NativeSidecars';
    const found = isAsked ? type.native.of(object) : undefined;
    const target = names === undefined ? '' : textOfNames(names);
    if (found !== undefined && 'stays' in found) {
      const why = found.stays.map(rowText).join('; ');
      diagnostics.push(diagnostic('KR2241', { target, why }, locator(origin, ['metadata', 'name'], 'value')));
    } else if (found !== undefined && names !== undefined) {
      natives.set(idOfNames(names), found.object as JsonObject);
      const lost = found.losses.length === 0 ? '' : `; lost: ${found.losses.map(rowText).join('; ')}`;
      lines.push(`${target} is native sidecars${lost}`);
    }
    sets.get(type)?.push(found !== undefined && 'object' in found ? found.object : object);
  }
  return { sets, natives, lines: lines.sort(byText) };
}

function namespacesIn(values: readonly Json[]): Map<string, Record<string, string>> {
  const found = new Map<string, Record<string, string>>();
  for (const [object] of values.flatMap((value) => objectsOf(value))) {
    const { apiVersion, kind, metadata } = object;
    if (apiVersion !== 'v1' || kind !== 'Namespace' || !isObject(metadata)) continue;
    const { name, labels } = metadata;
    if (typeof name === 'string') found.set(name, isObject(labels) ? (labels as Record<string, string>) : {});
  }
  return found;
}

function builtObject(value: JsonObject, where: Location, build: Build): Rewritten | undefined {
  const names = namesOf(value, build.namespace);
  const native = names && build.natives.get(idOfNames(names));
  // A webhook that reads it gives new pods what their templates have.
  if (native !== undefined) return { objects: [native], comment: [] };
  let object = value;
  for (const found of podTemplatesIn(value)) {
    const result = injected(value, found.template, build);
    build.templates += 1;
    if ('refused' in result) {
      const position = build.locator(where, found.path, 'key');
      build.diagnostics.push(diagnostic('KR2191', { message: result.refused }, position));
    } else if (result.template !== found.template) {
      build.changed += 1;
      object = withTemplate(object, found.path, result.template);
    }
  }
  return object === value ? undefined : { objects: [object], comment: [] };
}

function injected(
  owner: JsonObject,
  template: JsonObject,
  build: Build,
): { template: JsonObject } | { refused: string } {
  if (build.budget.exceeded !== undefined) return { template };
  const { namespace: own, name } = isObject(owner['metadata']) ? owner['metadata'] : {};
  const namespace = typeof own === 'string' ? own : build.namespace;
  const known = build.namespaces.get(namespace);
  const labels = { ...known, [NAMESPACE_NAME_LABEL]: namespace };
  let pod: KubeObject = asPod(template, typeof name === 'string' ? name : '', namespace);
  let isChanged = false;
  for (const [type, sets] of build.sets) {
    const result = type.inject({
      pod,
      namespace: { name: namespace, labels },
      sets,
      revisions: [],
      published: new Map(),
      requestId: '',
      now: TIME,
      sortsContainers: false,
    });
    if ('refused' in result) return result;
    if (known === undefined) noteUnknown(result.skipped, type, namespace, build);
    if (result.injected.length === 0) continue;
    isChanged = true;
    ({ pod } = result);
  }
  if (!isChanged) return { template };
  const metadata = isObject(template['metadata']) ? template['metadata'] : {};
  const built: JsonObject = {
    ...template,
    metadata: { ...metadata, annotations: { ...pod.metadata.annotations } },
    spec: objectOf(pod['spec']),
  };
  const text = canonicalJson(built);
  // Each template gets a copy of all containers.
  if (!build.budget.take('builtText', text.length)) return { template };
  // Templates that have these sidecars already stay as they are written.
  return { template: text === canonicalJson(template) ? template : built };
}

function asPod(template: JsonObject, name: string, namespace: string): KubeObject {
  const metadata = isObject(template['metadata']) ? template['metadata'] : {};
  return {
    ...template,
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...metadata, name, namespace },
  };
}

/** A set may select this namespace by labels that are not here. */
function noteUnknown(
  skipped: readonly SkippedSet[],
  { id: { kind } }: PodInjector,
  namespace: string,
  { unknown }: Build,
): void {
  for (const { set, reason } of skipped)
    if (reason === 'Namespace')
      unknown.set(
        `${set}/${namespace}`,
        `${kind} ${set} selects namespaces by labels, and no manifest of the namespace ${namespace} is here: it is not injected there`,
      );
}
