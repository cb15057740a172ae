import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { crds } from '../../schemas/generated/crds.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { crd, crdSpec, deviations, fieldsOf, goldenFields, versionOf } from './crd-fields.ts';
import type { CrdVersion, Structural } from './crd-fields.ts';

function at(schema: Structural, ...path: string[]): Structural {
  return path.reduce<Structural>((node, name) => node.properties?.[name] ?? {}, schema);
}

describe('CloneSet has the fields of OpenKruise', () => {
  it.each(['v1alpha1', 'v1beta1'])('every field of %s, with its type', (version) => {
    const golden = goldenFields('cloneset-fields.txt').filter((field) => field.version === version);
    expect(golden.length).toBeGreaterThan(80);
    expect(deviations(versionOf('CloneSet', version).schema.openAPIV3Schema, golden)).toEqual([]);
  });

  it('no field that neither version has', () => {
    const known = new Set(goldenFields('cloneset-fields.txt').map(({ path }) => path));
    const extra = fieldsOf(versionOf('CloneSet', 'v1beta1').schema.openAPIV3Schema)
      .map(({ path }) => path)
      .filter((path) => !known.has(path) && path !== 'spec.volumeClaimTemplates[]');
    expect(extra).toEqual(['apiVersion', 'kind', 'metadata']);
  });

  it('reports a missing field, another type and a closed template (control)', () => {
    const schema: Structural = {
      properties: {
        spec: { type: 'object', properties: { replicas: { type: 'string' }, template: { type: 'object' } } },
      },
    };
    const golden = ['spec.replicas integer', 'spec.template any', 'spec.paused boolean'].map((line) => {
      const [path = '', type = ''] = line.split(' ');
      return { path, version: 'v1', type, facts: [] };
    });
    expect(deviations(schema, golden)).toEqual([
      'spec.replicas is not integer',
      'spec.template is closed',
      'spec.paused is missing',
    ]);
  });

  const inPlace = 'spec.updateStrategy.inPlaceUpdateStrategy';
  it.each<[string, object]>([
    ['v1alpha1', { 'spec.updateStrategy.type': 'ReCreate', [inPlace]: {} }],
    ['v1beta1', { 'spec.updateStrategy.type': 'RollingUpdate' }],
  ])('the defaults of %s, and no other: of its own %j', (version, own) => {
    const defaults = fieldsOf(versionOf('CloneSet', version).schema.openAPIV3Schema)
      .filter(({ node }) => node.default !== undefined)
      .map(({ path, node }) => [path, node.default]);
    expect(Object.fromEntries(defaults)).toEqual({
      'spec.replicas': 1,
      'spec.revisionHistoryLimit': 10,
      'spec.updateStrategy': {},
      ...own,
      'spec.updateStrategy.partition': 0,
      'spec.updateStrategy.maxUnavailable': '20%',
      'spec.updateStrategy.maxSurge': 0,
      'spec.updateStrategy.rollingUpdate.inPlaceUpdateStrategy': {},
    });
  });

  it('one schema at both versions but for their defaults, v1beta1 stored', () => {
    const [alpha, beta] = crd('CloneSet').versions;
    expect([alpha?.name, alpha?.storage, beta?.name, beta?.storage]).toEqual([
      'v1alpha1',
      false,
      'v1beta1',
      true,
    ]);
    const bare = (version: CrdVersion | undefined): unknown =>
      JSON.parse(
        JSON.stringify(version?.schema, (key, value: unknown) => (key === 'default' ? undefined : value)),
      );
    expect(bare(alpha)).toEqual(bare(beta));
  });

  it.each(['v1alpha1', 'v1beta1'])('the names, columns and scale subresource of %s', (version) => {
    const { names } = crd('CloneSet');
    expect(names).toEqual({
      kind: 'CloneSet',
      listKind: 'CloneSetList',
      plural: 'clonesets',
      singular: 'cloneset',
      shortNames: ['clone'],
    });
    const { additionalPrinterColumns, subresources } = versionOf('CloneSet', version);
    const columns = additionalPrinterColumns.map(({ name, type, jsonPath, priority = 0 }) =>
      [name, type, jsonPath, priority].join(' '),
    );
    expect(columns).toEqual([
      'DESIRED integer .spec.replicas 0',
      'UPDATED integer .status.updatedReplicas 0',
      'UPDATED_READY integer .status.updatedReadyReplicas 0',
      'UPDATED_AVAILABLE integer .status.updatedAvailableReplicas 0',
      'READY integer .status.readyReplicas 0',
      'TOTAL integer .status.replicas 0',
      'AGE date .metadata.creationTimestamp 0',
      'CONTAINERS string .spec.template.spec.containers[*].name 1',
      'IMAGES string .spec.template.spec.containers[*].image 1',
      'SELECTOR string .status.labelSelector 1',
    ]);
    expect(subresources).toEqual({
      status: {},
      scale: {
        specReplicasPath: '.spec.replicas',
        statusReplicasPath: '.status.replicas',
        labelSelectorPath: '.status.labelSelector',
      },
    });
  });
});

