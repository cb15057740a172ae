import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { compile } from '../../compiler/compile.ts';
import { schemaOf } from '../../compiler/validate/known-fields.ts';
import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { kinds } from '../../semantics/kinds/registry.ts';
import { memoryHost } from '../cli/world/memory-host.ts';
import { isAll, isFull } from '../lanes.ts';
import { randomOf } from '../random.ts';
import { eachKind } from './world/each-kind.ts';

type Random = () => number;
type Path = readonly (string | number)[];

/** Values of any type that a field may have in git, and texts of the right type that rules trip over. */
const VALUES: readonly Json[] = [
  ...[
    null,
    true,
    false,
    -1,
    0,
    1,
    0.5,
    1e300,
    2 ** 31,
    2 ** 53,
    -(2 ** 63),
    [],
    {},
    [null],
    [[]],
    [{}],
    { a: null },
  ],
  ...[
    '',
    ' ',
    'x',
    '5%',
    '101%',
    '-1%',
    '1e3',
    '*',
    '(',
    '[',
    '__proto__',
    'constructor',
    'toString',
    '\u0000',
    '\ud800',
  ],
  ...[
    'Local',
    'Asia/Beijing',
    'Europe/Berlin ',
    '+08:00',
    'TZ=a * * * * *',
    '@every 9999999999h',
    '@every -1s',
    '0 0 31 2 *',
  ],
  ...[
    '1Gi',
    '-1Gi',
    '9'.repeat(400),
    'a'.repeat(3000),
    '1-',
    '5-1',
    '0-99999999999',
    '2026-13-45T99:99:99Z',
    'In',
    'Exists',
  ],
  ...[
    "metadata.labels['",
    '$(',
    '${X}',
    'a/b/c',
    '/',
    'a:b:c',
    '@sha256:',
    'kruise.io/x',
    'CloneSet',
    'Never',
    'OnDelete',
  ],
];

function pathsOf(value: Json, at: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [at];
  const members: [string | number, Json][] = Array.isArray(value)
    ? [...value.entries()]
    : Object.entries(value);
  return [at, ...members.flatMap(([key, member]) => pathsOf(member, [...at, key]))];
}

function replaced(value: Json, [key, ...rest]: Path, by: Json): Json {
  if (key === undefined) return by;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item, at) => (at === key ? replaced(item, rest, by) : item));
  return { ...value, [key]: replaced(value[key] ?? null, rest, by) };
}

const places = eachKind.map(({ manifest }) => ({
  manifest,
  // What the object is must stay, or nothing is read.
  paths: pathsOf(manifest).filter(([first]) => first === 'spec' || first === 'metadata'),
}));

/** A manifest with one field, or two, of another value. */
function mutant(random: Random): JsonObject {
  const one = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const { manifest, paths } = one(places);
  let found: Json = manifest;
  for (let left = random() < 0.7 ? 1 : 2; left > 0; left--) {
    const path = one(paths);
    if (path.length > 1) found = replaced(found, path, one(VALUES));
  }
  return found as JsonObject;
}

const state = (root: string) => ({ root, paths: [root], plans: `${root}/plans` });

/** Both sides of git: the mutant is at head, or at base. */
function inGit(object: JsonObject, isHead: boolean): void {
  const { manifest } = places.find((each) => each.manifest['kind'] === object['kind']) ?? {
    manifest: object,
  };
  const texts = [stringify(object), stringify(manifest)];
  const [head = '', base = ''] = isHead ? texts : texts.toReversed();
  const host = memoryHost({ '/r/head/a.yaml': head, '/r/base/a.yaml': base });
  const { diagnostics } = compile(host, { head: state('/r/head'), base: state('/r/base'), strict: false });
  for (const { message } of diagnostics) expect(message).not.toMatch(/undefined|\[object Object\]|NaN/);
}

/** What the runtime makes of an object that the server has stored. */
function inCluster(object: JsonObject): void {
  const kind = kinds.find(({ id }) => id.kind === object['kind']);
  const metadata = object['metadata'] as JsonObject;
  const target = {
    ...object,
    metadata: {
      ...metadata,
      name: 'web',
      uid: 'u',
      resourceVersion: '1',
      creationTimestamp: '2026-01-01T00:00:00Z',
    },
  } as unknown as KubeObject;
  if (kind === undefined) throw new Error('no such kind');
  // The server stores no other.
  if (schemaOf(kind.id).validate(target).length > 0) return;
  kind.validate(target);
  kind.unsupported(target);
  const now = Date.UTC(2026, 1, 1);
  const lists = {
    children: [],
    claims: [],
    configs: [],
    placement: [],
    podsOnNodes: [],
    runs: [],
    owners: [],
  };
  const needs = kind.needs(target, []);
  expect(Array.isArray(needs)).toBe(true);
  const snapshot = kind.workload.observe({
    ...lists,
    target,
    pods: [],
    revisions: [],
    takenNames: new Set(),
    disruptionBudgets: [],
    now,
  });
  if (snapshot.rollout.invalid.length === 0) snapshot.revise();
}

/** How many groups of draws are played, and how many draws each has: 100,000 where all is played. */
const [GROUPS, DRAWS] = isAll ? [50, 2_000] : isFull ? [2, 500] : [1, 60];

test.each(Array.from({ length: GROUPS }, (_, group) => group))(
  'no value of a field is an internal error, in git or in the runtime: group %d',
  (group) => {
    const random = randomOf(Number(process.env['KRUISE_TEST_SEED'] ?? 0) + group);
    const problems = new Map<string, string>();
    for (let n = 0; n < DRAWS; n++) {
      const object = mutant(random);
      for (const [where, play] of [
        ['git', () => inGit(object, n % 4 !== 0)],
        ['cluster', () => inCluster(object)],
      ] as const) {
        try {
          play();
        } catch (error) {
          const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
          const key = stack.split('\n').slice(0, 3).join('\n');
          if (!problems.has(key))
            problems.set(key, `${where}: ${stack.slice(0, 900)}\n${stringify(object).slice(0, 1500)}`);
        }
      }
    }
    expect([...problems.values()].slice(0, 8)).toEqual([]);
  },
  600_000,
);
