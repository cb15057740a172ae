import { validatePodTemplate } from '../../schemas/generated/validate/podtemplate.js';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { InvalidField } from '../../semantics/fields/problems.ts';
import type { PodInjector } from '../../semantics/kinds/pod-injector.ts';
import { kindOf } from '../../semantics/registry/registry.ts';
import { diagnostic, hasErrors } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { SharedDiagnostic } from '../diagnostics/shared.ts';
import type { Locator } from '../load/locate.ts';
import type { InjectorManifest } from '../load/injector-manifest.ts';
import { byText } from '../text/order.ts';
import { fieldsOfOtherVersions, POD_TEMPLATE, schemaOf } from './known-fields.ts';
import { metadataRules, podRules } from './pod-rules.ts';
import { formatPath, type Locate, schemaDiagnostics, valueAt } from './schema-errors.ts';
import { type ImagePolicy, isReplaced, templateRules } from './template-rules.ts';
import { validPart } from './valid-part.ts';

/** With more sets of one kind, comparing each with each would take too long. */
const MOST_COMPARED = 2_000;

/**
 * All diagnostics about objects that add to new pods: of each by itself, of its change, and of each with all others.
 *
 * @param before the same objects at base; undefined: there is no second state
 * @param areValidated those that are planned were validated by themselves, as targets
 * @param elsewhere those of other roots, of which only conflicts are reported
 */
export function injectorRules(
  manifests: readonly InjectorManifest[],
  before: readonly InjectorManifest[] | undefined,
  images: ImagePolicy,
  locator: Locator,
  areValidated: boolean,
  elsewhere: readonly InjectorManifest[] = [],
): SharedDiagnostic[] {
  const found: SharedDiagnostic[] = [];
  const sound: InjectorManifest[] = [];
  const atBase = new Map(before?.map((each) => [each.id, each]));
  const first = new Map<string, InjectorManifest>();
  for (const manifest of manifests) {
    const locate = locateIn(manifest, locator);
    const own = rulesOfInjector(manifest.object, manifest.type, images, locate);
    const isKnown = areValidated && kindOf(manifest.type.id) !== undefined;
    const known = isKnown ? own.length : 0;
    const twice = first.get(manifest.id);
    if (twice === undefined) first.set(manifest.id, manifest);
    else if (isKnown) continue;
    else own.push(duplicate(manifest, twice, locator));
    const base = atBase.get(manifest.id);
    if (!hasErrors(own) && base !== undefined && isSound(base))
      for (const each of manifest.type.validateChange(base.object, manifest.object))
        own.push(invalidField(each, locate));
    if (!hasErrors(own) && before !== undefined && base === undefined)
      own.push(...newRules(manifest, locate));
    for (const each of own.slice(known)) found.push({ ids: [manifest.id], found: each });
    if (!hasErrors(own)) sound.push(manifest);
  }
  return [...found, ...conflictRules(sound, locator), ...conflictsElsewhere(sound, elsewhere, locator)];
}

/** What an object that is created needs, and does not find in the cluster. */
function newRules({ object, type }: InjectorManifest, locate: Locate): Diagnostic[] {
  const { kind } = type.id;
  const { name } = object.metadata;
  return type.impossibleAtFirst(object).map(({ path, rule, help }) => {
    const args = { kind, name, field: formatPath(path), rule, help };
    return diagnostic('KR2199', args, locate(path, 'value'));
  });
}

function locateIn({ origin }: InjectorManifest, locator: Locator): Locate {
  return (path, part) => locator(origin, path, part);
}

function isSound({ type, object }: InjectorManifest): boolean {
  return schemaOf(type.id).validate(object).length === 0;
}

function duplicate(manifest: InjectorManifest, first: InjectorManifest, locator: Locator): Diagnostic {
  const nameOf = (each: InjectorManifest): ReturnType<Locate> =>
    locateIn(each, locator)(['metadata', 'name'], 'value');
  const args = { kind: manifest.type.id.kind, name: manifest.object.metadata.name, nested: undefined };
  return diagnostic('KR1016', args, nameOf(manifest), [{ message: 'first here', position: nameOf(first) }]);
}

/** All diagnostics about one object. The pod that it adds to has the same paths, so that its errors are at the right places. */
export function rulesOfInjector(
  object: KubeObject,
  type: PodInjector,
  images: ImagePolicy,
  locate: Locate,
): Diagnostic[] {
  const schema = schemaOf(type.id);
  const shape = schema.validate(object);
  const { object: valid, isFaulty } = validPart(object, shape);
  const found = [
    ...schemaDiagnostics(shape, schema.definition, object, [], locate),
    ...metadataRules(object, isFaulty, locate),
    ...scopeRules(object.metadata.namespace, type, locate),
  ];
  if (isFaulty('apiVersion') || isFaulty('metadata') || typeof valid['spec'] !== 'object') return found;
  for (const each of type.validate(valid))
    if (!isFaulty(...each.path)) found.push(invalidField(each, locate));
  const pod = type.podOf(valid);
  const inPod = validatePodTemplate(pod).filter(
    ({ keyword, path }) => keyword !== 'pattern' || !isReplaced(valueAt(pod, path)),
  );
  const wrong = inPod.filter(({ keyword }) => keyword !== 'additionalProperties');
  found.push(
    ...schemaDiagnostics(inPod, POD_TEMPLATE, pod, [], locate),
    ...templateRules(pod, [], images, locate),
    ...versionRules(valid, type, locate),
  );
  const starts = new Set(found.map(({ position }) => position?.start));
  const refused = podRules(pod, [], wrong, [], locate);
  return [
    ...found,
    ...refused.filter(({ code, position }) => code === 'KR2205' || !starts.has(position?.start)),
    ...mountRules(pod, locate),
    ...orderRules(valid, type, locate),
  ];
}

