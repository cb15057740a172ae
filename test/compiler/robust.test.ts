import { stringify, parse } from 'yaml';
import { describe, expect, test, vi } from 'vitest';
import * as fc from '../property.ts';
import { compile } from '../../compiler/compile.ts';
import { judgeCommitted } from '../../compiler/committed/judge.ts';
import { jsonPlan } from '../../compiler/render/machine.ts';
import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import { cloneSet, kruise } from './world/manifests.ts';
import { shareOf } from '../lanes.ts';
import { memoryHost } from '../cli/world/memory-host.ts';
import type { MemoryOptions } from '../cli/world/memory-host.ts';

/** The part of the manifests that a sample has. */
const SHARE = 0.25;

const rich = cloneSet({
  spec: '    maxUnavailable: 25%\n    partition: 3\n  minReadySeconds: 5',
  container:
    '        env:\n        - {name: A, value: "b"}\n        ports: [{containerPort: 80}]\n        resources: {requests: {cpu: 100m}}',
  pod: '      volumes:\n      - name: c\n        configMap: {name: c}',
});

/** Compiles and renders everything; the property is that nothing is thrown. */
function survives(base: string, head: string, config?: string): void {
  const host = memoryHost({
    '/repo/base/web.yaml': base,
    '/repo/head/web.yaml': head,
    ...(config === undefined ? {} : { '/repo/head/kruise.yaml': config }),
  });
  const state = (root: string) => ({ root, paths: [root], plans: `${root}/plans` });
  const compiled = compile(host, { head: state('/repo/head'), base: state('/repo/base'), strict: false });
  const nothing = (): undefined => undefined;
  judgeCommitted({ compiled, head: state('/repo/head'), host, read: nothing, readAtBase: nothing });
  jsonPlan(compiled);
}

const odd: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(
    null,
    true,
    -1,
    0,
    1e300,
    2147483648,
    '',
    'yes',
    '5%',
    '101%',
    '-1%',
    '33.3%',
    '__proto__',
    'ENC[x]',
    '${X}',
    [],
    {},
    [null],
    [[]],
  ),
  fc.string(),
  fc.integer(),
  fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>,
);

function paths(value: Json, at: (string | number)[] = []): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return [at];
  const entries: [string | number, Json][] = Array.isArray(value)
    ? [...value.entries()]
    : Object.entries(value);
  return [at, ...entries.flatMap(([key, item]) => paths(item, [...at, key]))];
}

function replaced(value: Json, path: readonly (string | number)[], by: Json): Json {
  const [key, ...rest] = path;
  if (key === undefined) return by;
  if (Array.isArray(value))
    return value.map((item, index) => (index === key ? replaced(item, rest, by) : item));
  const object = value as JsonObject;
  return { ...object, [key]: replaced(object[key] ?? null, rest, by) };
}

describe('any manifest gives diagnostics, never an exception', () => {
  const manifest = parse(rich) as Json;
  const everywhere = paths(manifest);

  test('one value replaced by an unusual one', () => {
    fc.assert(
      fc.property(fc.constantFrom(...everywhere), odd, fc.boolean(), (path, by, atBase) => {
        const mutated = stringify(replaced(manifest, path, by));
        if (atBase) survives(mutated, rich);
        else survives(rich, mutated);
      }),
      { numRuns: shareOf(400, SHARE) },
    );
  });

  test('text cut, doubled and scattered', () => {
    const piece = fc.constantFrom(
      '\t',
      '---\n',
      '&a ',
      '*a',
      '!x ',
      '{',
      '[',
      '}',
      ']',
      '"',
      "'",
      '|',
      '>',
      '#',
      ': ',
      '- ',
      '<<: ',
      '\u0000',
      '\ud800',
      '%YAML 1.1\n',
      '? ',
      '__proto__: 1\n',
    );
    fc.assert(
      fc.property(fc.nat(rich.length), fc.nat(40), piece, (at, cut, text) => {
        survives(rich, rich.slice(0, at) + text + rich.slice(at + cut));
      }),
      { numRuns: shareOf(400, SHARE) },
    );
  });

  test('any kruise.yaml', () => {
    const config = parse(
      'steps: [{match: {name: web}, batches: [{to: 5%, atLeast: 1, window: {maxSurge: 1}}, {to: 100%}], between: {soak: 10m, check: [pods, {use: pods, args: {restarts: "1"}, for: 1m}]}, approve: [1], group: a, after: [{kind: CloneSet, name: db}]}]',
    ) as Json;
    fc.assert(
      fc.property(fc.constantFrom(...paths(config)), odd, (path, by) => {
        survives(cloneSet(), cloneSet({ image: 'nginx:2' }), stringify(replaced(config, path, by)));
      }),
      { numRuns: shareOf(200, SHARE) },
    );
  });
});

describe('equal states give equal bytes', () => {
  const files = {
    '/r/base/a.yaml': cloneSet({ name: 'a' }),
    '/r/base/b.yaml': cloneSet({ name: 'b' }),
    '/r/head/a.yaml': cloneSet({ name: 'a', image: 'nginx' }),
    '/r/head/b.yaml': cloneSet({ name: 'b', image: 'nginx:2', pod: '      hostNetwork: true' }),
  };
  const plansOf = (all: Map<string, unknown>): [string, unknown][] =>
    [...all].filter(([path]) => path.includes('/plans/')).sort(([a], [b]) => (a < b ? -1 : 1));

  test.each([
    ['another working directory', { cwd: '/elsewhere' }],
    ['another order of files', { reversed: true }],
    [
      'another time zone and language',
      { env: { TZ: 'Asia/Tokyo', LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' } },
    ],
  ])('%s', async (_what, options: MemoryOptions) => {
    const args = ['plan', '/r/head', '--base-dir', '/r/base'];
    const before = await kruise(files, { args, cwd: '/r' });
    for (const [name, value] of Object.entries(options.env ?? {})) vi.stubEnv(name, value);
    const after = await kruise(files, { args, cwd: '/r', ...options });
    expect(plansOf(before.host.files)).toHaveLength(4);
    expect(plansOf(after.host.files)).toEqual(plansOf(before.host.files));
  });

  test('they contain no path, position or time', async () => {
    const { host } = await kruise(files, { args: ['plan', '/r/head', '--base-dir', '/r/base'] });
    for (const [, text] of plansOf(host.files)) expect(String(text)).not.toMatch(/\/r\/|\.yaml:|20[0-9]{2}-/);
  });

  test('exchanged files, exchanged documents and another spelling of the same', async () => {
    const args = ['plan', '/r/head', '--base-dir', '/r/base'];
    const config = 'steps:\n- match: {name: a}\n  batches:\n  - to: 1\n  - to: 100%\ndefault: {}\n';
    const one = await kruise({ ...files, '/r/head/kruise.yaml': config }, { args });
    const spelled = {
      '/r/head/kruise.yaml': config.replaceAll('\n', '\r\n'),
      '/r/base/all.yaml': `${files['/r/base/b.yaml']}---\n${files['/r/base/a.yaml']}`,
      '/r/head/z.json': JSON.stringify(parse(files['/r/head/a.yaml'])),
      '/r/head/y.yml': `# note\n${files['/r/head/b.yaml'].replaceAll('\n', '\r\n')}`,
    };
    const two = await kruise(spelled, { args });
    expect(plansOf(two.host.files)).toEqual(plansOf(one.host.files));
  });
});
