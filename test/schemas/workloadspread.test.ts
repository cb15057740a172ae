import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { expect, it, test } from 'vitest';
import { crds } from '../../schemas/generated/crds.ts';
import { ApiError } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { crd, deviations, fieldsOf, goldenFields, versionOf } from './crd-fields.ts';

const versions = ['v1alpha1', 'v1beta1'];
const KIND = 'WorkloadSpread';
const fieldsAt = (version: string) => fieldsOf(versionOf(KIND, version).schema.openAPIV3Schema);

it.each(versions)('a WorkloadSpread has every field of OpenKruise in %s, with its type', (version) => {
  const golden = goldenFields('workloadspread-fields.txt').filter((field) => field.version === version);
  expect(golden.length).toBeGreaterThan(80);
  expect(deviations(versionOf(KIND, version).schema.openAPIV3Schema, golden)).toEqual([]);
});

it('a WorkloadSpread has no field that neither version has, but for conditions', () => {
  const known = new Set(goldenFields('workloadspread-fields.txt').map(({ path }) => path));
  const extra = fieldsAt('v1beta1')
    .map(({ path }) => path)
    .filter((path) => !known.has(path) && !path.startsWith('status.conditions'));
  expect(extra).toEqual(['apiVersion', 'kind', 'metadata']);
});

it('both versions have the same fields, so that a write in one keeps those of the other (WS-36)', () => {
  const [alpha, beta] = versions.map((version) => fieldsAt(version).map(({ path }) => path));
  expect(alpha).toEqual(beta);
  expect(beta).toContain('spec.subsets[].requiredNodeSelector');
  expect(beta).toContain('spec.subsets[].requiredNodeSelectorTerm');
});

it.each(versions)('the names and columns of %s (WS-37)', (version) => {
  expect(crd(KIND).group).toBe('apps.kruise.io');
  expect(crd(KIND).names).toEqual({
    kind: KIND,
    listKind: 'WorkloadSpreadList',
    plural: 'workloadspreads',
    singular: 'workloadspread',
    shortNames: ['ws'],
  });
  const { additionalPrinterColumns, subresources } = versionOf(KIND, version);
  expect(
    additionalPrinterColumns.map(({ name, type, jsonPath, priority = 0 }) =>
      [name, type, jsonPath, priority].join(' '),
    ),
  ).toEqual([
    'WorkloadName string .spec.targetRef.name 0',
    'WorkloadKind string .spec.targetRef.kind 0',
    'Adaptive boolean .spec.scheduleStrategy.type[?(@ == "Adaptive")] 0',
    'Age date .metadata.creationTimestamp 0',
  ]);
  expect(subresources).toEqual({ status: {} });
});

const targetRef = { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'CloneSet', name: 'web' };
const subsets: JsonObject[] = [{ name: 'a' }];

/** What the server says of a WorkloadSpread with these fields, and then with others; '': it accepts it. */
async function refusalOf(spec: JsonObject, then?: JsonObject): Promise<string> {
  const cluster = createWorld({ clock: createVirtualClock(Date.UTC(2026, 0, 1)), crds }).cluster('alice');
  const metadata = { name: 'web', namespace: 'default' };
  try {
    await cluster.create(resources.WorkloadSpread, {
      apiVersion: 'apps.kruise.io/v1beta1',
      kind: KIND,
      metadata,
      spec,
    });
    if (then !== undefined)
      await cluster.patch(resources.WorkloadSpread, metadata, { type: 'merge', body: { spec: then } });
    return '';
  } catch (error) {
    if (error instanceof ApiError) return error.status.message;
    throw error;
  }
}

test.each<[string, JsonObject, JsonObject | undefined, string]>([
  ['the least', { targetRef, subsets }, undefined, ''],
  ['no subsets', { targetRef, subsets: [] }, undefined, 'spec.subsets'],
  ['no target', { subsets }, undefined, 'spec.targetRef: Required value'],
  [
    'another strategy',
    { targetRef, subsets, scheduleStrategy: { type: 'x' } },
    undefined,
    'Unsupported value',
  ],
  ['an empty strategy', { targetRef, subsets, scheduleStrategy: { type: '' } }, undefined, ''],
  ['less than no pods', { targetRef, subsets: [{ name: 'a', maxReplicas: -1 }] }, undefined, 'maxReplicas'],
  ['another name (WS-16)', { targetRef, subsets }, { targetRef: { name: 'x' } }, 'are immutable'],
  [
    'another group (WS-16)',
    { targetRef, subsets },
    { targetRef: { apiVersion: 'apps/v1' } },
    'are immutable',
  ],
  [
    'another version (WS-16)',
    { targetRef, subsets },
    { targetRef: { apiVersion: 'apps.kruise.io/v1beta1' } },
    '',
  ],
  [
    'a patch is kept whole',
    {
      targetRef,
      subsets: [{ name: 'a', patch: { spec: { containers: [{ name: 'x', any: { deep: 1 } }] } } }],
    },
    undefined,
    '',
  ],
])('%s', async (_what, spec, then, expected) => {
  const found = await refusalOf(spec, then);
  if (expected === '') expect(found).toBe('');
  else expect(found).toContain(expected);
});