describe('RolloutPlan', () => {
  const schema = versionOf('RolloutPlan', 'v1alpha1').schema.openAPIV3Schema;

  it('keeps every unknown field of the spec, and checks only which objects it is about', () => {
    const spec = at(schema, 'spec');
    const nodes = [{ path: 'spec', node: spec }, ...fieldsOf(spec, 'spec')];
    expect(nodes.length).toBeGreaterThan(40);
    const closed = nodes.filter(
      ({ node }) => node.properties !== undefined && node['x-kubernetes-preserve-unknown-fields'] !== true,
    );
    expect(closed.map(({ path }) => path)).toEqual([]);
    const checks = ['default', 'required', 'enum', 'pattern', 'minimum', 'maximum', 'maxItems', 'maxLength'];
    const checked = nodes.filter(({ node }) => checks.some((keyword) => keyword in node));
    expect(checked.map(({ path }) => path)).toEqual([
      'spec.target.apiVersion',
      'spec.target.kind',
      'spec.target.name',
      'spec.after[].apiVersion',
      'spec.after[].kind',
      'spec.after[].namespace',
      'spec.after[].name',
    ]);
  });

  it('shows its progress', () => {
    const { additionalPrinterColumns } = versionOf('RolloutPlan', 'v1alpha1');
    expect(additionalPrinterColumns.map(({ name, priority }) => [name, priority ?? 0])).toEqual([
      ['PHASE', 0],
      ['STEP', 0],
      ['UPDATED', 0],
      ['WAITING-ON', 0],
      ['AGE', 0],
      ['MESSAGE', 0],
      ['TARGET', 1],
      ['AT', 1],
      ['UNTIL', 1],
      ['DEADLINE', 1],
      ['BOUNDED-BY', 1],
      ['DIGEST', 1],
    ]);
  });
});

describe.each(['RolloutPlan', 'RolloutCommand'])('Cluster%s', (kind) => {
  it('has no namespace, and everything else of the kind that has one', () => {
    const [namespaced, cluster] = [crd(kind), crd(`Cluster${kind}`)];
    expect([namespaced.scope, cluster.scope]).toEqual(['Namespaced', 'Cluster']);
    expect({ ...cluster, scope: '', names: {} }).toEqual({ ...namespaced, scope: '', names: {} });
    expect(cluster.names.plural).toBe(`cluster${namespaced.names.plural}`);
  });
});

describe('the RolloutCommand definition', () => {
  it('shows the result, and with -o wide the reason of the command', () => {
    const { additionalPrinterColumns } = versionOf('RolloutCommand', 'v1alpha1');
    expect(additionalPrinterColumns.map(({ name, priority }) => [name, priority ?? 0])).toEqual([
      ['ACTION', 0],
      ['TARGET', 0],
      ['BY', 0],
      ['RESULT', 0],
      ['AGE', 0],
      ['MESSAGE', 0],
      ['STEP', 1],
      ['REASON', 1],
      ['EXPIRES', 1],
      ['PLAN', 1],
    ]);
  });
});

