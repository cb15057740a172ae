import type { KubeObject, ObjectMeta } from '../../schemas/wire/object.ts';
import { sameValue } from '../store/value.ts';
import { field, type FieldError } from './errors.ts';

const label1123 = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const subdomain1123 = `${label1123}(\\.${label1123})*`;
const subdomain = new RegExp(`^${subdomain1123}$`);
const dnsLabel = new RegExp(`^${label1123}$`);
const qualifiedName = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const labelValue = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;
const annotationsLimit = 256 * 1024;

const subdomainRule =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character " +
  `(e.g. 'example.com', regex used for validation is '${subdomain1123}')`;
const labelRule =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character " +
  `(e.g. 'my-name',  or '123-abc', regex used for validation is '${label1123}')`;
const qualifiedRule =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character " +
  "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const labelValueRule =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character " +
  "(e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

export type NameRule = 'subdomain' | 'label';

function checkName(name: unknown, path: string, rule: NameRule): FieldError[] {
  if (typeof name !== 'string') return [field.invalid(path, name, 'must be a string')];
  const errors: FieldError[] = [];
  const limit = rule === 'subdomain' ? 253 : 63;
  if (name.length > limit) errors.push(field.invalid(path, name, `must be no more than ${limit} bytes`));
  if (!(rule === 'subdomain' ? subdomain : dnsLabel).test(name))
    errors.push(field.invalid(path, name, rule === 'subdomain' ? subdomainRule : labelRule));
  return errors;
}

function checkQualifiedName(key: string, path: string): FieldError[] {
  const slash = key.lastIndexOf('/');
  const name = key.slice(slash + 1);
  const errors: FieldError[] = [];
  if (slash >= 0 && !subdomain.test(key.slice(0, slash)))
    errors.push(field.invalid(path, key, `prefix part ${subdomainRule}`));
  if (name === '') errors.push(field.invalid(path, key, 'name part must be non-empty'));
  if (name.length > 63) errors.push(field.invalid(path, key, 'name part must be no more than 63 bytes'));
  if (!qualifiedName.test(name)) errors.push(field.invalid(path, key, qualifiedRule));
  return errors;
}

function checkLabels(labels: unknown): FieldError[] {
  if (labels === undefined) return [];
  const errors: FieldError[] = [];
  for (const [key, value] of Object.entries(labels ?? {})) {
    errors.push(...checkQualifiedName(key, 'metadata.labels'));
    if (typeof value !== 'string')
      errors.push(field.typeInvalid(`metadata.labels.${key}`, value, 'must be of type string'));
    else if (value.length > 63)
      errors.push(field.invalid('metadata.labels', value, 'must be no more than 63 bytes'));
    else if (!labelValue.test(value)) errors.push(field.invalid('metadata.labels', value, labelValueRule));
  }
  return errors;
}

function checkAnnotations(annotations: unknown): FieldError[] {
  if (annotations === undefined) return [];
  const errors: FieldError[] = [];
  let size = 0;
  for (const [key, value] of Object.entries(annotations ?? {})) {
    errors.push(...checkQualifiedName(key.toLowerCase(), 'metadata.annotations'));
    if (typeof value !== 'string')
      errors.push(field.typeInvalid(`metadata.annotations.${key}`, value, 'must be of type string'));
    else size += key.length + value.length;
  }
  if (size > annotationsLimit) errors.push(field.tooLong('metadata.annotations', annotationsLimit));
  return errors;
}

function checkOwners(owners: ObjectMeta['ownerReferences']): FieldError[] {
  const errors: FieldError[] = [];
  let controller: string | undefined;
  for (const [index, owner] of (owners ?? []).entries()) {
    const path = `metadata.ownerReferences[${index}]`;
    if (!owner.apiVersion)
      errors.push(field.invalid(`${path}.apiVersion`, owner.apiVersion ?? '', 'version must not be empty'));
    if (!owner.kind) errors.push(field.invalid(`${path}.kind`, owner.kind ?? '', 'must not be empty'));
    if (!owner.name) errors.push(field.invalid(`${path}.name`, owner.name ?? '', 'must not be empty'));
    if (!owner.uid) errors.push(field.invalid(`${path}.uid`, owner.uid ?? '', 'must not be empty'));
    if (owner.controller !== true) continue;
    if (controller !== undefined)
      errors.push(
        field.invalid(
          'metadata.ownerReferences',
          owners,
          `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${owner.kind}/${owner.name}`,
        ),
      );
    controller = `${owner.kind}/${owner.name}`;
  }
  return errors;
}

/** What is wrong with an object's metadata, whatever its kind; all of it at once. */
export function checkMetadata(object: KubeObject, rule: NameRule): FieldError[] {
  const { metadata } = object;
  const named =
    metadata.name === undefined || metadata.name === ''
      ? [field.required('metadata.name', 'name or generateName is required')]
      : checkName(metadata.name, 'metadata.name', rule);
  return [
    ...named,
    ...checkLabels(metadata.labels),
    ...checkAnnotations(metadata.annotations),
    ...checkOwners(metadata.ownerReferences),
    ...(metadata.finalizers ?? []).flatMap((name) => checkQualifiedName(String(name), 'metadata.finalizers')),
  ];
}

/** What may not change in metadata from one version of an object to the next. */
export function checkMetadataUpdate(next: KubeObject, current: KubeObject): FieldError[] {
  const errors: FieldError[] = [];
  if (next.metadata.uid !== current.metadata.uid)
    errors.push(field.invalid('metadata.uid', next.metadata.uid, 'field is immutable'));
  if (current.metadata.deletionTimestamp !== undefined) {
    const known = new Set(current.metadata.finalizers);
    const added = (next.metadata.finalizers ?? []).filter((name) => !known.has(name));
    if (added.length > 0)
      errors.push(
        field.forbidden(
          'metadata.finalizers',
          `no new finalizers can be added if the object is being deleted, found new finalizers []string{${added.map((name) => JSON.stringify(name)).join(', ')}}`,
        ),
      );
  }
  return errors;
}

/** The server's own metadata: a client's write never changes it. */
export function withServerMetadata(next: KubeObject, current: KubeObject): KubeObject {
  const { metadata } = current;
  return {
    ...next,
    metadata: {
      ...next.metadata,
      uid: next.metadata.uid ?? metadata.uid,
      creationTimestamp: metadata.creationTimestamp,
      generation: metadata.generation,
      deletionTimestamp: metadata.deletionTimestamp,
      deletionGracePeriodSeconds: metadata.deletionGracePeriodSeconds,
      resourceVersion: metadata.resourceVersion,
    },
  };
}

/** Whether two versions of an object differ in anything but metadata and the fields named. */
export function bodyChanged(next: KubeObject, current: KubeObject, ignoring: readonly string[]): boolean {
  const skip = new Set(['metadata', 'apiVersion', ...ignoring]);
  const keys = new Set([...Object.keys(next), ...Object.keys(current)].filter((key) => !skip.has(key)));
  return [...keys].some((key) => !sameValue(next[key], current[key]));
}

/** RFC 3339, whole seconds, UTC. */
export function timestamp(ms: number): string {
  return `${new Date(Math.floor(ms / 1000) * 1000).toISOString().slice(0, 19)}Z`;
}
