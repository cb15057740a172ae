import type { ObjectMeta } from '../wire/object.ts';
import { field, type FieldError } from './fieldErrors.ts';
import { bytes, labelValueFaults, qualifiedNameFaults } from './names.ts';

/** Standard finalizers, which need no domain. */
export const standardFinalizers: ReadonlySet<string> = new Set([
  'kubernetes',
  'orphan',
  'foregroundDeletion',
]);
const annotationsLimit = 256 * 1024;

function checkQualifiedName(shown: string, path: string, key = shown): FieldError[] {
  return qualifiedNameFaults(key).map((fault) => field.invalid(path, shown, fault));
}

function checkLabels(labels: unknown, path: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const [key, value] of Object.entries(labels ?? {})) {
    errors.push(...checkQualifiedName(key, path));
    if (typeof value !== 'string') {
      errors.push(field.typeInvalid(`${path}.${key}`, value, 'must be of type string'));
      continue;
    }
    errors.push(...labelValueFaults(value).map((fault) => field.invalid(path, value, fault)));
  }
  return errors;
}

function checkAnnotations(annotations: unknown, path: string): FieldError[] {
  const errors: FieldError[] = [];
  let size = 0;
  for (const [key, value] of Object.entries(annotations ?? {})) {
    errors.push(...checkQualifiedName(key, path, key.toLowerCase()));
    if (typeof value !== 'string')
      errors.push(field.typeInvalid(`${path}.${key}`, value, 'must be of type string'));
    else size += bytes(key) + bytes(value);
  }
  if (size > annotationsLimit) errors.push(field.tooLong(path, annotationsLimit));
  return errors;
}

function checkOwners(owners: ObjectMeta['ownerReferences'], base: string): FieldError[] {
  const errors: FieldError[] = [];
  let controller: string | undefined;
  const path = `${base}.ownerReferences`;
  for (const owner of owners ?? []) {
    const { apiVersion, kind, name, uid } = owner;
    if (!apiVersion || apiVersion.split('/').length > 2 || apiVersion.endsWith('/'))
      errors.push(field.invalid(`${path}.apiVersion`, apiVersion ?? '', 'version must not be empty'));
    if (!kind) errors.push(field.invalid(`${path}.kind`, kind ?? '', 'must not be empty'));
    if (!name) errors.push(field.invalid(`${path}.name`, name ?? '', 'must not be empty'));
    if (!uid) errors.push(field.invalid(`${path}.uid`, uid ?? '', 'must not be empty'));
    if (apiVersion === 'v1' && kind === 'Event')
      errors.push(field.invalid(path, owner, '/v1, Kind=Event is disallowed from being an owner'));
    if (owner.controller !== true) continue;
    if (controller !== undefined)
      errors.push(
        field.invalid(
          path,
          owners,
          `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${kind}/${name}`,
        ),
      );
    controller = `${kind}/${name}`;
  }
  return errors;
}

function checkFinalizers(finalizers: readonly string[], base: string, qualified: boolean): FieldError[] {
  const path = `${base}.finalizers`;
  const errors = finalizers.flatMap((name) => checkQualifiedName(name, path));
  if (['orphan', 'foregroundDeletion'].every((name) => finalizers.includes(name)))
    errors.push(
      field.invalid(path, finalizers, 'finalizer orphan and foregroundDeletion cannot be both set'),
    );
  for (const [index, name] of qualified ? finalizers.entries() : [])
    if (!name.includes('/') && !standardFinalizers.has(name))
      errors.push(
        field.invalid(
          `${path}[${index}]`,
          name,
          'name is neither a standard finalizer name nor is it fully qualified',
        ),
      );
  return errors;
}

/** Errors in labels, annotations, owner references and finalizers. */
export function checkCommonMetadata(
  metadata: Partial<ObjectMeta>,
  path: string,
  qualifiedFinalizers = false,
): FieldError[] {
  return [
    ...checkLabels(metadata.labels, `${path}.labels`),
    ...checkAnnotations(metadata.annotations, `${path}.annotations`),
    ...checkOwners(metadata.ownerReferences, path),
    ...checkFinalizers((metadata.finalizers ?? []).map(String), path, qualifiedFinalizers),
  ];
}
