import { expect, test } from 'vitest';
import { kindValidator, validatorOf } from '../../schemas/generate/validators.ts';
import { targetsFile } from '../../schemas/generate/targets.ts';
import { typesOf } from '../../schemas/generate/types.ts';
import type { SchemaError } from '../../schemas/validator/error.ts';
import { rackDefinitions, rackSchema, schemaFiles } from './definitions.ts';
import { rackKind } from './kind.ts';
import { target } from './world.ts';

test('its schema makes its definitions, one in each scope', () => {
  expect(
    rackDefinitions.map(({ metadata, spec }) => [metadata.name, (spec as { scope: string }).scope]),
  ).toEqual([
    ['racks.test.plan.kruise.io', 'Namespaced'],
    ['aisles.test.plan.kruise.io', 'Cluster'],
  ]);
});

test('its schema makes a validator', async () => {
  const spec = kindValidator(rackSchema);
  if (spec === undefined) throw new Error('it is the schema of no kind');
  const { code } = await validatorOf(schemaFiles, spec);
  const made = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
    validateRack(object: unknown): SchemaError[];
  };
  const rack = target(rackKind, 'db:1');
  expect(made.validateRack(rack)).toEqual([]);
  const wrong = { ...rack, spec: { slots: -1, template: {}, replicas: 3 } };
  expect(made.validateRack(wrong).map(({ path }) => path.join('.'))).toEqual(['spec', 'spec.slots']);
});

test('its schema makes types, and the compiler finds it', async () => {
  expect(await typesOf(rackSchema)).toContain('export type Rack = {');
  expect(targetsFile(schemaFiles, '')).toContain("definition: 'kruise/rack.json#/definitions/Rack'");
});
