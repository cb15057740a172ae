import type { KubeObject, ObjectMeta } from '../../schemas/wire/object.ts';
import { sameValue } from '../store/value.ts';
import { field, type FieldError } from './errors.ts';

const label1123 = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const subdomain1123 = `${label1123}(\\.${label1123})*`;
const subdomain = new RegExp(`^${subdomain1123}$`);
const dnsLabel = new RegExp(`^${label1123}$`);
const label1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';
const dnsLabel1035 = new RegExp(`^${label1035}$`);
const qualifiedName = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const labelValue = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;
/** Standard finalizers, which need no domain. */
export const standardFinalizers: ReadonlySet<string> = new Set([
  'kubernetes',
  'orphan',
  'foregroundDeletion',
]);
const annotationsLimit = 256 * 1024;

const subdomainRule =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character " +
  `(e.g. 'example.com', regex used for validation is '${subdomain1123}')`;
const labelRule =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character " +
  `(e.g. 'my-name',  or '123-abc', regex used for validation is '${label1123}')`;
const label1035Rule =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character " +
  `(e.g. 'my-name',  or 'abc-123', regex used for validation is '${label1035}')`;
const qualifiedChars =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character " +
  "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const labelValueRule =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character " +
  "(e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

/** How objects of a kind can be named; `path`: any valid path segment. */
export type NameRule = 'subdomain' | 'label' | 'label1035' | 'path';

/** Kinds whose names are not DNS subdomains, by resource id. */
const nameRules: Readonly<Record<string, NameRule>> = {
  namespaces: 'label',
  services: 'label1035',
  events: 'path',
  'statefulsets.apps': 'label',
  'poddisruptionbudgets.policy': 'path',
  'roles.rbac.authorization.k8s.io': 'path',
  'rolebindings.rbac.authorization.k8s.io': 'path',
  'clusterroles.rbac.authorization.k8s.io': 'path',
  'clusterrolebindings.rbac.authorization.k8s.io': 'path',
};

/** The name rule of a type that does not define one itself. */
export function nameRuleOf(type: { id: string; rules: { names?: NameRule } }): NameRule {
  return type.rules.names ?? nameRules[type.id] ?? 'subdomain';
}

function bytes(text: string): number {
  return Buffer.byteLength(text);
}

/** Errors of a name, in the wording of the rule. */
export function nameFaults(name: string, rule: NameRule): string[] {
  if (rule === 'path') {
    if (name === '.' || name === '..') return [`may not be '${name}'`];
    return ['/', '%'].filter((sign) => name.includes(sign)).map((sign) => `may not contain '${sign}'`);
  }
  const limit = rule === 'subdomain' ? 253 : 63;
  const faults = bytes(name) > limit ? [`must be no more than ${limit} characters`] : [];
  if (rule === 'subdomain' && !subdomain.test(name)) faults.push(subdomainRule);
  if (rule === 'label1035' && !dnsLabel1035.test(name)) faults.push(label1035Rule);
  if (rule === 'label' && !dnsLabel.test(name))
    faults.push(subdomain.test(name) ? 'must not contain dots' : labelRule);
  return faults;
}

/** Why a text is not an RFC 1035 label, in the server's wording. */
export function label1035Faults(text: string): string[] {
  return nameFaults(text, 'label1035');
}

/** The same for a DNS subdomain. */
export function subdomainFaults(text: string): string[] {
  return nameFaults(text, 'subdomain');
}

function checkName(name: unknown, path: string, rule: NameRule): FieldError[] {
  if (typeof name !== 'string') return [field.invalid(path, name, 'must be a string')];
  return nameFaults(name, rule).map((fault) => field.invalid(path, name, fault));
}

