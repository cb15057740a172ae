import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../../schemas/wire/json.ts';
import { canonicalTemplate } from '../../../semantics/template/canonical.ts';
import {
  defaultValues,
  emptyMeansAbsent,
  ignored,
  quantities,
  resourceLists,
} from '../../../semantics/template/defaults.ts';
import { expandAlternatives } from '../../../semantics/template/shape.ts';
import { contentHash } from '../../../semantics/values/canonical-json.ts';

function expanded(patterns: readonly string[]): string[] {
  return patterns.flatMap(expandAlternatives).sort();
}

const valueRows = defaultValues.flatMap(([pattern, value]) =>
  expandAlternatives(pattern).map((path): [string, Json] => [path, value]),
);

describe('the tables of semantics version "1" are frozen', () => {
  // Hashes of live workloads follow from them. A change here is a new semantics version, not a new number below.
  it.each([
    ['default values', Object.fromEntries(valueRows), 'h1:d886e8cfcf51d8d68c9c234c31387917'],
    ['empty means absent', expanded(emptyMeansAbsent), 'h1:abb08dbf045f1961af8276606669e8f6'],
    ['quantities', [expanded(quantities), expanded(resourceLists)], 'h1:df0e657a72ac776beb4576ee1ee3b89a'],
    ['ignored', expanded(ignored), 'h1:c518488f59b7a55f0bab24818ca2deaa'],
  ])('%s', (_, table, hash) => {
    expect(contentHash(table)).toBe(hash);
  });
});

interface Definition {
  $ref?: string;
  properties?: Record<string, Definition>;
  items?: Definition;
  additionalProperties?: Definition;
}

const { definitions } = JSON.parse(
  readFileSync(new URL('../../../schemas/kubernetes/core.json', import.meta.url), 'utf8'),
) as { definitions: Record<string, Definition> };

function resolve(definition: Definition): Definition {
  const name = definition.$ref?.replace('#/definitions/', '');
  return name === undefined ? definition : (definitions[name] ?? {});
}

/** Undefined when the schema of the pod template has no such path. */
function definitionAt(path: string): Definition | undefined {
  let at: Definition | undefined = definitions['PodTemplateSpec'];
  for (const step of path.replaceAll('[*]', '.*').split('.')) {
    if (at === undefined) return undefined;
    const here = resolve(at);
    at = step === '*' ? here.items : here.properties?.[step];
  }
  return at;
}

/** All paths of the pod template whose value is a quantity or a map of them. */
function quantityPaths(at: Definition, path: string, seen: readonly string[]): string[] {
  if (at.$ref !== undefined && seen.includes(at.$ref)) return [];
  if (at.$ref === '#/definitions/Quantity') return [path];
  const inside = at.$ref === undefined ? seen : [...seen, at.$ref];
  const here = resolve(at);
  if (here.additionalProperties?.$ref === '#/definitions/Quantity') return [path];
  return [
    ...(here.items ? quantityPaths(here.items, `${path}[*]`, inside) : []),
    ...Object.entries(here.properties ?? {}).flatMap(([name, member]) =>
      quantityPaths(member, path === '' ? name : `${path}.${name}`, inside),
    ),
  ];
}

describe('the tables against the schema of the pod template', () => {
  // Younger than the vendored schema.
  const younger = /fileKeyRef|restartPolicyRules|podCertificate|workloadRef/;

  it('every path exists', () => {
    const paths = [...valueRows.map(([path]) => path), ...expanded([...emptyMeansAbsent, ...ignored])];
    const unknown = paths.filter((path) => definitionAt(path) === undefined && !younger.test(path));
    expect(unknown).toEqual([]);
    expect(definitionAt('spec.containers[*].imagePulPolicy')).toBeUndefined();
  });

  it('every quantity is named, and nothing else is', () => {
    const found = quantityPaths({ $ref: '#/definitions/PodTemplateSpec' }, '', []);
    expect(expanded([...quantities, ...resourceLists])).toEqual([...found].sort());
  });
});

/** A template with nothing but `value` at `path`. */
function templateWith(path: string, value: Json): JsonObject {
  const steps = path.replaceAll('[*]', '.*').split('.');
  const built = steps.reduceRight<Json>((inner, step) => (step === '*' ? [inner] : { [step]: inner }), value);
  return built as JsonObject;
}

function valueAt(template: JsonObject, path: string): Json | undefined {
  let at: Json | undefined = template;
  for (const step of path.replaceAll('[*]', '.0').split('.'))
    at = (at as Record<string, Json> | undefined)?.[step];
  return at;
}

describe('each row', () => {
  it.each(valueRows)('%s: %j is removed, another value stays', (path, value) => {
    expect(valueAt(canonicalTemplate(templateWith(path, value)), path)).toBeUndefined();
    const other = typeof value === 'number' ? value + 1 : typeof value === 'boolean' ? !value : '7';
    expect(valueAt(canonicalTemplate(templateWith(path, other)), path)).toBe(other);
  });

  it.each(expanded(emptyMeansAbsent))('%s: empty is removed, any content stays', (path) => {
    for (const empty of ['', 0, false, [], {}]) {
      expect(valueAt(canonicalTemplate(templateWith(path, empty)), path)).toBeUndefined();
    }
    expect(valueAt(canonicalTemplate(templateWith(path, 'x')), path)).toBe('x');
  });
});
