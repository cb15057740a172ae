import { describe, expect, test } from 'vitest';
import { crds } from '../../schemas/generated/crds.ts';
import { schemaDocuments, targetSchemas } from '../../schemas/generated/targets.ts';
import { kinds } from '../../semantics/registry/registry.ts';
import { crdSpec } from './crd-fields.ts';

describe.each(kinds.map((kind) => [kind.id.kind, kind] as const))(
  '%s',
  (_name, { id, resource, versions }) => {
    test('has a schema, whose file is found by listing', () => {
      const found = targetSchemas.filter(({ group, kind }) => group === id.group && kind === id.kind);
      expect(found).toHaveLength(1);
      const [path = '', pointer = ''] = found[0]?.definition.split('#/definitions/') ?? [];
      expect(schemaDocuments[path]?.definitions).toHaveProperty(pointer);
    });

    test('has a definition with its scope and versions, stored as it is read here', () => {
      const specs = crds
        .map(crdSpec)
        .filter(({ group, names }) => group === id.group && names.kind === id.kind);
      expect(specs).toMatchObject([
        { names: { plural: resource.plural }, scope: resource.namespaced ? 'Namespaced' : 'Cluster' },
      ]);
      const served = specs.flatMap((spec) => spec.versions);
      expect(served.map(({ name }) => name).sort()).toEqual([...versions].sort());
      expect(served.filter(({ storage }) => storage).map(({ name }) => name)).toEqual([resource.version]);
    });
  },
);
