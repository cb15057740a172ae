import { expect, it } from 'vitest';
import { crd, deviations, fieldsOf, goldenFields, type Structural, versionOf } from './crd-fields.ts';

const versions = ['v1alpha1', 'v1beta1'];

const structuralAt = (version: string): Structural => versionOf('SidecarSet', version).schema.openAPIV3Schema;

it.each(versions)('a SidecarSet has every field of OpenKruise in %s, with its type', (version) => {
  const golden = goldenFields('sidecarset-fields.txt').filter((field) => field.version === version);
  expect(golden.length).toBeGreaterThan(100);
  expect(deviations(structuralAt(version), golden)).toEqual([]);
});

it('a SidecarSet has no field that OpenKruise does not have, but for conditions, in one schema for both versions', () => {
  const known = new Set(goldenFields('sidecarset-fields.txt').map(({ path }) => path));
  const extra = fieldsOf(structuralAt('v1beta1'))
    .map(({ path }) => path)
    .filter((path) => !known.has(path));
  const conditions = extra.filter((path) => path.startsWith('status.conditions'));
  expect(conditions).toHaveLength(8);
  expect(extra.filter((path) => !conditions.includes(path))).toEqual([
    'apiVersion',
    'kind',
    'metadata',
    'spec.volumes[]',
  ]);
  expect(structuralAt('v1alpha1')).toEqual(structuralAt('v1beta1'));
});

it('the defaults are those that the webhook of OpenKruise writes', () => {
  const defaults = fieldsOf(structuralAt('v1beta1'))
    .filter(({ node }) => node.default !== undefined)
    .map(({ path, node }) => [path, node.default]);
  const ofEach = (list: string, inject: string): Record<string, unknown> => ({
    [`${list}[].podInjectPolicy`]: inject,
    [`${list}[].upgradeStrategy`]: {},
    [`${list}[].upgradeStrategy.upgradeType`]: 'ColdUpgrade',
    [`${list}[].shareVolumePolicy`]: {},
    [`${list}[].shareVolumePolicy.type`]: 'disabled',
    [`${list}[].resourcesPolicy.targetContainersNameRegex`]: '.*',
  });
  expect(Object.fromEntries(defaults)).toEqual({
    ...ofEach('spec.containers', 'BeforeAppContainer'),
    ...ofEach('spec.initContainers', 'AfterAppContainer'),
    'spec.imagePullSecrets[].name': '',
    'spec.updateStrategy': {},
    'spec.updateStrategy.type': 'RollingUpdate',
    'spec.updateStrategy.partition': 0,
    'spec.updateStrategy.maxUnavailable': 1,
    'spec.injectionStrategy.revision.policy': 'Always',
    'spec.revisionHistoryLimit': 10,
    'spec.patchPodMetadata[].patchPolicy': 'Retain',
  });
});

it('is cluster-scoped, without short names, with the columns of OpenKruise', () => {
  expect(crd('SidecarSet').scope).toBe('Cluster');
  expect(crd('SidecarSet').names.shortNames).toBeUndefined();
  for (const version of versions)
    expect(
      versionOf('SidecarSet', version).additionalPrinterColumns.map(({ name, type, jsonPath }) =>
        [name, type, jsonPath].join(' '),
      ),
    ).toEqual([
      'MATCHED integer .status.matchedPods',
      'UPDATED integer .status.updatedPods',
      'READY integer .status.readyPods',
      'AGE date .metadata.creationTimestamp',
    ]);
});
