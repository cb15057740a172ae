import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { expect, it, test } from 'vitest';
import { crds } from '../../schemas/generated/crds.ts';
import { ApiError } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { crd, deviations, fieldsOf, goldenFields, versionOf } from './crd-fields.ts';

const versions = ['v1alpha1', 'v1beta1'];
const KIND = 'ResourceDistribution';
const schemaOf = (version: string) => versionOf(KIND, version).schema.openAPIV3Schema;
const fieldsAt = (version: string) => fieldsOf(schemaOf(version));

it.each(versions)('a ResourceDistribution has every field of OpenKruise in %s, with its type', (version) => {
  const golden = goldenFields('resourcedistribution-fields.txt').filter((field) => field.version === version);
  expect(golden.length).toBeGreaterThan(30);
  expect(deviations(schemaOf(version), golden)).toEqual([]);
});

it('a ResourceDistribution has no field that neither version has, but for the condition Held', () => {
  const known = new Set(goldenFields('resourcedistribution-fields.txt').map(({ path }) => path));
  const extra = fieldsAt('v1beta1').flatMap(({ path }) => (known.has(path) ? [] : [path]));
  const held = ['status.conditions[].lastUpdateTime', 'status.conditions[].message'];
  expect(extra).toEqual(['apiVersion', 'kind', 'metadata', ...held]);
});

it('both versions have the same fields, so that a write in one keeps those of the other (RD-25, RD-26)', () => {
  const [alpha, beta] = versions.map((version) => fieldsAt(version).map(({ path }) => path));
  expect(alpha).toEqual(beta);
  expect(beta).toContain('spec.targets.namespaceLabelSelector');
  expect(beta).toContain('status.conditions[].failedNamespace');
});

it.each(versions)('the names and columns of %s (RD-27)', (version) => {
  const { group, scope, names } = crd(KIND);
  expect([group, scope]).toEqual(['apps.kruise.io', 'Cluster']);
  expect(names).toEqual({
    kind: KIND,
    listKind: 'ResourceDistributionList',
    plural: 'resourcedistributions',
    singular: 'resourcedistribution',
    shortNames: ['distributor'],
  });
  const { additionalPrinterColumns, subresources } = versionOf(KIND, version);
  expect(
    additionalPrinterColumns.map(({ name, type, jsonPath, priority = 0 }) =>
      [name, type, jsonPath, priority].join(' '),
    ),
  ).toEqual([
    'TOTAL integer .status.desired 0',
    'SUCCEED integer .status.succeeded 0',
    'FAILED integer .status.failed 0',
  ]);
  expect(subresources).toEqual({ status: {} });
});

it('what is copied is kept whole, whatever it has', () => {
  const { properties = {} } = schemaOf('v1beta1').properties?.['spec'] ?? {};
  expect(properties['resource']).toMatchObject({
    'x-kubernetes-embedded-resource': true,
    'x-kubernetes-preserve-unknown-fields': true,
  });
});

const resource: JsonObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' } };
const targets = { allNamespaces: true };

/** What the server says of an object with this spec, and then with another; '': it accepts it. */
async function refusalOf(spec: JsonObject, then?: JsonObject): Promise<string> {
  const cluster = createWorld({ clock: createVirtualClock(Date.UTC(2026, 0, 1)), crds }).cluster('alice');
  const metadata = { name: 'shared' };
  try {
    await cluster.create(resources.ResourceDistribution, {
      apiVersion: 'apps.kruise.io/v1beta1',
      kind: KIND,
      metadata,
      spec,
    });
    if (then !== undefined)
      await cluster.patch(resources.ResourceDistribution, metadata, { type: 'merge', body: { spec: then } });
    return '';
  } catch (error) {
    if (error instanceof ApiError) return error.status.message;
    throw error;
  }
}

test.each<[string, JsonObject, JsonObject | undefined, string]>([
  [
    'a ConfigMap',
    { resource: { ...resource, data: { a: 'b' } }, targets },
    { resource: { data: { a: 'c' } } },
    '',
  ],
  ['a Secret', { resource: { ...resource, kind: 'Secret', stringData: { a: 'b' } }, targets }, undefined, ''],
  [
    'a Deployment (RD-2)',
    { resource: { ...resource, kind: 'Deployment' }, targets },
    undefined,
    'must be a ConfigMap or a Secret',
  ],
  [
    'another name later (RD-3)',
    { resource, targets },
    { resource: { metadata: { name: 'x' } } },
    'apiVersion, kind and name are immutable',
  ],
  [
    'another kind later (RD-3)',
    { resource, targets },
    { resource: { kind: 'Secret' } },
    'apiVersion, kind and name are immutable',
  ],
  ['no targets', { resource }, undefined, 'spec.targets: Required value'],
  [
    'an operator that there is not (RD-5)',
    { resource, targets: { namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'Has' }] } } },
    undefined,
    'Unsupported value: "Has"',
  ],
])('%s', async (_what, spec, then, expected) => {
  const found = await refusalOf(spec, then);
  if (expected === '') expect(found).toBe('');
  else expect(found).toContain(expected);
});
