import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { expect, it, test } from 'vitest';
import { crds } from '../../schemas/generated/crds.ts';
import { ApiError } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { listPullJob } from '../fixtures/list-pull-jobs.ts';
import { crd, deviations, fieldsOf, goldenFields, versionOf } from './crd-fields.ts';

const versions = ['v1alpha1', 'v1beta1'];
const KIND = 'ImageListPullJob';
const GOLDEN = 'imagelistpulljob-fields.txt';
const schemaOf = (version: string) => versionOf(KIND, version).schema.openAPIV3Schema;

it.each(versions)('an ImageListPullJob has every field of OpenKruise in %s, with its type', (version) => {
  const golden = goldenFields(GOLDEN).filter((field) => field.version === version);
  expect(golden.length).toBeGreaterThan(40);
  expect(deviations(schemaOf(version), golden)).toEqual([]);
});

it('an ImageListPullJob has no field that neither version has, but conditions', () => {
  const known = new Set(goldenFields(GOLDEN).map(({ path }) => path));
  const extra = fieldsOf(schemaOf('v1beta1')).flatMap(({ path }) => (known.has(path) ? [] : [path]));
  expect(extra.filter((path) => !path.startsWith('status.conditions'))).toEqual([
    'apiVersion',
    'kind',
    'metadata',
  ]);
});

it.each(versions)('the names and columns of %s', (version) => {
  const { group, scope, names } = crd(KIND);
  expect([group, scope]).toEqual(['apps.kruise.io', 'Namespaced']);
  expect(names).toEqual({
    kind: KIND,
    listKind: `${KIND}List`,
    plural: 'imagelistpulljobs',
    singular: 'imagelistpulljob',
  });
  const { additionalPrinterColumns, subresources } = versionOf(KIND, version);
  expect(
    additionalPrinterColumns.map(({ name, type, jsonPath }) => [name, type, jsonPath].join(' ')),
  ).toEqual([
    'TOTAL integer .status.desired',
    'SUCCEEDED integer .status.succeeded',
    'COMPLETED integer .status.completed',
    'AGE date .metadata.creationTimestamp',
  ]);
  expect(subresources).toEqual({ status: {} });
});

const many = Array.from({ length: 256 }, (_, index) => `web:${index}`);

test.each<[string, JsonObject, string]>([
  ['a list', {}, ''],
  ['no image', { images: [] }, 'images can not be empty'],
  ['255 images', { images: many.slice(1) }, ''],
  ['256 images', { images: many }, 'the maximum number of images cannot > 255'],
  ['a percentage', { parallelism: '50%' }, 'parallelism does not support percentage value'],
  ['two selectors', { selector: {}, podSelector: {} }, 'can not set both selector and podSelector'],
])('%s', async (_what, spec, message) => {
  const cluster = createWorld({
    ...{ clock: createVirtualClock(0), namespaces: ['shop'], crds: [...crds] },
  }).cluster('user');
  const answer = await cluster.create(resources.ImageListPullJob, listPullJob('ahead', spec)).then(
    () => '',
    (error: unknown) => (error instanceof ApiError ? error.status.message : String(error)),
  );
  if (message === '') expect(answer).toBe('');
  else expect(answer).toContain(message);
});