/** Errors of a qualified name (`example.com/name`), in the server's wording. */
export function qualifiedNameFaults(key: string): string[] {
  const [first = '', second, ...more] = key.split('/');
  if (more.length > 0)
    return [
      `a valid label key ${qualifiedChars} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  const faults: string[] = [];
  if (second !== undefined) {
    if (first === '') faults.push('prefix part must be non-empty');
    else {
      if (bytes(first) > 253) faults.push('prefix part must be no more than 253 bytes');
      if (!subdomain.test(first)) faults.push(`prefix part ${subdomainRule}`);
    }
  }
  const name = second ?? first;
  if (name === '') faults.push('name part must be non-empty');
  else if (bytes(name) > 63) faults.push('name part must be no more than 63 bytes');
  if (!qualifiedName.test(name)) faults.push(`name part ${qualifiedChars}`);
  return faults;
}

function checkQualifiedName(shown: string, path: string, key = shown): FieldError[] {
  return qualifiedNameFaults(key).map((fault) => field.invalid(path, shown, fault));
}

/** Errors of a label value. */
export function labelValueFaults(value: string): string[] {
  return [
    ...(bytes(value) > 63 ? ['must be no more than 63 bytes'] : []),
    ...(labelValue.test(value) ? [] : [labelValueRule]),
  ];
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

/** All errors in an object's metadata. `qualifiedFinalizers`: finalizers need a domain. */
export function checkMetadata(object: KubeObject, rule: NameRule, qualifiedFinalizers = true): FieldError[] {
  const { metadata } = object;
  const { name, generateName } = metadata;
  const named =
    name === undefined || name === ''
      ? [field.required('metadata.name', 'name or generateName is required')]
      : checkName(name, 'metadata.name', rule);
  // generateName is a prefix, so it may end with characters that are invalid at the end of a name.
  const prefix = generateName ? nameFaults(generateName.replace(/-$/, 'a'), rule) : [];
  return [
    ...prefix.map((fault) => field.invalid('metadata.generateName', generateName, fault)),
    ...named,
    ...checkCommonMetadata(metadata, 'metadata', qualifiedFinalizers),
  ];
}

/** Kinds whose own validation does not repeat the common metadata errors. */
const reportedOnce = new Set([
  'events',
  'limitranges',
  'persistentvolumes',
  'csinodes.storage.k8s.io',
  'endpointslices.discovery.k8s.io',
  'poddisruptionbudgets.policy',
  'volumeattachments.storage.k8s.io',
]);

/** Fields that only the server writes, in the order of its error messages. */
const immutable = ['uid', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const;

/** Errors of changed immutable metadata; most kinds report them twice. */
export function checkMetadataUpdate(id: string, next: KubeObject, current: KubeObject): FieldError[] {
  const errors: FieldError[] = [];
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
  for (const name of immutable)
    if (next.metadata[name] !== current.metadata[name])
      errors.push(field.invalid(`metadata.${name}`, next.metadata[name], 'field is immutable'));
  return reportedOnce.has(id) ? errors : [...errors, ...errors];
}

/** Restores server-managed metadata: a client's write never changes it. */
export function withServerMetadata(next: KubeObject, current: KubeObject): KubeObject {
  const { metadata } = current;
  const { selfLink: _link, ...rest } = next.metadata as ObjectMeta & { selfLink?: string };
  return {
    ...next,
    metadata: {
      ...rest,
      uid: next.metadata.uid ?? metadata.uid,
      creationTimestamp: metadata.creationTimestamp,
      generation: metadata.generation,
      deletionTimestamp: metadata.deletionTimestamp ?? next.metadata.deletionTimestamp,
      deletionGracePeriodSeconds:
        next.metadata.deletionGracePeriodSeconds ?? metadata.deletionGracePeriodSeconds,
      resourceVersion: metadata.resourceVersion,
    },
  };
}

/** Whether two versions of an object differ outside of metadata and the named fields. */
export function bodyChanged(next: KubeObject, current: KubeObject, ignoring: readonly string[]): boolean {
  const skip = new Set(['metadata', 'apiVersion', ...ignoring]);
  const keys = new Set([...Object.keys(next), ...Object.keys(current)].filter((key) => !skip.has(key)));
  return [...keys].some((key) => !sameValue(next[key], current[key]));
}

/** The last second that RFC 3339 can represent. */
const endOfTime = Date.UTC(9999, 11, 31, 23, 59, 59);

let latest = { second: 0, text: '1970-01-01T00:00:00Z' };

/**
 * RFC 3339, whole seconds, UTC. Times before 1970 or after the year 9999 (from absurd grace periods) are clamped.
 */
export function timestamp(ms: number): string {
  const second = Math.floor(Math.max(0, Math.min(endOfTime, ms)) / 1000);
  // Cached, because most timestamps are the current second: all objects of a second share one string.
  if (second !== latest.second)
    latest = { second, text: new Date(second * 1000).toISOString().replace('.000', '') };
  return latest.text;
}
