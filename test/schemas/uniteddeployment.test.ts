import { expect, it } from 'vitest';
import { united } from '../runtime/united-world.ts';
import { objectOf } from '../../semantics/values/read.ts';
import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { crds } from '../../schemas/generated/crds.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { crd, deviations, fieldsOf, goldenFields, versionOf } from './crd-fields.ts';

const versions = ['v1alpha1', 'v1beta1'];
const KIND = 'UnitedDeployment';
const fieldsAt = (version: string) => fieldsOf(versionOf(KIND, version).schema.openAPIV3Schema);

it.each(versions)('a UnitedDeployment has every field of OpenKruise in %s, with its type', (version) => {
  const golden = goldenFields('uniteddeployment-fields.txt').filter((field) => field.version === version);
  expect(golden.length).toBeGreaterThan(200);
  expect(deviations(versionOf(KIND, version).schema.openAPIV3Schema, golden)).toEqual([]);
});

/** Both layouts of CloneSets, whichever version a manifest is of (UD-42). */
const OTHER_LAYOUT =
  /^spec\.template\.(?:cloneSetTemplate\.spec\.(?:updateStrategy|scaleStrategy\.disablePVCReuse)|[a-zA-Z]+\.spec\.volumeClaimTemplates\[\])/;

it('a UnitedDeployment has no field that neither version has, but for conditions and another layout', () => {
  const known = new Set(goldenFields('uniteddeployment-fields.txt').map(({ path }) => path));
  const extra = fieldsAt('v1beta1')
    .map(({ path }) => path)
    .filter((path) => !known.has(path) && !path.startsWith('status.conditions') && !OTHER_LAYOUT.test(path));
  expect(extra).toEqual(['apiVersion', 'kind', 'metadata']);
});

it('both versions have the same fields, so that a write in one keeps those of the other (UD-39)', () => {
  const [alpha, beta] = versions.map((version) => fieldsAt(version).map(({ path }) => path));
  expect(alpha).toEqual(beta);
  expect(beta).toContain('status.subsetReplicas');
  expect(beta).toContain('status.subsetStatuses[].replicas');
});

it.each(versions)('the names and columns of %s (UD-37)', (version) => {
  expect(crd(KIND).group).toBe('apps.kruise.io');
  expect(crd(KIND).names).toEqual({
    kind: KIND,
    listKind: 'UnitedDeploymentList',
    plural: 'uniteddeployments',
    singular: 'uniteddeployment',
    shortNames: ['ud'],
  });
  const { additionalPrinterColumns, subresources } = versionOf(KIND, version);
  expect(
    additionalPrinterColumns.map(({ name, type, jsonPath, priority = 0 }) =>
      [name, type, jsonPath, priority].join(' '),
    ),
  ).toEqual([
    'DESIRED integer .spec.replicas 0',
    'CURRENT integer .status.replicas 0',
    'UPDATED integer .status.updatedReplicas 0',
    'READY integer .status.readyReplicas 0',
    'AGE date .metadata.creationTimestamp 0',
  ]);
  expect(subresources).toEqual({
    scale: {
      labelSelectorPath: '.status.labelSelector',
      specReplicasPath: '.spec.replicas',
      statusReplicasPath: '.status.replicas',
    },
    status: {},
  });
});

const created = async (spec: object) => {
  const world = createWorld({ clock: createVirtualClock(0), crds: [...crds], namespaces: ['shop'] });
  const { spec: own, ...object } = united();
  return world.cluster('alice').create(resources.UnitedDeployment, {
    ...object,
    spec: { ...objectOf(own), ...spec },
  });
};

it('a UnitedDeployment has its defaults, and none in the template of its children (UD-1)', async () => {
  const { spec, ...object } = united();
  const { replicas: _, ...rest } = objectOf(spec);
  const world = createWorld({ clock: createVirtualClock(0), crds: [...crds], namespaces: ['shop'] });
  const made = await world.cluster('alice').create(resources.UnitedDeployment, { ...object, spec: rest });
  expect(made['spec']).toEqual({
    ...rest,
    replicas: 1,
    revisionHistoryLimit: 10,
    updateStrategy: { type: 'Manual', manualUpdate: {} },
  });
});

it.each<[string, object]>([
  ['fewer pods than none', { replicas: -1 }],
  ['another schedule', { topology: { scheduleStrategy: { type: 'x' } } }],
  ['a subset without a name', { topology: { subsets: [{}] } }],
  ['a template without a spec', { template: { cloneSetTemplate: {} } }],
])('the server refuses %s', async (_what, spec) => {
  await expect(created(spec)).rejects.toThrow('invalid');
});
