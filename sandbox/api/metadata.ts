import type { KubeObject, ObjectMeta } from '../../schemas/wire/object.ts';
import { sameValue } from '../../schemas/pods/fields.ts';
import { field, type FieldError } from '../../schemas/pods/fieldErrors.ts';
import { nameFaults, type NameRule } from '../../schemas/pods/names.ts';
import { checkCommonMetadata } from '../../schemas/pods/commonMetadata.ts';

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

function checkName(name: unknown, path: string, rule: NameRule): FieldError[] {
  if (typeof name !== 'string') return [field.invalid(path, name, 'must be a string')];
  return nameFaults(name, rule).map((fault) => field.invalid(path, name, fault));
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

/** Fields that only the server writes, and the name, in the order of its error messages. */
const immutable = ['name', 'uid', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const;

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
