import { describe, expect, test } from 'vitest';
import { createRegistry } from '../api/registry.ts';
import { builtInTypes } from '../kinds/builtIn.ts';
import { openApiDocument, openApiIndex } from '../openapi/documents.ts';
import { typeOfDefinition } from '../schema/definition.ts';
import { fieldAt, isFields, type Fields } from '../../schemas/pods/fields.ts';
import { crds } from '../../schemas/generated/crds.ts';

function served(definitions = crds) {
  const registry = createRegistry();
  for (const type of [...builtInTypes(), ...definitions.map(typeOfDefinition)]) registry.add(type);
  return registry;
}

function component(document: unknown, name: string): Fields {
  const schema = fieldAt(document, ['components', 'schemas', name]);
  if (!isFields(schema)) throw new Error(`no component ${name}`);
  return schema;
}

function property(document: unknown, name: string, ...path: string[]): unknown {
  return fieldAt(component(document, name), ['properties', ...path]);
}

function namesOf(parameters: unknown): string[] {
  return (parameters as { name: string }[]).map(({ name }) => name);
}

describe('/openapi/v3', () => {
  test('names a document for every group and version that is served', () => {
    const { paths } = openApiIndex(served());
    const groupVersions = new Set(
      served()
        .types()
        .flatMap(({ group, versions }) =>
          [...versions.keys()].map((version) =>
            group === '' ? `api/${version}` : `apis/${group}/${version}`,
          ),
        ),
    );
    expect(Object.keys(paths)).toEqual([...groupVersions].sort());
    for (const [path, { serverRelativeURL }] of Object.entries(paths))
      expect(serverRelativeURL).toMatch(new RegExp(`^/openapi/v3/${path}\\?hash=[0-9A-F]{128}$`));
  });

  test('has an address that changes with the document alone', () => {
    const registry = served();
    const before = openApiIndex(registry).paths;
    expect(openApiIndex(served()).paths).toEqual(before);
    const changed = structuredClone(crds.find(({ metadata }) => metadata.name.startsWith('clonesets')));
    if (changed === undefined) throw new Error('no CloneSet');
    (changed['spec'] as { names: Fields }).names['kind'] = 'Cloned';
    registry.add(typeOfDefinition(changed));
    const after = openApiIndex(registry).paths;
    expect(after['apis/apps.kruise.io/v1beta1']).not.toEqual(before['apis/apps.kruise.io/v1beta1']);
    expect(after['api/v1']).toEqual(before['api/v1']);
    for (const { metadata } of crds)
      if (metadata.name.endsWith('.apps.kruise.io')) registry.remove(metadata.name);
    expect(openApiIndex(registry).paths['apis/apps.kruise.io/v1beta1']).toBeUndefined();
    expect(openApiDocument(registry, 'apis/apps.kruise.io/v1beta1')).toBeUndefined();
  });

  test.each(['api/v2', 'apis/apps', 'apis/nobody/v1', '', 'api/v1/'])('has no document %j', (path) => {
    expect(openApiDocument(served(), path)).toBeUndefined();
  });
});

