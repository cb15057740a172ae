import { stringify } from 'yaml';
import type { Json, JsonObject } from '../../../schemas/wire/json.ts';
import { randomOf } from '../../random.ts';
import { eachKind } from './each-kind.ts';

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

/** A manifest with one field, or two, of another value, and what it was made of. */
function mutant(random: Random): { object: JsonObject; origin: JsonObject } {
  const one = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const { manifest, paths } = one(places);
  let found: Json = manifest;
  for (let left = random() < 0.7 ? 1 : 2; left > 0; left--) {
    const path = one(paths);
    if (path.length > 1) found = replaced(found, path, one(VALUES));
  }
  return { object: found as JsonObject, origin: manifest };
}

/** Plays `play` with `draws` mutants; each kind of error once, with the mutant that led to it. */
export async function errorsOf(
  seed: number,
  draws: number,
  play: (object: JsonObject, origin: JsonObject, n: number) => Promise<void> | void,
): Promise<string[]> {
  const random = randomOf(seed);
  const problems = new Map<string, string>();
  for (let n = 0; n < draws; n++) {
    const { object, origin } = mutant(random);
    try {
      await play(object, origin, n);
    } catch (error) {
      const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
      const key = stack.split('\n').slice(0, 3).join('\n');
      if (!problems.has(key))
        problems.set(key, `${stack.slice(0, 900)}\n${stringify(object).slice(0, 1500)}`);
    }
  }
  return [...problems.values()].slice(0, 8);
}