function invalidField({ path, rule, help }: InvalidField, locate: Locate): Diagnostic {
  return diagnostic('KR2005', { field: formatPath(path), rule, help }, locate(path, 'value'));
}

function scopeRules(namespace: string | undefined, type: PodInjector, locate: Locate): Diagnostic[] {
  if (type.resource.namespaced || namespace === undefined) return [];
  const args = { field: 'metadata.namespace', rule: `must not be set: a ${type.id.kind} is cluster-scoped` };
  return [diagnostic('KR2005', args, locate(['metadata', 'namespace'], 'key'))];
}

/** Fields of another version are read all the same; a definition of OpenKruise would drop them. */
function versionRules(object: InjectorManifest['object'], type: PodInjector, locate: Locate): Diagnostic[] {
  const apiVersion = object.apiVersion.split('/')[1] ?? '';
  return fieldsOfOtherVersions(schemaOf(type.id).definition, object, apiVersion).map(({ path, versions }) =>
    diagnostic(
      'KR2112',
      { field: formatPath(path), versions: versions.join(', '), apiVersion },
      locate(path, 'key'),
    ),
  );
}

/** Init containers run in an order of their own, whatever the list says. */
function orderRules(object: KubeObject, type: PodInjector, locate: Locate): Diagnostic[] {
  const order = type.initOrder(object);
  if (order === undefined) return [];
  return [diagnostic('KR2219', { order }, locate(['spec', 'initContainers'], 'key'))];
}

/** Mounts of a volume that the object does not have. It would not be injected (KR2148 for workloads). */
function mountRules(pod: unknown, locate: Locate): Diagnostic[] {
  const listAt = (path: string[]): unknown[] => {
    const list = valueAt(pod, path);
    return Array.isArray(list) ? list : [];
  };
  const volumes = new Set(listAt(['spec', 'volumes']).map((each) => valueAt(each, ['name'])));
  return ['initContainers', 'containers'].flatMap((list) =>
    listAt(['spec', list]).flatMap((_container, index) =>
      ['volumeMounts', 'volumeDevices'].flatMap((kind) =>
        listAt(['spec', list, String(index), kind]).flatMap((mount, at) => {
          const volume = valueAt(mount, ['name']);
          if (typeof volume !== 'string' || isReplaced(volume) || volumes.has(volume)) return [];
          const path = ['spec', list, String(index), kind, String(at), 'name'];
          return [diagnostic('KR2148', { volume, subset: undefined }, locate(path, 'value'))];
        }),
      ),
    ),
  );
}

/**
 * Conflicts with sets of other roots, at the later one of the two: the run of the other root reports the others. A set that
 * both roots have is a variant for another cluster.
 */
function conflictsElsewhere(
  own: readonly InjectorManifest[],
  elsewhere: readonly InjectorManifest[],
  locator: Locator,
): SharedDiagnostic[] {
  const ids = new Set(own.map(({ id }) => id));
  const others = new Map(elsewhere.filter(isSound).map((each) => [each.id, each]));
  const all = [...own, ...[...others.values()].filter(({ id }) => !ids.has(id))];
  return conflictRules(all, locator, (one, other) => ids.has(one.id) && !ids.has(other.id));
}

function conflictRules(
  manifests: readonly InjectorManifest[],
  locator: Locator,
  isElsewhere?: (one: InjectorManifest, other: InjectorManifest) => boolean,
): SharedDiagnostic[] {
  const byKind = new Map<PodInjector, InjectorManifest[]>();
  for (const each of manifests) byKind.set(each.type, [...(byKind.get(each.type) ?? []), each]);
  return [...byKind].flatMap(([type, all]) => {
    if (all.length > MOST_COMPARED) return [];
    const inOrder = [...all].sort((a, b) => byText(a.id, b.id));
    return type.conflicts(inOrder.map(({ object }) => object)).flatMap((conflict): SharedDiagnostic[] => {
      const [one, other] = [inOrder[conflict.index], inOrder[conflict.other]];
      if (one === undefined || other === undefined || isElsewhere?.(one, other) === false) return [];
      const position = locateIn(one, locator)(conflict.path, 'value');
      const ids = [one.id, other.id];
      if (conflict.rule !== undefined) {
        if (isElsewhere !== undefined) return [];
        const field = formatPath(conflict.path);
        return [{ ids, found: diagnostic('KR2005', { field, rule: conflict.rule }, position) }];
      }
      const args = {
        kind: type.id.kind,
        name: one.object.metadata.name,
        other: other.object.metadata.name,
        what: conflict.what,
        shared: conflict.name,
      };
      const code = isElsewhere === undefined ? 'KR2190' : 'KR2196';
      return [{ ids, found: diagnostic(code, args, position) }];
    });
  });
}
