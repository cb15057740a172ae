import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { standaloneSchemas } from '../../schemas/generate/standalone.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { kinds } from '../../semantics/registry/registry.ts';
import { root } from '../deploy/cluster.ts';

const schemas = standaloneSchemas();
const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true, logger: false });
const validate = new Map([...schemas].map(([name, schema]) => [name, ajv.compile(schema)]));

/** What a schema says about a value. */
function problems(name: string, value: unknown): string[] {
  const check = validate.get(name);
  if (check === undefined) throw new Error(`no schema ${name}`);
  return check(value)
    ? []
    : (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

/** The objects of the examples. */
const objects = readdirSync(join(root, 'examples'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.yaml') && !path.endsWith('kruise.yaml'))
  .flatMap((path) =>
    parseAllDocuments(readFileSync(join(root, 'examples', path), 'utf8')).map(
      (document) => document.toJS() as KubeObject,
    ),
  );

test('there is one for each kind, for plans and for configurations', () => {
  const wanted = kinds.map(({ id }) => `${id.kind.toLowerCase()}.json`);
  expect([...schemas.keys()].sort()).toEqual(
    [...wanted, 'kruise.json', 'rolloutcommand.json', 'rolloutplan.json', 'runtime.json'].sort(),
  );
});

test('none refers to another document, and none has keywords of our own', () => {
  for (const schema of schemas.values()) {
    const text = JSON.stringify(schema);
    expect(text.match(/"\$ref":"(?!#\/)[^"]*"/g)).toBeNull();
    expect(text.match(/"x-[a-z-]+":/g)).toBeNull();
  }
});

test('every object of the examples is valid', () => {
  const found = objects.flatMap((object) => {
    const name = `${object.kind.toLowerCase().replace(/^cluster/, '')}.json`;
    return schemas.has(name)
      ? problems(name, object).map((text) => `${object.kind} ${object.metadata.name}${text}`)
      : [];
  });
  expect(found).toEqual([]);
  expect(objects.filter(({ kind }) => kind === 'RolloutPlan').length).toBeGreaterThan(5);
});

const web = objects.find(({ kind }) => kind === 'CloneSet');

test.each([
  [{ apiVersion: 'apps.kruise.io/v2' }, '/apiVersion must be equal to one of the allowed values'],
  [{ spec: { ...(web?.['spec'] as object), replica: 3 } }, '/spec must NOT have additional properties'],
  [{ spec: { ...(web?.['spec'] as object), replicas: 'three' } }, '/spec/replicas must be integer'],
])('a mistake is found: %j', (change, problem) => {
  expect(problems('cloneset.json', { ...web, ...change })).toContain(problem);
});

test('kruise.yaml', () => {
  const config = parse(
    readFileSync(join(root, 'examples/approval/2-nginx-1.27/kruise.yaml'), 'utf8'),
  ) as object;
  expect(problems('kruise.json', config)).toEqual([]);
  expect(problems('kruise.json', { ...config, step: [] })).toEqual([' must NOT have additional properties']);
});
