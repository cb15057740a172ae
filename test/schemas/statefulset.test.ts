import { expect, it } from 'vitest';
import { crd, deviations, fieldsOf, goldenFields, versionOf } from './crd-fields.ts';

const versions = ['v1alpha1', 'v1beta1'];
// Claim templates have the schema of a claim, and conditions the time of their last change.
const OWN = new Set(['spec.volumeClaimTemplates[]', 'status.conditions[].lastUpdateTime']);

it.each(versions)('a StatefulSet has every field of OpenKruise in %s, with its type', (version) => {
  const golden = goldenFields('statefulset-fields.txt').filter((field) => field.version === version);
  expect(golden.length).toBeGreaterThan(60);
  expect(deviations(versionOf('StatefulSet', version).schema.openAPIV3Schema, golden)).toEqual([]);
});

it('a StatefulSet has no field that neither version has', () => {
  const known = new Set(goldenFields('statefulset-fields.txt').map(({ path }) => path));
  const extra = fieldsOf(versionOf('StatefulSet', 'v1beta1').schema.openAPIV3Schema)
    .map(({ path }) => path)
    .filter((path) => !known.has(path) && !OWN.has(path));
  expect(extra).toEqual(['apiVersion', 'kind', 'metadata']);
});

it('both versions have the same fields, so that a write in one keeps those of the other', () => {
  const [alpha, beta] = versions.map((version) =>
    fieldsOf(versionOf('StatefulSet', version).schema.openAPIV3Schema).map(({ path }) => path),
  );
  expect(alpha).toEqual(beta);
});

it.each(versions)('the defaults of %s mean what an absent field means', (version) => {
  const defaults = fieldsOf(versionOf('StatefulSet', version).schema.openAPIV3Schema)
    .filter(({ node }) => node.default !== undefined)
    .map(({ path, node }) => [path, node.default]);
  const rolling = 'spec.updateStrategy.rollingUpdate';
  expect(Object.fromEntries(defaults)).toEqual({
    'spec.replicas': 1,
    'spec.revisionHistoryLimit': 10,
    'spec.podManagementPolicy': 'OrderedReady',
    'spec.updateStrategy': {},
    'spec.updateStrategy.type': 'RollingUpdate',
    [rolling]: {},
    [`${rolling}.partition`]: 0,
    [`${rolling}.maxUnavailable`]: 1,
    [`${rolling}.podUpdatePolicy`]: 'ReCreate',
  });
});

it.each(versions)('the names, columns and scale subresource of %s (AS-54)', (version) => {
  expect(crd('StatefulSet').names).toEqual({
    kind: 'StatefulSet',
    listKind: 'StatefulSetList',
    plural: 'statefulsets',
    singular: 'statefulset',
    shortNames: ['sts', 'asts'],
  });
  const { additionalPrinterColumns, subresources } = versionOf('StatefulSet', version);
  const columns = additionalPrinterColumns.map(({ name, type, jsonPath, priority = 0 }) =>
    [name, type, jsonPath, priority].join(' '),
  );
  expect(columns).toEqual([
    'DESIRED integer .spec.replicas 0',
    'CURRENT integer .status.replicas 0',
    'UPDATED integer .status.updatedReplicas 0',
    'READY integer .status.readyReplicas 0',
    'AGE date .metadata.creationTimestamp 0',
    'CONTAINERS string .spec.template.spec.containers[*].name 1',
    'IMAGES string .spec.template.spec.containers[*].image 1',
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
