import { tupleId } from '../../semantics/owner.ts';
import { parse, visit } from 'yaml';
import type { Document } from 'yaml';
import { describe, expect, test } from 'vitest';
import * as fc from '../property.ts';
import { createBudget } from '../../compiler/load/budget.ts';
import { findFiles, joinPath } from '../../compiler/load/files.ts';
import { createLocator } from '../../compiler/load/locate.ts';
import { eachDocument, parseAgain } from '../../compiler/load/parse.ts';
import type { Extent } from '../../compiler/load/parse.ts';
import { loadState } from '../../compiler/load/manifests.ts';
import { createParseCache } from '../../compiler/load/parse-cache.ts';
import { readYaml } from '../../compiler/load/read.ts';
import { ambiguousScalar } from '../../compiler/load/scalars.ts';
import { toYaml } from '../../compiler/render/yaml.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { cloneSet } from './world/manifests.ts';
import { memoryHost } from '../cli/world/memory-host.ts';
import type { MemoryOptions } from '../cli/world/memory-host.ts';

function load(files: Record<string, string>, options?: MemoryOptions) {
  const host = memoryHost(files, options);
  const loaded = loadState(
    host,
    { root: '/repo', paths: ['/repo'], plans: '/repo/plans' },
    createParseCache(),
  );
  return { ids: [...loaded.manifests.keys()], codes: loaded.diagnostics.map(({ code }) => code), loaded };
}

const web = cloneSet();
const idOf = (namespace: string, name = 'web'): string =>
  tupleId({ group: 'apps.kruise.io', kind: 'CloneSet' }, namespace, name);
const id = idOf('shop');

describe('which files are read', () => {
  test.each([
    ['a.yaml', [id]],
    ['a.yml', [id]],
    ['deep/er/a.yaml', [id]],
    ['a.txt', []],
    ['.github/a.yaml', []],
    ['.a.yaml', []],
    ['node_modules/x/a.yaml', []],
    ['plans/a.yaml', []],
    ['apps/plans/a.yaml', [id]],
    ['a.YAML', [id]],
    ['kruise.yaml', []],
  ])('%s', (path, expected) => {
    expect(load({ [path]: web }).ids).toEqual(expected);
  });

  test('JSON too, with its escapes', () => {
    const json = JSON.stringify(parse(web)).replace('"web"', '"w\\u0065b"');
    expect(load({ 'a.json': json })).toMatchObject({ ids: [id], codes: [] });
  });

  test('links inside the folder are followed once, loops and links out of it are not', () => {
    const links = { inside: 'apps', 'apps/loop': 'apps', outside: '/elsewhere' };
    const host = memoryHost({ 'apps/a.yaml': web, '/elsewhere/b.yaml': web }, { links, reversed: true });
    const found = findFiles(host, '/repo', '/repo', { skip: '/repo/plans' });
    expect(found.files.map(({ path }) => path)).toEqual(['/repo/apps/a.yaml', '/repo/inside/a.yaml']);
    expect(found.diagnostics.map(({ code }) => code)).toEqual(['KR1015', 'KR1015', 'KR1015']);
  });
});

describe('which objects are taken', () => {
  const list = (kind: string, apiVersion: string): string =>
    JSON.stringify({ apiVersion, kind, items: [parse(web), { apiVersion: 'v1', kind: 'Service' }] });
  const other = 'apiVersion: v1\nkind: Service\nmetadata: {name: x, labels: {a: yes, a: 010}}\n';
  test.each([
    ['several documents', `${web}---\n${other}---\n${cloneSet({ name: 'two' })}`, [id, idOf('shop', 'two')]],
    ['v1 List', list('List', 'v1'), [id]],
    ['a List in a List', JSON.stringify({ kind: 'List', items: [parse(list('List', 'v1'))] }), [id]],
    ['CloneSetList', list('CloneSetList', 'apps.kruise.io/v1alpha1'), [id]],
    ['byte order mark and CRLF', `\ufeff${web.replaceAll('\n', '\r\n')}`, [id]],
    ['no namespace', cloneSet({ namespace: '' }), [idOf('')]],
    ['documents without kind', '# apps.kruise.io\na: 1\n---\n- b\n---\n', []],
    ['another group', web.replace('apps.kruise.io', 'apps.kruise.io.example'), []],
    ['empty', '', []],
  ])('%s', (_what, text, expected) => {
    expect(load({ 'a.yaml': text })).toMatchObject({ ids: expected, codes: [] });
  });

  test('objects of kinds that are not planned are counted', () => {
    const { loaded } = load({ 'a.yaml': 'apiVersion: apps.kruise.io/v1beta1\nkind: EphemeralJob\n' });
    expect([...loaded.ignored]).toEqual([['EphemeralJob', 1]]);
  });

  test('policies of OpenKruise are among those that need no plan', () => {
    const budget = 'apiVersion: policy.kruise.io/v1beta1\nkind: PodUnavailableBudget\nmetadata: {name: a}\n';
    const { loaded, codes } = load({
      'a.yaml': `${budget}---\n${budget.replace('name: a', 'name: b')}`,
      'b.json': JSON.stringify({
        apiVersion: 'v1',
        kind: 'List',
        items: [parse(budget.replace('name: a', 'name: c'))],
      }),
    });
    const names = [...loaded.standing.values()].map(({ name }) => name);
    expect({ names, ignored: [...loaded.ignored], codes }).toEqual({
      names: ['a', 'b', 'c'],
      ignored: [],
      codes: [],
    });
  });
});

