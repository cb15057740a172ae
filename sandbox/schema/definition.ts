import type { KubeObject } from '../../schemas/wire/object.ts';
import type { PrinterColumn, ResourceType, ScalePaths, ServedVersion } from '../api/registry.ts';
import { groupResource } from '../api/errors.ts';
import type { SelectableFields } from '../api/selector.ts';
import { fieldAt, isFields } from '../../schemas/pods/fields.ts';
import { textAt } from '../store/value.ts';

function text(value: unknown, path: readonly string[]): string {
  const found = fieldAt(value, path);
  return typeof found === 'string' ? found : '';
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** `.spec.replicas` as a list of field names. */
function fieldPath(jsonPath: string): string[] {
  return jsonPath.split('.').filter((part) => part !== '');
}

function scalePaths(version: unknown): ScalePaths | undefined {
  const scale = fieldAt(version, ['subresources', 'scale']);
  if (!isFields(scale)) return undefined;
  const labelSelector = text(scale, ['labelSelectorPath']);
  return {
    specReplicas: fieldPath(text(scale, ['specReplicasPath'])),
    statusReplicas: fieldPath(text(scale, ['statusReplicasPath'])),
    ...(labelSelector === '' ? {} : { labelSelector: fieldPath(labelSelector) }),
  };
}

/** The columns of `kubectl get`; default: the age. */
function columnsOf(version: unknown): PrinterColumn[] {
  const declared = fieldAt(version, ['additionalPrinterColumns']);
  if (!Array.isArray(declared) || declared.length === 0)
    return [{ name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' }];
  return (declared as unknown[]).map((column) => {
    const [format, description] = [text(column, ['format']), text(column, ['description'])];
    const priority = fieldAt(column, ['priority']);
    return {
      name: text(column, ['name']),
      type: text(column, ['type']),
      jsonPath: text(column, ['jsonPath']),
      ...(format === '' ? {} : { format }),
      ...(description === '' ? {} : { description }),
      ...(typeof priority === 'number' ? { priority } : {}),
    };
  });
}

/** Selectable fields in addition to name and namespace. */
function selectableFields(versions: readonly unknown[]): SelectableFields {
  const paths = versions
    .flatMap((version) => {
      const declared = fieldAt(version, ['selectableFields']);
      return Array.isArray(declared) ? (declared as unknown[]) : [];
    })
    .map((each) => fieldPath(text(each, ['jsonPath'])));
  return Object.fromEntries(paths.map((path) => [path.join('.'), textAt(path)]));
}

/** A CustomResourceDefinition as a resource type, with served versions only. */
export function typeOfDefinition(definition: KubeObject): ResourceType {
  const group = text(definition, ['spec', 'group']);
  const plural = text(definition, ['spec', 'names', 'plural']);
  const kind = text(definition, ['spec', 'names', 'kind']);
  const declared = fieldAt(definition, ['spec', 'versions']);
  const versions = new Map<string, ServedVersion>();
  const listed = Array.isArray(declared) ? (declared as unknown[]) : [];
  let storageVersion = '';
  for (const version of listed) {
    const name = text(version, ['name']);
    if (fieldAt(version, ['storage']) === true) storageVersion = name;
    if (fieldAt(version, ['served']) === false) continue;
    const schema = fieldAt(version, ['schema', 'openAPIV3Schema']);
    const scale = scalePaths(version);
    versions.set(name, {
      version: name,
      hasStatus: isFields(fieldAt(version, ['subresources', 'status'])),
      ...(isFields(schema) ? { schema: schema } : {}),
      columns: columnsOf(version),
      ...(scale === undefined ? {} : { scale }),
      ...(fieldAt(version, ['deprecated']) === true
        ? {
            deprecation: text(version, ['deprecationWarning']) || `${group}/${name} ${kind} is deprecated`,
          }
        : {}),
    });
  }
  return {
    id: groupResource({ group, plural }),
    group,
    kind,
    listKind: text(definition, ['spec', 'names', 'listKind']) || `${kind}List`,
    plural,
    singular: text(definition, ['spec', 'names', 'singular']) || kind.toLowerCase(),
    shortNames: strings(fieldAt(definition, ['spec', 'names', 'shortNames'])),
    categories: strings(fieldAt(definition, ['spec', 'names', 'categories'])),
    namespaced: text(definition, ['spec', 'scope']) !== 'Cluster',
    storageVersion,
    versions,
    custom: true,
    tracksGeneration: true,
    terminating: definition.metadata.deletionTimestamp !== undefined,
    rules: { fields: selectableFields(listed) },
  };
}
