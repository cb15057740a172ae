import type { KubeObject } from '../../schemas/wire/object.ts';
import { field, type FieldError } from '../../schemas/pods/fieldErrors.ts';
import { fieldAt, isFields, ownField, sameValue } from '../../schemas/pods/fields.ts';
import { checkSchema } from './rulesCheck.ts';

function textOf(value: unknown, key: string): string {
  const found = ownField(value, key);
  return typeof found === 'string' ? found : '';
}

function listOf(value: unknown, key: string): unknown[] {
  const found = ownField(value, key);
  return Array.isArray(found) ? found : [];
}

/** The schemas of all versions. The server reports a common schema at its location in v1beta1. */
function checkVersions(versions: readonly unknown[]): FieldError[] {
  const errors: FieldError[] = [];
  const names = versions.map((version) => textOf(version, 'name'));
  if (new Set(names).size < names.length)
    errors.push(field.invalid('spec.versions', names, 'must contain unique version names'));
  if (versions.filter((version) => ownField(version, 'storage') === true).length !== 1)
    errors.push(
      field.invalid('spec.versions', names, 'must have exactly one version marked as storage version'),
    );
  const schemas = versions.map((version) => fieldAt(version, ['schema', 'openAPIV3Schema']));
  const alike = schemas.every((schema) => sameValue(schema, schemas[0]));
  for (const [index, schema] of schemas.entries()) {
    const path = `spec.versions[${index}].schema.openAPIV3Schema`;
    if (!isFields(schema)) errors.push(field.required(path));
    else if (!alike) errors.push(...checkSchema(schema, path));
    else if (index === 0) errors.push(...checkSchema(schema, 'spec.validation.openAPIV3Schema'));
  }
  return errors;
}

function checkStored(object: KubeObject): FieldError[] {
  const stored = fieldAt(object, ['status', 'storedVersions']);
  const path = 'status.storedVersions';
  if (!Array.isArray(stored) || stored.length === 0)
    return [field.invalid(path, stored ?? null, 'must have at least one stored version')];
  const names = listOf(object['spec'], 'versions').map((version) => textOf(version, 'name'));
  return stored.flatMap((name: unknown, index) =>
    names.includes(String(name))
      ? []
      : [
          field.invalid(
            `${path}[${index}]`,
            name,
            `missing from spec.versions; ${String(name)} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${String(name)} and removes ${String(name)} from status.storedVersions`,
          ),
        ],
  );
}

const required: readonly string[][] = [
  ['group'],
  ['scope'],
  ['names', 'plural'],
  ['names', 'singular'],
  ['names', 'kind'],
  ['names', 'listKind'],
];

/**
 * The errors of a CustomResourceDefinition that would keep its kind from being served, in the wording of the
 * server: names, versions, missing schemas, rules and patterns. Whether schemas are structural is not checked.
 */
export function checkDefinition(object: KubeObject): FieldError[] {
  const { spec, metadata } = object;
  const name = `${textOf(ownField(spec, 'names'), 'plural')}.${textOf(spec, 'group')}`;
  const scope = textOf(spec, 'scope');
  const scopes = ['Cluster', 'Namespaced'];
  return [
    ...(metadata.name === name
      ? []
      : [field.invalid('metadata.name', metadata.name, 'must be spec.names.plural+"."+spec.group')]),
    ...required
      .filter((path) => (fieldAt(spec, path) ?? '') === '')
      .map((path) => field.required(['spec', ...path].join('.'))),
    ...(scope === '' || scopes.includes(scope) ? [] : [field.notSupported('spec.scope', scope, scopes)]),
    ...checkVersions(listOf(spec, 'versions')),
    ...checkStored(object),
  ];
}
