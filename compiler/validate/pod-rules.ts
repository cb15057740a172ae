import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { checkCommonMetadata } from '../../schemas/pods/commonMetadata.ts';
import { items } from '../../schemas/pods/fieldChecks.ts';
import type { FieldError } from '../../schemas/pods/fieldErrors.ts';
import { isFields, type Fields } from '../../schemas/pods/fields.ts';
import type { PodSpec } from '../../schemas/pods/pod.ts';
import { withTemplateDefaults } from '../../schemas/pods/podDefaults.ts';
import { checkPodTemplate } from '../../schemas/pods/podTemplate.ts';
import { podSpecWarnings } from '../../schemas/pods/podWarnings.ts';
import type { SchemaError } from '../../schemas/validator/error.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { isLabel } from '../text/names.ts';
import { fieldErrorDiagnostics } from './field-error-diagnostics.ts';
import { isImageReference, suggestImage } from './image-reference.ts';
import { formatPath, parsePath, valueAt, type Locate } from './schema-errors.ts';
import { isReplaced } from './template-rules.ts';
import { validPart } from './valid-part.ts';

/** With more errors, further ones of the object are only counted, and comparing each with each would take long. */
const MOST_FAULTS = 1_000;

/**
 * Reports what the API server would refuse or warn of in a pod template, beyond its schema. Like the server, it checks the
 * template with its defaults, and like OpenKruise's admission with a volume for each claim template.
 *
 * @param at the path of the template in the manifest
 * @param errors what in the template does not fit its schema; rules about these values are skipped
 * @param claims the names of the claim templates
 */
export function podRules(
  template: JsonObject,
  at: readonly string[],
  errors: readonly SchemaError[],
  claims: readonly string[],
  locate: Locate,
): Diagnostic[] {
  if (errors.length > MOST_FAULTS) return [];
  const { object: sound, isFaulty } = validPart(template, errors, 'field');
  // The server reads an absent spec as an empty one.
  const given = sound['spec'] ?? (isFaulty('spec') ? undefined : {});
  if (!isFields(given)) return [];
  const spec = withTemplateDefaults(given as unknown as PodSpec);
  const volumes = withClaims(spec.volumes, claims);
  const faults = checkPodTemplate({ ...sound, spec: { ...spec, volumes } }, 'pod', 'pod.metadata');
  const checked = { data: template, at, isFaulty, locate };
  return [
    ...fieldErrorDiagnostics(
      faults.filter((fault) => !isReportedElsewhere(fault)),
      checked,
    ),
    ...imageRules(spec, at, locate),
    ...graceRules(spec, at, locate),
    ...podSpecWarnings(spec, 'spec').map(({ field, detail }) => {
      const path = [...at, ...parsePath(field)];
      const previous = previousOfName(template, parsePath(field));
      const rule =
        previous === undefined
          ? detail
          : `${detail}; the previous one is ${formatPath([...at, ...previous])}`;
      return diagnostic('KR2205', { field: formatPath(path), rule }, locate(path, 'value'));
    }),
  ];
}

/** The path of the last item before one of a list with its name; undefined if there is none. */
function previousOfName(template: JsonObject, path: readonly string[]): string[] | undefined {
  const list = valueAt(template, path.slice(0, -1));
  if (!Array.isArray(list)) return undefined;
  const index = Number(path.at(-1));
  const name = valueAt(list[index], ['name']);
  const before = list.slice(0, index).findLastIndex((item) => valueAt(item, ['name']) === name);
  return before < 0 || name === undefined ? undefined : [...path.slice(0, -1), String(before)];
}

/** Reports labels, annotations, finalizers and owners of an object that the API server would refuse. */
export function metadataRules(
  { metadata }: KubeObject,
  isFaulty: (...path: string[]) => boolean,
  locate: Locate,
): Diagnostic[] {
  if (isFaulty('metadata')) return [];
  const faults = checkCommonMetadata(metadata, 'object.metadata', true);
  return fieldErrorDiagnostics(faults, { data: { metadata }, at: [], isFaulty, locate });
}

/** The volumes that the pods get: those of the template, and one for each claim. */
function withClaims(volumes: unknown, claims: readonly string[]): unknown {
  const given: unknown[] = Array.isArray(volumes) ? volumes : [];
  const names = new Set(items(given).map(({ name }) => name));
  const added = claims.filter((name) => !names.has(name));
  if (added.length === 0) return volumes;
  return [...given, ...added.map((name) => ({ name, persistentVolumeClaim: { claimName: name } }))];
}

/** Whether a rule of its own reports the error: a container without an image, with a name of another, a mount of nothing. */
function isReportedElsewhere({ field, reason }: FieldError): boolean {
  return ELSEWHERE[reason]?.test(field) === true;
}

const ELSEWHERE: Readonly<Partial<Record<FieldError['reason'], RegExp>>> = {
  FieldValueRequired: /\.(?:initC|c)ontainers\[\d+\]\.image$/,
  FieldValueDuplicate: /\.(?:initC|c)ontainers\[\d+\]\.name$/,
  FieldValueNotFound: /\.volume(?:Mounts|Devices)\[\d+\]\.name$/,
};

function imageRules(spec: Fields, at: readonly string[], locate: Locate): Diagnostic[] {
  return ['initContainers', 'containers'].flatMap((list) =>
    items(spec[list]).flatMap(({ image }, index) => {
      if (typeof image !== 'string' || image === '' || isReplaced(image) || isImageReference(image))
        return [];
      const path = [...at, 'spec', list, String(index), 'image'];
      const args = { field: formatPath(path), image, suggestion: suggestImage(image) };
      return [diagnostic('KR2207', args, locate(path, 'value'))];
    }),
  );
}

function graceRules(spec: Fields, at: readonly string[], locate: Locate): Diagnostic[] {
  const seconds = spec['terminationGracePeriodSeconds'];
  if (typeof seconds !== 'number' || seconds >= 0) return [];
  const path = [...at, 'spec', 'terminationGracePeriodSeconds'];
  return [diagnostic('KR2208', { field: formatPath(path), seconds }, locate(path, 'value'))];
}

/** The names of claim templates that can be names of volumes; KR2145 reports the others. */
export function claimNames(templates: readonly unknown[]): string[] {
  const names = templates.map((each) => valueAt(each, ['metadata', 'name']));
  return [...new Set(names)].filter((name): name is string => typeof name === 'string' && isLabel(name));
}
