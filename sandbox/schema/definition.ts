import type { KubeObject } from '../../schemas/wire/object.ts';
import type { ResourceType, ScalePaths, ServedVersion } from '../api/registry.ts';
import { groupResource } from '../api/errors.ts';
import { fieldAt, isFields } from '../store/value.ts';

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

/** A CustomResourceDefinition as a resource type. Versions that are not served are left out. */
export function typeOfDefinition(definition: KubeObject): ResourceType {
  const group = text(definition, ['spec', 'group']);
  const plural = text(definition, ['spec', 'names', 'plural']);
  const kind = text(definition, ['spec', 'names', 'kind']);
  const declared = fieldAt(definition, ['spec', 'versions']);
  const versions = new Map<string, ServedVersion>();
  let storageVersion = '';
  for (const version of Array.isArray(declared) ? (declared as unknown[]) : []) {
    const name = text(version, ['name']);
    if (fieldAt(version, ['storage']) === true) storageVersion = name;
    if (fieldAt(version, ['served']) === false) continue;
    const schema = fieldAt(version, ['schema', 'openAPIV3Schema']);
    const scale = scalePaths(version);
    versions.set(name, {
      version: name,
      hasStatus: isFields(fieldAt(version, ['subresources', 'status'])),
      ...(isFields(schema) ? { schema: schema } : {}),
      ...(scale === undefined ? {} : { scale }),
    });
  }
  return {
    id: groupResource({ group, plural }),
    group,
    kind,
    plural,
    singular: text(definition, ['spec', 'names', 'singular']) || kind.toLowerCase(),
    shortNames: strings(fieldAt(definition, ['spec', 'names', 'shortNames'])),
    categories: strings(fieldAt(definition, ['spec', 'names', 'categories'])),
    namespaced: text(definition, ['spec', 'scope']) !== 'Cluster',
    storageVersion,
    versions,
    custom: true,
    tracksGeneration: true,
    rules: {},
  };
}
