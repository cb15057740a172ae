import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { describe, expect, it, test } from 'vitest';
import { crds } from '../../schemas/generated/crds.ts';
import { ApiError } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { crd, deviations, fieldsOf, goldenFields, versionOf } from './crd-fields.ts';

const versions = ['v1alpha1', 'v1beta1'];
// Conditions have the time of their last change.
const OWN = new Set(['status.conditions[].lastUpdateTime']);

it.each(versions)('a DaemonSet has every field of OpenKruise in %s, with its type', (version) => {
  const golden = goldenFields('daemonset-fields.txt').filter((field) => field.version === version);
  expect(golden.length).toBeGreaterThan(60);
  expect(deviations(versionOf('DaemonSet', version).schema.openAPIV3Schema, golden)).toEqual([]);
});

it('a DaemonSet has no field that neither version has', () => {
  const known = new Set(goldenFields('daemonset-fields.txt').map(({ path }) => path));
  const extra = fieldsOf(versionOf('DaemonSet', 'v1beta1').schema.openAPIV3Schema)
    .map(({ path }) => path)
    .filter((path) => !known.has(path) && !OWN.has(path));
  expect(extra).toEqual(['apiVersion', 'kind', 'metadata']);
});

it('both versions have the same fields, so that a write in one keeps those of the other', () => {
  const [alpha, beta] = versions.map((version) =>
    fieldsOf(versionOf('DaemonSet', version).schema.openAPIV3Schema).map(({ path }) => path),
  );
  expect(alpha).toEqual(beta);
});

// Those of maxUnavailable and maxSurge hang on one another, so that no field has one of its own.
it.each(versions)('the defaults of %s mean what an absent field means', (version) => {
  const defaults = fieldsOf(versionOf('DaemonSet', version).schema.openAPIV3Schema)
    .filter(({ node }) => node.default !== undefined)
    .map(({ path, node }) => [path, node.default]);
  expect(Object.fromEntries(defaults)).toEqual({
    'spec.burstReplicas': 250,
    'spec.revisionHistoryLimit': 10,
    'spec.updateStrategy': {},
    'spec.updateStrategy.type': 'RollingUpdate',
    'spec.updateStrategy.rollingUpdate': {},
    'spec.updateStrategy.rollingUpdate.partition': 0,
    'spec.updateStrategy.rollingUpdate.rollingUpdateType': 'Standard',
  });
});

it.each(versions)('the names and columns of %s; there is no scale subresource', (version) => {
  expect(crd('DaemonSet').names).toEqual({
    kind: 'DaemonSet',
    listKind: 'DaemonSetList',
    plural: 'daemonsets',
    singular: 'daemonset',
    shortNames: ['daemon', 'ads'],
  });
  const { additionalPrinterColumns, subresources } = versionOf('DaemonSet', version);
  const columns = additionalPrinterColumns.map(({ name, type, jsonPath, priority = 0 }) =>
    [name, type, jsonPath, priority].join(' '),
  );
  expect(columns).toEqual([
    'DESIRED integer .status.desiredNumberScheduled 0',
    'CURRENT integer .status.currentNumberScheduled 0',
    'READY integer .status.numberReady 0',
    'UP-TO-DATE integer .status.updatedNumberScheduled 0',
    'AVAILABLE integer .status.numberAvailable 0',
    'AGE date .metadata.creationTimestamp 0',
    'CONTAINERS string .spec.template.spec.containers[*].name 1',
    'IMAGES string .spec.template.spec.containers[*].image 1',
  ]);
  expect(subresources).toEqual({ status: {} });
});

/** What the server says of a DaemonSet with these fields; '': it accepts it. */
async function refusalOf(spec: JsonObject): Promise<string> {
  const cluster = createWorld({ clock: createVirtualClock(Date.UTC(2026, 0, 1)), crds }).cluster('alice');
  try {
    await cluster.create(resources.DaemonSet, {
      apiVersion: 'apps.kruise.io/v1beta1',
      kind: 'DaemonSet',
      metadata: { name: 'log', namespace: 'default' },
      spec: {
        selector: { matchLabels: { app: 'log' } },
        template: {
          metadata: { labels: { app: 'log' } },
          spec: { containers: [{ name: 'log', image: 'log:1' }] },
        },
        ...spec,
      },
    });
    return '';
  } catch (error) {
    if (error instanceof ApiError) return error.status.message;
    throw error;
  }
}

const rolling = (rollingUpdate: JsonObject): JsonObject => ({ updateStrategy: { rollingUpdate } });

describe('the server', () => {
  test.each<[what: string, spec: JsonObject]>([
    ['no limit', {}],
    ['no limit, in place', rolling({ rollingUpdateType: 'InPlaceIfPossible' })],
    ['unavailable nodes alone', rolling({ maxUnavailable: '30%' })],
    ['extra pods alone', rolling({ maxSurge: 2 })],
    ['extra pods, and a maxUnavailable of 0', rolling({ maxUnavailable: 0, maxSurge: '10%' })],
    ['unavailable nodes, and a maxSurge of 0', rolling({ maxUnavailable: 2, maxSurge: '0%' })],
    ['Surging with its own default', rolling({ rollingUpdateType: 'Surging' })],
    ['a partition in percent', rolling({ partition: '50%' })],
    ['a hook before deletion', { lifecycle: { preDelete: { labelsHandler: { drain: 'true' } } } }],
  ])('accepts %s', async (_what, spec) => {
    expect(await refusalOf(spec)).toBe('');
  });

  // OpenKruise advanced-daemonset, checklist 4 to 8 and 10.
  test.each<[what: string, spec: JsonObject, message: string]>([
    [
      'both limits',
      rolling({ maxUnavailable: 1, maxSurge: 1 }),
      'maxUnavailable and maxSurge exclude each other',
    ],
    [
      'neither limit',
      rolling({ maxUnavailable: 0, maxSurge: 0 }),
      'maxUnavailable cannot be 0 without a maxSurge',
    ],
    ['maxSurge 0 alone', rolling({ maxSurge: 0 }), 'maxUnavailable cannot be 0 without a maxSurge'],
    [
      'maxUnavailable 0% alone',
      rolling({ maxUnavailable: '0%' }),
      'maxUnavailable cannot be 0 without a maxSurge',
    ],
    [
      'extra pods in place',
      rolling({ rollingUpdateType: 'InPlaceIfPossible', maxSurge: 1 }),
      'maxSurge cannot be set with InPlaceIfPossible',
    ],
    ['a partition below 0', rolling({ partition: -1 }), 'should be greater than or equal to 0'],
    [
      'a hook of updates in place',
      { lifecycle: { inPlaceUpdate: { labelsHandler: { drain: 'true' } } } },
      'inPlaceUpdate cannot be set',
    ],
  ])('refuses %s', async (_what, spec, message) => {
    expect(await refusalOf(spec)).toContain(message);
  });
});
