import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { expect, it, test } from 'vitest';
import { crds } from '../../schemas/generated/crds.ts';
import { ApiError } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { crd, deviations, fieldsOf, goldenFields, versionOf } from './crd-fields.ts';

const versions = ['v1alpha1', 'v1beta1'];
const KIND = 'PodUnavailableBudget';
const fieldsAt = (version: string) => fieldsOf(versionOf(KIND, version).schema.openAPIV3Schema);

it.each(versions)('a PodUnavailableBudget has every field of OpenKruise in %s, with its type', (version) => {
  const golden = goldenFields('podunavailablebudget-fields.txt').filter((field) => field.version === version);
  expect(golden.length).toBeGreaterThan(25);
  expect(deviations(versionOf(KIND, version).schema.openAPIV3Schema, golden)).toEqual([]);
});

it('a PodUnavailableBudget has no field that neither version has, but for conditions', () => {
  const known = new Set(goldenFields('podunavailablebudget-fields.txt').map(({ path }) => path));
  const extra = fieldsAt('v1beta1')
    .map(({ path }) => path)
    .filter((path) => !known.has(path) && !path.startsWith('status.conditions'));
  expect(extra).toEqual(['apiVersion', 'kind', 'metadata']);
});

it('both versions have the same fields, so that a write in one keeps those of the other', () => {
  const [alpha, beta] = versions.map((version) => fieldsAt(version).map(({ path }) => path));
  expect(alpha).toEqual(beta);
});

it.each(versions)('the names and columns of %s (PUB-35)', (version) => {
  expect(crd(KIND).group).toBe('policy.kruise.io');
  expect(crd(KIND).names).toEqual({
    kind: 'PodUnavailableBudget',
    listKind: 'PodUnavailableBudgetList',
    plural: 'podunavailablebudgets',
    singular: 'podunavailablebudget',
    shortNames: ['pub'],
  });
  const { additionalPrinterColumns, subresources } = versionOf(KIND, version);
  expect(
    additionalPrinterColumns.map(({ name, type, jsonPath, priority = 0 }) =>
      [name, type, jsonPath, priority].join(' '),
    ),
  ).toEqual([
    'Allowed integer .status.unavailableAllowed 0',
    'Current integer .status.currentAvailable 0',
    'Desired integer .status.desiredAvailable 0',
    'Total integer .status.totalReplicas 0',
  ]);
  expect(subresources).toEqual({ status: {} });
});

const selector = { matchLabels: { app: 'web' } };
const targetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };

/** What the server says of a budget with these fields, and then with others; '': it accepts it. */
async function refusalOf(spec: JsonObject, then?: JsonObject): Promise<string> {
  const cluster = createWorld({ clock: createVirtualClock(Date.UTC(2026, 0, 1)), crds }).cluster('alice');
  const metadata = { name: 'web', namespace: 'default' };
  try {
    const made = await cluster.create(resources.PodUnavailableBudget, {
      apiVersion: 'policy.kruise.io/v1beta1',
      kind: KIND,
      metadata,
      spec,
    });
    if (then !== undefined)
      await cluster.patch(resources.PodUnavailableBudget, metadata, {
        type: 'merge',
        body: { metadata: { resourceVersion: made.metadata.resourceVersion ?? '' }, spec: then },
      });
    return '';
  } catch (error) {
    if (error instanceof ApiError) return error.status.message;
    throw error;
  }
}

test.each<[string, JsonObject, JsonObject | undefined, string]>([
  ['a selector and a limit', { selector, maxUnavailable: '25%' }, undefined, ''],
  ['a workload and a limit', { targetRef, minAvailable: 1 }, undefined, ''],
  [
    'neither of both (PUB-1)',
    { maxUnavailable: 1 },
    undefined,
    'must have exactly one of selector and targetRef',
  ],
  [
    'both (PUB-1)',
    { selector, targetRef, maxUnavailable: 1 },
    undefined,
    'must have exactly one of selector and targetRef',
  ],
  ['no limit (PUB-2)', { selector }, undefined, 'must have exactly one of maxUnavailable and minAvailable'],
  [
    'both limits (PUB-2)',
    { selector, maxUnavailable: 1, minAvailable: 1 },
    undefined,
    'must have exactly one of maxUnavailable and minAvailable',
  ],
  ['an empty selector (PUB-3)', { selector: {}, maxUnavailable: 1 }, undefined, 'must not be empty'],
  [
    'an empty selector of what is left out (PUB-3)',
    { selector, maxUnavailable: 1, ignoredPodSelector: {} },
    undefined,
    'must not be empty',
  ],
  [
    'an operation that there is not',
    { selector, maxUnavailable: 1, protectOperations: ['DRAIN'] },
    undefined,
    'Unsupported value: "DRAIN"',
  ],
  [
    'another selector later (PUB-5)',
    { selector, maxUnavailable: 1 },
    { selector: { matchLabels: { app: 'api' } } },
    'spec.selector is immutable',
  ],
  [
    'another workload later (PUB-5)',
    { targetRef, maxUnavailable: 1 },
    { targetRef: { name: 'api' } },
    'spec.targetRef is immutable',
  ],
  [
    'a workload in place of a selector (PUB-5)',
    { selector, maxUnavailable: 1 },
    { selector: null, targetRef },
    'selector cannot be replaced by targetRef',
  ],
  ['another limit later (PUB-5)', { selector, maxUnavailable: 1 }, { maxUnavailable: 2 }, ''],
])('%s', async (_what, spec, then, expected) => {
  const found = await refusalOf(spec, then);
  if (expected === '') expect(found).toBe('');
  else expect(found).toContain(expected);
});
