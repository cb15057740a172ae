import { validatePodTemplate } from '../../schemas/generated/validate/podtemplate.js';
import { podTemplateOf } from '../../semantics/kinds/git-side.ts';
import { claimTemplates } from '../../semantics/kinds/git-units.ts';
import { podInjectorOf } from '../../semantics/registry/pod-injectors.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { createLocator } from '../load/locate.ts';
import type { KruiseConfig } from '../../schemas/generated/types/config.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { InvalidField } from '../../semantics/fields/problems.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import type { Manifest, ManifestOf } from '../load/manifest.ts';
import { rulesOfInjector } from './injector-rules.ts';
import { POD_TEMPLATE, schemaOf } from './known-fields.ts';
import { claimNames, metadataRules, podRules } from './pod-rules.ts';
import type { SchemaError } from '../../schemas/validator/error.ts';
import { formatPath, schemaDiagnostics, valueAt } from './schema-errors.ts';
import { reservedKeyRules } from './reserved-key-rules.ts';
import { validPart } from './valid-part.ts';
import type { Locate } from './schema-errors.ts';
import { isReplaced, templateRules } from './template-rules.ts';
import { unsupportedRules, workloadRules } from './workload-rules.ts';
import { beyondBounds } from '../../semantics/template/bounds.ts';

/** What kruise.yaml says about manifests. */
export type ManifestSettings = Pick<KruiseConfig, 'images' | 'assume'>;

/** Returns a function that finds source positions in one manifest. */
export function locateIn(manifest: ManifestOf<Kind>, locator = createLocator()): Locate {
  return (path, part) => locator(manifest.origin, path, part);
}

/**
 * All diagnostics about one manifest by itself. Rules beyond the schema see only the values that fit it, so one mistake is
 * not reported several times.
 */
export function validateManifest(
  manifest: Manifest,
  { images = 'tag', assume }: ManifestSettings,
  locate: Locate,
): Diagnostic[] {
  const { object, type } = manifest;
  const beyond = beyondBounds(object);
  if (beyond !== undefined) return [beyondBoundsFault(beyond, locate)];
  const ofTarget = reservedKeyRules(
    { metadata: object.metadata as unknown as JsonObject },
    [],
    'target',
    locate,
  );
  const injector = podInjectorOf(type.id);
  if (injector !== undefined) return [...rulesOfInjector(object, injector, images, locate), ...ofTarget];
  const schema = schemaOf(type.id);
  const template = type.git.fieldPath(object, 'template');
  // The pod template has its own schema.
  const shape = schemaErrors(manifest).filter(
    ({ path }) => path.length <= template.length || !template.every((key, at) => path[at] === key),
  );
  const outside = validPart(object, shape);
  const found: Diagnostic[] = [
    ...schemaDiagnostics(shape, schema.definition, object, [], locate),
    ...scopeRules(manifest, locate),
    ...metadataRules(object, outside.isFaulty, locate),
  ];
  if (outside.isFaulty(...template))
    return [...found, ...workloadRules(type, outside, assume?.nodes, locate)];
  const normal = type.git.read(outside.object);
  const pod = podTemplateOf(normal);
  // A template of something that this version does not execute.
  if (pod === undefined)
    return [...found, ...ofTarget, ...workloadRules(type, outside, assume?.nodes, locate)];
  // What text will be after its replacement is unknown.
  const inTemplate = validatePodTemplate(pod).filter(
    ({ keyword, path }) => keyword !== 'pattern' || !isReplaced(valueAt(pod, path)),
  );
  // An unknown field of a pod is a warning and does not prevent further rules.
  const wrong = inTemplate.filter(({ keyword }) => keyword !== 'additionalProperties');
  const inObject = wrong.map((error) => ({ ...error, path: [...template, ...error.path] }));
  const all = [
    ...found,
    ...schemaDiagnostics(inTemplate, POD_TEMPLATE, pod, template, locate),
    ...templateRules(pod, template, images, locate),
    ...reservedKeyRules(pod, template, 'pod', locate),
    ...ofTarget,
    ...workloadRules(type, validPart(object, [...shape, ...inObject]), assume?.nodes, locate),
  ];
  const refused = podRules(pod, template, wrong, claimNames(claimTemplates(normal.units)), locate);
  return [...all, ...notReported(refused, all)];
}

/** The fault of an object that is larger than what is read. */
export function beyondBoundsFault({ path, rule }: InvalidField, locate: Locate): Diagnostic {
  return diagnostic('KR2225', { field: formatPath(path), rule }, locate(path, 'value'));
}

/** The object in a version of its kind. An unknown version was reported when the object was loaded. */
export function withKnownVersion({ object, type }: Pick<ManifestOf<Kind>, 'object' | 'type'>): KubeObject {
  const known = type.versions.map((version) => `${type.id.group}/${version}`);
  return known.includes(object.apiVersion) ? object : { ...object, apiVersion: known[0] ?? '' };
}

/** Objects that fit the schema of their kind: rules of several passes ask. */
const fitting = new WeakSet<KubeObject>();

function schemaErrors({ object, type }: Pick<Manifest, 'object' | 'type'>): readonly SchemaError[] {
  if (fitting.has(object)) return [];
  const errors = schemaOf(type.id).validate(withKnownVersion({ object, type }));
  if (errors.length === 0) fitting.add(object);
  return errors;
}

/** Omits errors about values that a rule of its own reports, with a better explanation. */
function notReported(refused: readonly Diagnostic[], found: readonly Diagnostic[]): Diagnostic[] {
  const errors = found.filter(({ severity }) => severity === 'error');
  const starts = new Set(errors.map(({ position }) => position?.start));
  // A missing field and a warning are at the value that has them.
  return refused.filter(
    ({ code, position }) => code === 'KR2004' || code === 'KR2205' || !starts.has(position?.start),
  );
}

/** Reports the fields of a manifest that are valid but not executed by this version, as far as they fit the schema. */
export function unsupportedFields(
  { object, type }: Manifest,
  locate: Locate,
  code: 'KR2114' | 'KR2136',
): Diagnostic[] {
  return unsupportedRules(type, validPart(object, schemaErrors({ object, type })).object, locate, code);
}

/** The API server refuses a namespace on objects of a cluster-scoped kind. */
export function scopeRules({ object, type, kind }: ManifestOf<Kind>, locate: Locate): Diagnostic[] {
  if (type.resource.namespaced || object.metadata.namespace === undefined) return [];
  const args = { field: 'metadata.namespace', rule: `must not be set: a ${kind} is cluster-scoped` };
  return [diagnostic('KR2005', args, locate(['metadata', 'namespace'], 'key'))];
}
