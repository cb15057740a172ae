import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { expect, it, test } from 'vitest';
import { crds } from '../../schemas/generated/crds.ts';
import { ApiError } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { crd, deviations, fieldsOf, goldenFields, versionOf } from './crd-fields.ts';

const versions = ['v1alpha1', 'v1beta1'];
const KIND = 'ContainerRecreateRequest';
const GOLDEN = 'containerrecreaterequest-fields.txt';
const schemaOf = (version: string) => versionOf(KIND, version).schema.openAPIV3Schema;

it.each(versions)(
  'a ContainerRecreateRequest has every field of OpenKruise in %s, with its type',
  (version) => {
    const golden = goldenFields(GOLDEN).filter((field) => field.version === version);
    expect(golden.length).toBeGreaterThan(40);
    expect(deviations(schemaOf(version), golden)).toEqual([]);
  },
);

it('a ContainerRecreateRequest has no field that neither version has, but the time of a reason', () => {
  const known = new Set(goldenFields(GOLDEN).map(({ path }) => path));
  const extra = fieldsOf(schemaOf('v1beta1')).flatMap(({ path }) => (known.has(path) ? [] : [path]));
  expect(extra).toEqual(['apiVersion', 'kind', 'metadata', 'status.conditions[].lastUpdateTime']);
});

it('both versions have the same fields, so that a write in one keeps those of the other', () => {
  const [alpha, beta] = versions.map((version) => fieldsOf(schemaOf(version)).map(({ path }) => path));
  expect(alpha).toEqual(beta);
});

it.each(versions)('the names and columns of %s', (version) => {
  const { group, scope, names } = crd(KIND);
  expect([group, scope]).toEqual(['apps.kruise.io', 'Namespaced']);
  expect(names).toEqual({
    kind: KIND,
    listKind: `${KIND}List`,
    plural: 'containerrecreaterequests',
    singular: 'containerrecreaterequest',
    shortNames: ['crr'],
  });
  const { additionalPrinterColumns, subresources } = versionOf(KIND, version);
  expect(
    additionalPrinterColumns.map(({ name, type, jsonPath }) => [name, type, jsonPath].join(' ')),
  ).toEqual([
    'PHASE string .status.phase',
    'POD string .spec.podName',
    'NODE string .metadata.labels.crr\\.apps\\.kruise\\.io/node-name',
    'AGE date .metadata.creationTimestamp',
  ]);
  expect(subresources).toEqual({ status: {} });
});

const request = (spec: JsonObject) => ({
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: KIND,
  metadata: { name: 'restart', namespace: 'default' },
  spec: { podName: 'web', containers: [{ name: 'main' }], ...spec },
});

async function answered(write: () => Promise<unknown>): Promise<string> {
  try {
    await write();
    return '';
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.status.message;
  }
}

const world = () =>
  createWorld({ clock: createVirtualClock(0), namespaces: ['default'], crds: [...crds] }).cluster('user');

test.each([
  ['CRR-8: a deadline of less than three seconds', { activeDeadlineSeconds: 2 }, 'can not be less than 3s'],
  ['CRR-8: a deadline of three seconds', { activeDeadlineSeconds: 3 }, ''],
  ['no pod', { podName: '' }, 'podName can not be empty'],
  ['no container', { containers: [] }, 'containers list can not be null'],
  ['an unknown policy', { strategy: { failurePolicy: 'Never' } }, 'Unsupported value: "Never"'],
  ['a negative grace', { strategy: { terminationGracePeriodSeconds: -1 } }, 'greater than or equal to 0'],
  ['a negative unready grace', { strategy: { unreadyGracePeriodSeconds: -1 } }, 'greater than or equal to 0'],
])('%s', async (_what, spec: JsonObject, message) => {
  const cluster = world();
  const answer = await answered(() => cluster.create(resources.ContainerRecreateRequest, request(spec)));
  if (message === '') expect(answer).toBe('');
  else expect(answer).toContain(message);
});

test.each([
  ['another pod', { podName: 'other' }],
  ['a deadline', { activeDeadlineSeconds: 60 }],
  ['another container', { containers: [{ name: 'side' }] }],
  [
    'what OpenKruise would set',
    { containers: [{ name: 'main', statusContext: { containerID: 'a://b', restartCount: 1 } }] },
  ],
])('CRR-9: the spec never changes: %s; other metadata may', async (_what, spec: JsonObject) => {
  const cluster = world();
  await cluster.create(resources.ContainerRecreateRequest, request({}));
  const at = { namespace: 'default', name: 'restart' };
  const change = (body: JsonObject): Promise<string> =>
    answered(() => cluster.patch(resources.ContainerRecreateRequest, at, { type: 'merge', body }));
  expect(await change({ spec })).toContain('spec of ContainerRecreateRequest is immutable');
  expect(await change({ metadata: { labels: { team: 'a' } } })).toBe('');
});
