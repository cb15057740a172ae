import type { KubeObject } from '../../schemas/wire/object.ts';
import { field, type FieldError } from '../../schemas/pods/fieldErrors.ts';
import { label1035Faults, subdomainFaults } from '../../schemas/pods/names.ts';
import { fieldAt, isFields, ownField, sameValue } from '../../schemas/pods/fields.ts';
import { fieldSchema, type StructuralSchema } from './structural.ts';
import { checkStructural } from './structuralRules.ts';

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string'];
const protectedGroup = /(^|\.)(k8s\.io|kubernetes\.io)$/;
const approval = 'api-approved.kubernetes.io';
const simplePath = /^(\.[A-Za-z0-9_-]+(\[[^\]]*\])?|\.[A-Za-z0-9_/\\.-]+(\[[^\]]*\])?)+$/;

function textOf(value: unknown, key: string): string {
  const found = ownField(value, key);
  return typeof found === 'string' ? found : '';
}

function listOf(value: unknown, key: string): unknown[] {
  const found = ownField(value, key);
  return Array.isArray(found) ? found : [];
}

function labels1035(text: string, path: string): FieldError[] {
  return label1035Faults(text).map((fault) => field.invalid(path, text, fault));
}

/** Versions in the format of messages. */
function shownVersions(versions: readonly unknown[]): object[] {
  return versions.map((version) => ({
    Name: textOf(version, 'name'),
    Served: ownField(version, 'served') === true,
    Storage: ownField(version, 'storage') === true,
    Deprecated: ownField(version, 'deprecated') === true,
    DeprecationWarning: null,
    Schema: null,
    Subresources: null,
    AdditionalPrinterColumns: null,
    SelectableFields: null,
  }));
}

function checkGroup(object: KubeObject): FieldError[] {
  const group = textOf(object['spec'], 'group');
  if (group === '') return [field.required('spec.group')];
  const faults = subdomainFaults(group);
  if (faults.length === 0 && !group.includes('.')) faults.push('should be a domain with at least one dot');
  const errors = faults.map((fault) => field.invalid('spec.group', group, fault));
  if (protectedGroup.test(group) && !object.metadata.annotations?.[approval])
    errors.push(
      field.required(
        `metadata.annotations[${approval}]`,
        `protected groups must have approval annotation "${approval}", see https://github.com/kubernetes/enhancements/pull/1111`,
      ),
    );
  return errors;
}

function checkNames(names: unknown): FieldError[] {
  const errors: FieldError[] = [];
  const path = 'spec.names';
  for (const key of ['plural', 'singular', 'kind', 'listKind']) {
    const name = textOf(names, key);
    if (name === '') errors.push(field.required(`${path}.${key}`));
    else if (key === 'plural' || key === 'singular') errors.push(...labels1035(name, `${path}.${key}`));
    else
      for (const fault of label1035Faults(name.toLowerCase()))
        errors.push(
          field.invalid(`${path}.${key}`, name, `may have mixed case, but should otherwise match: ${fault}`),
        );
  }
  for (const key of ['shortNames', 'categories'])
    for (const [index, name] of listOf(names, key).entries())
      errors.push(...labels1035(String(name), `${path}.${key}[${index}]`));
  const kind = textOf(names, 'kind');
  if (kind !== '' && kind === textOf(names, 'listKind'))
    errors.push(field.invalid(`${path}.listKind`, kind, 'kind and listKind may not be the same'));
  return errors;
}

function checkScale(scale: unknown, path: string): FieldError[] {
  if (!isFields(scale)) return [];
  const errors: FieldError[] = [];
  const rules = [
    ['specReplicasPath', '.spec.', 'should be a json path under .spec'],
    ['statusReplicasPath', '.status.', 'should be a json path under .status'],
  ] as const;
  for (const [key, start, detail] of rules) {
    const value = textOf(scale, key);
    if (value === '') errors.push(field.required(`${path}.scale.${key}`));
    else if (!simplePath.test(value))
      errors.push(field.invalid(`${path}.scale.${key}`, value, 'must be a simple json path starting with .'));
    else if (!value.startsWith(start)) errors.push(field.invalid(`${path}.scale.${key}`, value, detail));
  }
  const selector = textOf(scale, 'labelSelectorPath');
  if (selector !== '' && !simplePath.test(selector))
    errors.push(
      field.invalid(
        `${path}.scale.labelSelectorPath`,
        selector,
        'must be a simple json path starting with .',
      ),
    );
  return errors;
}

function checkColumns(columns: readonly unknown[], path: string): FieldError[] {
  const errors: FieldError[] = [];
  const oneOf = `must be one of ${columnTypes.join(',')}`;
  for (const [index, column] of columns.entries()) {
    const at = `${path}[${index}]`;
    const type = textOf(column, 'type');
    const jsonPath = textOf(column, 'jsonPath');
    if (textOf(column, 'name') === '') errors.push(field.required(`${at}.name`));
    if (type === '') errors.push(field.required(`${at}.type`, oneOf));
    else if (!columnTypes.includes(type)) errors.push(field.invalid(`${at}.type`, type, oneOf));
    if (jsonPath === '') errors.push(field.required(`${at}.JSONPath`));
    else if (!jsonPath.startsWith('.'))
      errors.push(field.invalid(`${at}.JSONPath`, jsonPath, 'must be a simple json path starting with .'));
  }
  return errors;
}

