import { expect, it } from 'vitest';
import { coreSchema } from '../../schemas/generate/core.ts';
import { customResourceDefinitions } from '../../schemas/generate/crds.ts';
import { authoredSchemas, readSchema, schemaFile } from '../../schemas/generate/schema.ts';
import { crdSpec, deviations, fieldsOf, goldenFields, type Structural } from './crd-fields.ts';

const versions = ['v1alpha1', 'v1beta1'];

/** The schema of a definition as it would be installed. None is: no runtime executes this kind yet. */
function structuralAt(version: string): Structural {
  const file = readSchema('kruise/broadcastjob.json');
  const names = { kind: 'BroadcastJob', plural: 'broadcastjobs' };
  const facts = {
    group: 'apps.kruise.io',
    scope: 'Namespaced',
    names,
    versions: versions.map((name) => ({ name, storage: name === 'v1beta1' })),
    additionalPrinterColumns: [],
    subresources: {},
  };
  const served = { ...file, schema: { ...file.schema, 'x-kruise-crd': facts } };
  const all = [...authoredSchemas(), schemaFile('kubernetes/core.json', coreSchema())];
  const found = customResourceDefinitions(served, all)
    .flatMap((definition) => crdSpec(definition).versions)
    .find(({ name }) => name === version);
  if (found === undefined) throw new Error(`no version ${version}`);
  return found.schema.openAPIV3Schema;
}

it.each(versions)('a BroadcastJob has every field of OpenKruise in %s, with its type', (version) => {
  const golden = goldenFields('broadcastjob-fields.txt').filter((field) => field.version === version);
  expect(golden.length).toBeGreaterThan(20);
  expect(deviations(structuralAt(version), golden)).toEqual([]);
});

it('a BroadcastJob has no field that OpenKruise does not have', () => {
  const known = new Set(goldenFields('broadcastjob-fields.txt').map(({ path }) => path));
  const extra = fieldsOf(structuralAt('v1beta1'))
    .map(({ path }) => path)
    .filter((path) => !known.has(path));
  expect(extra).toEqual(['apiVersion', 'kind', 'metadata']);
});

it('the defaults are those that the webhook of OpenKruise writes (BJ-1)', () => {
  const defaults = fieldsOf(structuralAt('v1beta1'))
    .filter(({ node }) => node.default !== undefined)
    .map(({ path, node }) => [path, node.default]);
  expect(Object.fromEntries(defaults)).toEqual({
    'spec.parallelism': 2147483647,
    'spec.completionPolicy': {},
    'spec.completionPolicy.type': 'Always',
    'spec.failurePolicy': {},
    'spec.failurePolicy.type': 'FailFast',
  });
});
