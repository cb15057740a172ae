import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { kinds } from '../../../semantics/registry/registry.ts';
import { objectOf, textOf } from '../../../semantics/values/read.ts';
import { expectGolden } from '../../golden.ts';
import { argoConfig, type Scripts, startLua } from './lua.ts';
import { readStates } from './objects.ts';

/**
 * The shipped scripts as the repository of Argo CD keeps them, in `deploy/argocd/resource_customizations`: a folder of each kind with
 * its script, one object for each health that it can have, and what the script says of it.
 */
const PREFIX = 'resource.customizations.';

let lua: Scripts;
beforeAll(async () => {
  lua = await startLua();
});
afterAll(() => lua.close());

const objects = kinds
  .flatMap((kind) => readStates(kind).flatMap(({ target, plan }) => [target, plan ?? []]))
  .flat();

/** The recorded objects of `apps.kruise.io_CloneSet`. */
const objectsOf = (key: string): JsonObject[] =>
  objects.filter(({ apiVersion, kind }) => key === `${textOf(apiVersion).split('/')[0]}_${textOf(kind)}`);

const FOLDER = 'deploy/argocd/resource_customizations';
const compared = new Set<string>();
function recorded(path: string, text: string): void {
  compared.add(path);
  expectGolden(`../${FOLDER}/${path}`, text);
}

const keys = Object.keys(argoConfig);
const scripts = keys.flatMap((key) => key.split(`${PREFIX}health.`).slice(1));
const actions = keys.flatMap((key) => key.split(`${PREFIX}actions.`).slice(1));

test('each kind and plan has a script', () => {
  expect(scripts).toHaveLength(kinds.length + actions.length);
});

describe.each(scripts)('the folder of %s', (key) => {
  const folder = key.replace('_', '/');

  test('has its script', () => {
    recorded(`${folder}/health.lua`, argoConfig[`${PREFIX}health.${key}`] ?? '');
  });

  test('has one object of each health', () => {
    const first = new Map<string, JsonObject>();
    for (const object of objectsOf(key)) {
      const status = textOf(lua.healthOf(key, object)['status']);
      if (!first.has(status)) first.set(status, object);
    }
    const found = [...first].sort(([one], [other]) => (one < other ? -1 : 1));
    expect(found.length).toBeGreaterThan(1);
    const tests = found.map(([status, object]) => {
      const inputPath = `testdata/${status.toLowerCase()}.yaml`;
      recorded(`${folder}/${inputPath}`, stringify(object));
      return { healthStatus: { status, message: textOf(lua.healthOf(key, object)['message']) }, inputPath };
    });
    recorded(`${folder}/health_test.yaml`, stringify({ tests }));
  });
});

test.each(actions)('the folder of %s has its actions', (key) => {
  const of = objectOf(parse(argoConfig[`${PREFIX}actions.${key}`] ?? ''));
  const folder = `${key.replace('_', '/')}/actions`;
  recorded(`${folder}/discovery.lua`, textOf(of['discovery.lua']));
  const definitions = of['definitions'] as { name: string; 'action.lua': string }[];
  expect(definitions.length).toBeGreaterThan(3);
  for (const { name, 'action.lua': script } of definitions) recorded(`${folder}/${name}/action.lua`, script);
});

test('nothing else is there', () => {
  const there = readdirSync(FOLDER, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  expect(there.map(({ parentPath, name }) => relative(FOLDER, join(parentPath, name))).sort()).toEqual(
    [...compared].sort(),
  );
});
