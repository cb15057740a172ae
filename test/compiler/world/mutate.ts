import { parse, stringify } from 'yaml';
import { randomOf } from '../../random.ts';

type Random = () => number;

/** Values and pieces of text that readers of YAML, of Kubernetes or of a configuration trip over. */
const VALUES: readonly unknown[] = [
  ...[null, true, -1, 0, 0.5, 1e300, 2_147_483_648, 2 ** 53 + 2, [], {}, [null], [[]], { a: null }],
  ...['', 'yes', '010', '5%', '101%', '-1%', '33.3%', '1e3', '*', 'w*', '.*', '__proto__', 'constructor'],
  ...[
    'ENC[x]',
    '${X}',
    '{{ x }}',
    'CloneSet',
    'clonesets',
    'apps.kruise.io/v1alpha1',
    'v1',
    '10m',
    '1h1',
    '0s',
  ],
  ...['a'.repeat(300), 'ü\u202e\u001b[31m', '99999999999999999999h', '2147483648', 'warn', 'Revert'],
];

const PIECES: readonly string[] = [
  ...[
    '\t',
    '  ',
    '---\n',
    '...\n',
    '&a ',
    '*a',
    '!x ',
    '!!binary ',
    '{',
    '[',
    '}',
    ']',
    '"',
    "'",
    '|\n',
    '>-\n',
  ],
  ...['#', ': ', ':', '- ', '-', ', ', '<<: ', '? ', '%YAML 1.1\n', '\r\n', '\r', '\n', '\u0000', '\ud800'],
  ...[
    '\ufeff',
    '\u2028',
    '__proto__: 1\n',
    '<<<<<<< HEAD\n',
    '@',
    '`',
    '\\',
    '{{ .x }}',
    '~',
    '0x1f',
    '.inf',
  ],
];

function oneOf<Item>(random: Random, items: readonly Item[]): Item | undefined {
  return items[Math.floor(random() * items.length)];
}

function below(random: Random, limit: number): number {
  return Math.floor(random() * Math.max(limit, 1));
}

/** Changes characters or lines. */
function changeText(random: Random, text: string): string {
  const at = below(random, text.length + 1);
  const lines = text.split('\n');
  const line = below(random, lines.length);
  const current = lines[line] ?? '';
  switch (below(random, 7)) {
    case 0:
      return text.slice(0, at) + (oneOf(random, PIECES) ?? '') + text.slice(at + below(random, 3));
    case 1:
      return text.slice(0, at) + text.slice(at + 1 + below(random, 40));
    case 2:
      return text.slice(0, at);
    case 3:
      return lines.toSpliced(line, 1).join('\n');
    case 4:
      return lines.toSpliced(below(random, lines.length), 0, current).join('\n');
    case 5:
      return lines.with(line, ' '.repeat(1 + below(random, 3)) + current).join('\n');
    default:
      return lines.with(line, current.replace(/^ {1,2}/, '')).join('\n');
  }
}

/** Maps and lists of a value, itself included. */
function containersIn(value: unknown): (unknown[] | Record<string, unknown>)[] {
  if (typeof value !== 'object' || value === null) return [];
  const container = value as unknown[] | Record<string, unknown>;
  return [container, ...Object.values(container).flatMap(containersIn)];
}

/** Changes one entry of a map or list of the first document. */
function changeValue(random: Random, text: string): string {
  const [first = '', ...others] = text.split('---\n');
  const document = parse(first, { logLevel: 'silent' }) as unknown;
  const container = oneOf(random, containersIn(document));
  if (container === undefined) return changeText(random, text);
  const keys = Object.keys(container);
  const key = oneOf(random, keys) ?? 'a';
  const entries = container as Record<string, unknown>;
  const other = structuredClone(oneOf(random, containersIn(document)));
  switch (below(random, 5)) {
    case 0:
      if (Array.isArray(container)) container.splice(Number(key), 1);
      else delete entries[key];
      break;
    case 1:
      entries[Array.isArray(container) ? key : `${key}x`] = entries[key];
      break;
    case 2:
      entries[key] = [entries[key]];
      break;
    case 3:
      entries[key] = other;
      break;
    default:
      entries[key] = structuredClone(oneOf(random, VALUES));
  }
  return [stringify(document), ...others].join('---\n');
}

/** The mutant of a text that a number determines: one to three changes. */
export function mutantOf(text: string, number: number): string {
  const random = randomOf(number);
  let mutant = text;
  // Values first: afterwards it may be no YAML any more.
  if (random() < 0.6) mutant = changeValue(random, mutant);
  else mutant = changeText(random, mutant);
  while (random() < 0.3) mutant = changeText(random, mutant);
  return mutant;
}
