import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { expect, it, test } from 'vitest';
import { crds } from '../../schemas/generated/crds.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { nodeImage } from '../fixtures/node-images.ts';
import { crd, deviations, fieldsOf, goldenFields, versionOf } from './crd-fields.ts';

const versions = ['v1alpha1', 'v1beta1'];
const KIND = 'NodeImage';
const GOLDEN = 'nodeimage-fields.txt';
const schemaOf = (version: string) => versionOf(KIND, version).schema.openAPIV3Schema;

it.each(versions)('a NodeImage has every field of OpenKruise in %s, with its type', (version) => {
  const golden = goldenFields(GOLDEN).filter((field) => field.version === version);
  expect(golden.length).toBeGreaterThan(40);
  // Every kind here requires one.
  expect(deviations(schemaOf(version), golden)).toEqual(['spec is not object']);
});

it('a NodeImage has no field that neither version has, but conditions', () => {
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
  expect([group, scope]).toEqual(['apps.kruise.io', 'Cluster']);
  expect(names).toEqual({
    kind: KIND,
    listKind: `${KIND}List`,
    plural: 'nodeimages',
    singular: 'nodeimage',
  });
  const { additionalPrinterColumns, subresources } = versionOf(KIND, version);
  expect(
    additionalPrinterColumns.map(({ name, type, jsonPath }) => [name, type, jsonPath].join(' ')),
  ).toEqual([
    'DESIRED integer .status.desired',
    'PULLING integer .status.pulling',
    'SUCCEED integer .status.succeeded',
    'FAILED integer .status.failed',
    'AGE date .metadata.creationTimestamp',
  ]);
  expect(subresources).toEqual({ status: {} });
});

test.each<[string, JsonObject, string]>([
  ['tags', { web: { tags: [{ tag: '1', version: 0 }] } }, ''],
  ['an image without tags', { web: {} }, 'spec.images.web.tags'],
  ['a tag without a name', { web: { tags: [{}] } }, 'spec.images.web.tags[0].tag'],
  ['a version below 0', { web: { tags: [{ tag: '1', version: -1 }] } }, 'spec.images.web.tags[0].version'],
])('%s', async (_what, images, message) => {
  const cluster = createWorld({ clock: createVirtualClock(0), crds: [...crds] }).cluster('user');
  const answer = await cluster.create(resources.NodeImage, nodeImage('node-1', images)).then(
    () => '',
    (error: unknown) => String(error),
  );
  if (message === '') expect(answer).toBe('');
  else expect(answer).toContain(message);
});