function checkSelectable(fields: readonly unknown[], schema: unknown, path: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const [index, each] of fields.entries()) {
    const jsonPath = textOf(each, 'jsonPath');
    const at = `${path}[${index}].jsonPath`;
    if (jsonPath === '') {
      errors.push(field.required(at));
      continue;
    }
    if (!jsonPath.startsWith('.')) {
      errors.push(field.invalid(at, jsonPath, `is an invalid path: expected [ or . but got: ${jsonPath}`));
      continue;
    }
    let found = isFields(schema) ? (schema as StructuralSchema) : undefined;
    for (const name of jsonPath.slice(1).split('.'))
      found = found === undefined ? undefined : fieldSchema(found, name);
    if (found === undefined)
      errors.push(field.invalid(at, jsonPath, 'is an invalid path: does not refer to a valid field'));
    else if (!['string', 'boolean', 'integer'].includes(found.type ?? ''))
      errors.push(
        field.invalid(
          at,
          jsonPath,
          'is an invalid path: must point to a field of type string, boolean or integer',
        ),
      );
  }
  return errors;
}

/** The schemas of all versions. The server reports a common schema at its location in v1beta1. */
function checkVersion(version: unknown, index: number, alike: (key: string) => boolean): FieldError[] {
  const under = (key: string, common: string) => (alike(key) ? common : `spec.versions[${index}].${key}`);
  const first = (key: string) => index === 0 || !alike(key);
  const schema = fieldAt(version, ['schema', 'openAPIV3Schema']);
  const errors: FieldError[] = [];
  if (!isFields(schema)) errors.push(field.required(`spec.versions[${index}].schema.openAPIV3Schema`));
  else if (first('schema'))
    errors.push(...checkStructural(schema, `${under('schema', 'spec.validation')}.openAPIV3Schema`));
  if (first('subresources'))
    errors.push(
      ...checkScale(fieldAt(version, ['subresources', 'scale']), under('subresources', 'spec.subresources')),
    );
  if (first('additionalPrinterColumns'))
    errors.push(
      ...checkColumns(
        listOf(version, 'additionalPrinterColumns'),
        under('additionalPrinterColumns', 'spec.additionalPrinterColumns'),
      ),
    );
  if (first('selectableFields') && isFields(schema))
    errors.push(
      ...checkSelectable(
        listOf(version, 'selectableFields'),
        schema,
        under('selectableFields', 'spec.selectableFields'),
      ),
    );
  return errors;
}

function checkVersions(versions: readonly unknown[]): FieldError[] {
  const errors: FieldError[] = [];
  const names = versions.map((version) => textOf(version, 'name'));
  for (const [index, name] of names.entries())
    errors.push(...labels1035(name, `spec.versions[${index}].name`));
  const shown = shownVersions(versions);
  if (new Set(names).size < names.length)
    errors.push(field.invalid('spec.versions', shown, 'must contain unique version names'));
  if (versions.filter((version) => ownField(version, 'storage') === true).length !== 1)
    errors.push(
      field.invalid('spec.versions', shown, 'must have exactly one version marked as storage version'),
    );
  const alike = (key: string) =>
    versions.every((version) => sameValue(ownField(version, key), ownField(versions[0], key)));
  for (const [index, version] of versions.entries()) errors.push(...checkVersion(version, index, alike));
  return errors;
}

function checkConversion(spec: unknown): FieldError[] {
  const errors: FieldError[] = [];
  const strategy = fieldAt(spec, ['conversion', 'strategy']);
  if (strategy !== undefined && strategy !== 'None' && strategy !== 'Webhook')
    errors.push(field.notSupported('spec.conversion.strategy', strategy, ['None', 'Webhook']));
  if (strategy === 'Webhook' && fieldAt(spec, ['conversion', 'webhook', 'clientConfig']) === undefined)
    errors.push(
      field.required('spec.conversion.webhookClientConfig', 'required when strategy is set to Webhook'),
      field.required('spec.conversion.conversionReviewVersions'),
    );
  if (ownField(spec, 'preserveUnknownFields') === true)
    errors.push(
      field.invalid(
        'spec.preserveUnknownFields',
        true,
        'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
      ),
    );
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

/** All validation errors of a CustomResourceDefinition, in the order and wording of the server. */
export function checkDefinition(object: KubeObject): FieldError[] {
  const spec = object['spec'];
  const group = textOf(spec, 'group');
  const plural = textOf(ownField(spec, 'names'), 'plural');
  const scope = textOf(spec, 'scope');
  const errors: FieldError[] = [];
  if (object.metadata.name !== `${plural}.${group}`)
    errors.push(
      field.invalid('metadata.name', object.metadata.name, 'must be spec.names.plural+"."+spec.group'),
    );
  errors.push(...checkGroup(object));
  if (scope === '') errors.push(field.required('spec.scope'));
  else if (scope !== 'Cluster' && scope !== 'Namespaced')
    errors.push(field.notSupported('spec.scope', scope, ['Cluster', 'Namespaced']));
  return [
    ...errors,
    ...checkVersions(listOf(spec, 'versions')),
    ...checkNames(ownField(spec, 'names')),
    ...checkConversion(spec),
    ...checkStored(object),
  ];
}