describe('YAML 1.1 against 1.2', () => {
  test.each([
    ['yes', { kind: 'differs', value: true }],
    ['No', { kind: 'differs', value: false }],
    ['ON', { kind: 'differs', value: true }],
    ['off', { kind: 'differs', value: false }],
    ['y', { kind: 'differs', value: true }],
    ['N', { kind: 'differs', value: false }],
    ['1_000', { kind: 'differs', value: 1000 }],
    ['-1_0.5', { kind: 'differs', value: -10.5 }],
    ['0x1_F', { kind: 'differs', value: 31 }],
    ['0b101', { kind: 'differs', value: 5 }],
    ['010', { kind: 'octal', value: 8 }],
    ['0644', { kind: 'octal', value: 420 }],
    ['-010', { kind: 'octal', value: -8 }],
    ['0o20', { kind: 'octal', value: 16 }],
  ])('%s is ambiguous', (text, expected) => {
    expect(ambiguousScalar(text)).toEqual(expected);
  });

  test.each([
    'true',
    'null',
    '~',
    'yEs',
    'yesterday',
    '0',
    '10',
    '08',
    '1.5',
    '1e3',
    '0x1F',
    '1.2.3',
    'a_b',
    '_1',
    '0.25',
    '-',
  ])('%s is not ambiguous', (text) => {
    expect(ambiguousScalar(text)).toBeUndefined();
  });
});

const json = fc.letrec<{ value: JsonObject[string]; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.string({ unit: 'binary' }),
    fc.string(),
    fc.constantFrom(
      'yes',
      '~',
      '010',
      '1_0',
      '12:30',
      '2001-01-01',
      ' a',
      'a: b',
      '#',
      '- x',
      '<<',
      '=',
      '${A}',
      'no',
      '.5',
      '1e3',
      'E-0',
    ),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    tie('object'),
  ),
  object: fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('on', 'y', '1', 'a.b/c')), tie('value'), {
    maxKeys: 4,
    noNullPrototype: true,
  }),
}));

describe('generated YAML', () => {
  test.each(['1.1', '1.2'] as const)('is read alike by %s', (version) => {
    fc.assert(
      fc.property(json.object, (object) => {
        fc.pre(!JSON.stringify(object).includes('__proto__'));
        expect(parse(toYaml(object), { version, merge: version === '1.1' })).toEqual(object);
      }),
      { numRuns: 500 },
    );
  });
});

test.each([
  ['/a', 'b', '/a/b'],
  ['/a', '../b', '/b'],
  ['/a', '/b/./c/', '/b/c'],
  ['/', 'a', '/a'],
  ['/a', '../../..', '/'],
])('%s and %s make %s', (base, path, expected) => {
  expect(joinPath(base, path)).toBe(expected);
});

/** Every node of a document with its position. */
function nodesOf(document: Document | undefined): unknown[] {
  const found: unknown[] = [];
  if (document !== undefined)
    visit(document, {
      Node: (_key, { range }) => void found.push(range?.slice(0, 2)),
    });
  return found;
}

test('a document that is parsed by itself has every position unchanged', () => {
  const pieces = [
    'a: {b: [1, &x 2, *x]}',
    '# note',
    '---',
    '--- # why',
    '...',
    '%TAG ! tag:x,2000:',
    '',
    'text: |',
    '  more',
    '- c',
    '"q"',
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 14 }), fc.boolean(), (lines, ends) => {
      const source = { file: 'a.yaml', text: lines.join('\n') + (ends ? '\n' : '') };
      const budget = createBudget();
      const documents: { document: Document; at: Extent }[] = [];
      const problems = eachDocument(source, budget, (document, at) => documents.push({ document, at }));
      for (const [index, { document, at }] of documents.entries()) {
        if (problems.length === 0) expect(at.from).toBe(documents[index - 1]?.at.to ?? at.from);
        expect(nodesOf(parseAgain(source, at, budget))).toEqual(nodesOf(document));
      }
    }),
    { numRuns: 2_000 },
  );
});

test('the recorded positions of containers equal those of a second parse', () => {
  const text = [
    '# a',
    '---',
    '"spec": {template: {spec: {containers: [{name: a}]}}}',
    '---',
    'spec:',
    '  template: &t',
    '    spec:',
    '      ? containers',
    '      : []',
    '      initContainers: []',
    '  other: *t',
    'spec/template/spec: {containers: []}',
    '---',
    'spec: {template: {spec: {containers: none}}}',
    '',
  ].join('\n');
  const source = { file: 'a.yaml', text };
  const paths = ['spec/template/spec/containers', 'spec/other/spec/containers', 'spec/containers'];
  const noted = readYaml(source).documents.flatMap(({ at }) => {
    for (const path of paths) {
      const [steps, parsed] = [path.split('/'), { from: at.from, to: at.to }];
      const found = createLocator()({ source, at, path: [] }, steps, 'key');
      expect(found).toEqual(createLocator()({ source, at: parsed, path: [] }, steps, 'key'));
    }
    return (at.keys ?? []).map(({ path, start, end }) => [path, text.slice(start, end)]);
  });
  const position = ['spec/template/spec/containers', 'containers'];
  expect(noted).toEqual([position, position]);
});

test('a warning about most manifests needs no second parse', () => {
  const budget = createBudget();
  const position = createBudget().limits.placeTokens;
  const source = { file: 'a.yaml', text: web };
  const [document] = readYaml(source, budget).documents;
  const at = document?.at ?? { from: 0, to: 0 };
  createLocator(budget)({ source, at, path: [] }, ['spec', 'template', 'spec', 'containers'], 'key');
  expect(budget.consume('placeTokens', position)).toBe(position);
});