describe('a document', () => {
  const core = openApiDocument(served(), 'api/v1');
  const apps = openApiDocument(served(), 'apis/apps/v1');
  const kruise = openApiDocument(served(), 'apis/apps.kruise.io/v1beta1');

  test.each(Object.keys(openApiIndex(served()).paths))(
    '%s refers to nothing that it does not have',
    (path) => {
      const document = openApiDocument(served(), path);
      const names = new Set<string>();
      JSON.stringify(document, (key, value: unknown) => {
        if (key === '$ref' && typeof value === 'string')
          names.add(value.replace('#/components/schemas/', ''));
        return value;
      });
      expect(names.size).toBeGreaterThan(5);
      for (const name of names) component(document, name);
    },
  );

  test('documents how lists of built-in kinds are merged', () => {
    expect(property(core, 'io.k8s.api.core.v1.PodSpec', 'volumes')).toEqual({
      type: 'array',
      items: { allOf: [{ $ref: '#/components/schemas/io.k8s.api.core.v1.Volume' }] },
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-patch-merge-key': 'name',
      'x-kubernetes-patch-strategy': 'merge,retainKeys',
    });
    expect(property(apps, 'io.k8s.api.apps.v1.DeploymentSpec', 'strategy')).toEqual({
      allOf: [{ $ref: '#/components/schemas/io.k8s.api.apps.v1.DeploymentStrategy' }],
      'x-kubernetes-patch-strategy': 'retainKeys',
    });
  });

  test('writes quantities, times and values as the API does', () => {
    const ref = (name: string) => ({ $ref: `#/components/schemas/io.k8s.apimachinery.pkg.${name}` });
    expect(property(core, 'io.k8s.api.core.v1.ResourceRequirements', 'limits')).toEqual({
      type: 'object',
      additionalProperties: ref('api.resource.Quantity'),
    });
    expect(property(core, 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta', 'creationTimestamp')).toEqual({
      allOf: [ref('apis.meta.v1.Time')],
    });
    expect(property(core, 'io.k8s.api.core.v1.ContainerPort', 'protocol')).toEqual({
      type: 'string',
      default: 'TCP',
      enum: ['SCTP', 'TCP', 'UDP'],
    });
    expect(component(core, 'io.k8s.api.core.v1.Container')['required']).toEqual(['name']);
  });

  test('names the kinds of its components', () => {
    expect(component(core, 'io.k8s.api.core.v1.Pod')['x-kubernetes-group-version-kind']).toEqual([
      { group: '', kind: 'Pod', version: 'v1' },
    ]);
    expect(
      component(apps, 'io.k8s.api.core.v1.PersistentVolumeClaim')['x-kubernetes-group-version-kind'],
    ).toEqual([{ group: '', kind: 'PersistentVolumeClaim', version: 'v1' }]);
    expect(component(apps, 'io.k8s.api.core.v1.PodSpec')['x-kubernetes-group-version-kind']).toBeUndefined();
    expect(component(apps, 'io.k8s.api.apps.v1.DeploymentList')['x-kubernetes-group-version-kind']).toEqual([
      { group: 'apps', kind: 'DeploymentList', version: 'v1' },
    ]);
  });

  test('names custom kinds by their reversed group, with the descriptions of their definition', () => {
    const name = 'io.kruise.apps.v1beta1.CloneSet';
    expect(component(kruise, name)['x-kubernetes-group-version-kind']).toEqual([
      { group: 'apps.kruise.io', kind: 'CloneSet', version: 'v1beta1' },
    ]);
    expect(property(kruise, name, 'spec', 'properties', 'updateStrategy', 'description')).toBe(
      'How pods are updated to a new template.',
    );
    expect(property(kruise, name, 'metadata', 'allOf')).toEqual([
      { $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
    ]);
  });

  test('has the paths of a kind and of its subresources', () => {
    const paths = Object.keys(fieldAt(apps, ['paths']) as object).filter((path) =>
      path.includes('/deployments'),
    );
    const root = '/apis/apps/v1/namespaces/{namespace}/deployments';
    expect(paths).toEqual([
      '/apis/apps/v1/deployments',
      root,
      `${root}/{name}`,
      `${root}/{name}/scale`,
      `${root}/{name}/status`,
    ]);
    expect(Object.keys(fieldAt(core, ['paths', '/api/v1/nodes/{name}']) as object)).toEqual([
      'get',
      'put',
      'delete',
      'patch',
      'parameters',
    ]);
  });

  test('documents dry run and field validation of writes', () => {
    const path = '/api/v1/namespaces/{namespace}/pods/{name}';
    expect(namesOf(fieldAt(core, ['paths', path, 'patch', 'parameters']))).toEqual([
      'dryRun',
      'fieldManager',
      'fieldValidation',
      'force',
    ]);
    expect(fieldAt(core, ['paths', path, 'patch', 'x-kubernetes-group-version-kind'])).toEqual({
      group: '',
      version: 'v1',
      kind: 'Pod',
    });
    expect(
      namesOf(fieldAt(core, ['paths', '/api/v1/namespaces/{namespace}/pods', 'post', 'parameters'])),
    ).toEqual(['dryRun', 'fieldManager', 'fieldValidation']);
  });

  test.each([
    ['built-in', core, '/api/v1/namespaces/{namespace}/pods/{name}', true],
    ['custom', kruise, '/apis/apps.kruise.io/v1beta1/namespaces/{namespace}/clonesets/{name}', false],
  ])('offers strategic merge patch to %s kinds as it is', (_what, document, path, strategic) => {
    const content = fieldAt(document, ['paths', path, 'patch', 'requestBody', 'content']);
    expect(Object.keys(content as object).includes('application/strategic-merge-patch+json')).toBe(strategic);
  });

  test('is the same as often as it is made', () => {
    expect(JSON.stringify(openApiDocument(served(), 'api/v1'))).toBe(JSON.stringify(core));
    const registry = served();
    expect(openApiDocument(registry, 'api/v1')).toBe(openApiDocument(registry, 'api/v1'));
  });
});