describe.each(crds.map((object) => [object.metadata.name, object] as const))('%s', (name, object) => {
  const { group, scope, names, versions } = crdSpec(object);

  it('is the resource that the wire names', () => {
    const resource = Object.values(resources).find(({ kind }) => kind === names.kind);
    expect(resource).toEqual({
      group,
      version: versions.find(({ storage }) => storage)?.name,
      plural: names.plural,
      kind: names.kind,
      namespaced: scope === 'Namespaced',
    });
    expect(name).toBe(`${names.plural}.${group}`);
  });

  it('is the same in deploy/crds', () => {
    expect(parse(readFileSync(`deploy/crds/${name}.yaml`, 'utf8'))).toEqual(object);
  });

  it('has columns that lead to fields', () => {
    for (const { schema, additionalPrinterColumns } of versions) {
      const paths = new Set(fieldsOf(schema.openAPIV3Schema).map(({ path }) => `.${path}`));
      const lost = additionalPrinterColumns
        // A column may be shown for one value of a field.
        .map(({ jsonPath }) => jsonPath.replace(/\[\?\(@ == "\w+"\)\]$/, ''))
        .filter((path) => !/^\.metadata\.|^\.spec\.template\./.test(path) && !paths.has(path));
      expect(lost).toEqual([]);
    }
  });

  it('is structural, described at every field, and has a status subresource', () => {
    for (const { schema, subresources } of versions) {
      expect(subresources).toHaveProperty('status');
      for (const { path, node } of fieldsOf(schema.openAPIV3Schema)) {
        expect(structuralFaults(node), path).toEqual([]);
        const described = node.description !== undefined && node.description !== '';
        expect(described || /\]$|\}$/.test(path) || path === 'metadata', `${path} is described`).toBe(true);
      }
    }
  });
});

/** Why an API server would reject a node as not structural. */
function structuralFaults(node: Structural): string[] {
  const faults: string[] = [];
  const open = node['x-kubernetes-preserve-unknown-fields'] === true;
  const intOrString = node['x-kubernetes-int-or-string'] === true;
  if (node.type === undefined && !open && !intOrString) faults.push('no type');
  if (node.type !== undefined && intOrString) faults.push('a type beside int-or-string');
  if (node.anyOf !== undefined && !intOrString) faults.push('a choice');
  if (node.properties !== undefined && node.additionalProperties !== undefined)
    faults.push('both properties');
  if (node['$ref'] !== undefined) faults.push('a reference');
  if (node['uniqueItems'] === true) faults.push('unique items');
  const { items } = node;
  const isSet = node['x-kubernetes-list-type'] === 'set';
  if (isSet && items?.type === 'object' && items['x-kubernetes-map-type'] !== 'atomic')
    faults.push('a set of objects');
  const keys = (node['x-kubernetes-list-map-keys'] ?? []) as string[];
  if (node['x-kubernetes-list-type'] === 'map' && keys.length === 0) faults.push('no keys');
  const isPresent = (key: string) =>
    items?.required?.includes(key) === true || items?.properties?.[key]?.default !== undefined;
  if (!keys.every(isPresent)) faults.push('a key that may be absent');
  return faults;
}

describe('structuralFaults', () => {
  it.each<[Structural, string]>([
    [{}, 'no type'],
    [{ type: 'string', 'x-kubernetes-int-or-string': true }, 'a type beside int-or-string'],
    [{ type: 'string', anyOf: [{}] }, 'a choice'],
    [{ type: 'object', properties: {}, additionalProperties: {} }, 'both properties'],
    [{ type: 'object', $ref: '#/x' }, 'a reference'],
    [{ type: 'array', uniqueItems: true }, 'unique items'],
    [{ type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'object' } }, 'a set of objects'],
    [{ type: 'array', 'x-kubernetes-list-type': 'map' }, 'no keys'],
    [{ type: 'array', 'x-kubernetes-list-map-keys': ['k'], items: {} }, 'a key that may be absent'],
  ])('%j: %s', (node, fault) => {
    expect(structuralFaults(node)).toEqual([fault]);
  });
});
