import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { createIntern } from '../../runtime/observe/intern.ts';
import { projectPod } from '../../semantics/pod/project.ts';
import { RECREATED_ANNOTATION, recreatedIn } from '../../semantics/pod/recreated.ts';
import { hasUnfinishedSidecarChange, SIDECAR_STATE_ANNOTATION } from '../../semantics/pod/sidecar-changes.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { markOf } from '../../semantics/run/run-record.ts';
import { offsetAt } from '../../semantics/advancedcronjob/schedule/offset.ts';
import { recordOf } from '../../semantics/sidecarset/pod-record.ts';
import { boundedCache, textWeight } from '../../semantics/values/bounded-cache.ts';
import { readPattern } from '../../semantics/values/pattern.ts';
import { trackedFiles } from '../house/files.ts';
import { emptyModuleMaps } from '../house/module-caches.ts';

const MIB = 2 ** 20;

/** Texts that differ, of one length. Each is of its own: no text is a part of another one. */
function texts(count: number, length: number, write: (text: string) => string = String): () => string[] {
  return () =>
    Array.from({ length: count }, (_, n) =>
      Buffer.from(write(String(n).padStart(length, 'x'))).toString('latin1'),
    );
}

function pod(annotations: Record<string, string>): Pod {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', annotations }, spec: { containers: [] } };
}

const parts = (text: string): string =>
  JSON.stringify({ set: { lastContainerStatuses: { main: { imageID: text } } } });
const empty = (text: string): string => `{"set":{"hash":"${text}"},"more":[${'{},'.repeat(1_000)}{}]}`;
const intern = createIntern();

/** How each cache by texts of users is fed: its file, and with what. */
const feeds: readonly {
  file: string;
  what: string;
  /** MiB that it may keep of them. */
  most: number;
  texts: () => string[];
  feed: (text: string) => unknown;
}[] = [
  {
    file: 'runtime/observe/intern.ts',
    what: 'long annotations',
    most: 8,
    texts: texts(150, 200_000),
    feed: (text) => projectPod(pod({ [SIDECAR_STATE_ANNOTATION]: text }), intern),
  },
  {
    file: 'runtime/observe/intern.ts',
    what: 'names of images',
    most: 24,
    texts: texts(10_000, 4_000),
    feed: (text) => projectPod({ ...pod({}), spec: { containers: [{ name: 'main', image: text }] } }, intern),
  },
  {
    file: 'semantics/pod/recreated.ts',
    what: 'records of restarts',
    most: 2,
    texts: texts(400, 60_000, (text) => JSON.stringify({ main: { image: text } })),
    feed: (text) => recreatedIn(pod({ [RECREATED_ANNOTATION]: text })),
  },
  {
    file: 'semantics/pod/sidecar-changes.ts',
    what: 'long records',
    most: 8,
    texts: texts(150, 200_000, parts),
    feed: (text) => hasUnfinishedSidecarChange(pod({ [SIDECAR_STATE_ANNOTATION]: text })),
  },
  {
    file: 'semantics/sidecarset/pod-record.ts',
    what: 'long records',
    most: 8,
    texts: texts(150, 200_000, parts),
    feed: recorded,
  },
  {
    file: 'semantics/sidecarset/pod-record.ts',
    what: 'records of many empty objects',
    most: 12,
    texts: texts(2_000, 10, empty),
    feed: recorded,
  },
  {
    file: 'semantics/values/pattern.ts',
    what: 'long patterns',
    most: 8,
    texts: texts(100, 200_000, (text) => `**${text}`),
    feed: readPattern,
  },
  {
    file: 'semantics/values/pattern.ts',
    what: 'short patterns of many instructions',
    most: 20,
    texts: texts(300, 10, (text) => `(${text}|a{300})`),
    feed: (text) => {
      const read = readPattern(text);
      return 'test' in read && read.test('aaab');
    },
  },
  {
    file: 'semantics/run/run-record.ts',
    what: 'names of nodes',
    most: 16,
    texts: texts(60_000, 253),
    feed: markOf,
  },
  {
    file: 'semantics/advancedcronjob/schedule/offset.ts',
    what: 'zones in any case',
    most: 40,
    texts: zones,
    feed: offset,
  },
];

function recorded(text: string): unknown {
  return recordOf(
    pod({ 'kruise.io/sidecarset-injected-list': 'set', 'kruise.io/sidecarset-hash': text }),
    'set',
  );
}

function zones(): string[] {
  const name = 'us/pacific';
  return Array.from({ length: 2 ** 10 }, (_, n) =>
    [...name].map((each, at) => ((n >> at) & 1 ? each.toUpperCase() : each)).join(''),
  );
}

function offset(zone: string): number {
  return offsetAt(zone, 0);
}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function heap(): number {
  // The shapes of parsed objects stay for two collections, with the names of their fields.
  for (let n = 0; n < 3; n += 1) collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Those that no user fills. */
const allowed = [
  // Two listeners.
  'cli/machine/output-guard.ts:lossListeners',
  // By the schemas of this program.
  'compiler/validate/known-fields.ts:versioned',
  // By weak references: the keys of live objects.
  'runtime/observe/target-key.ts:known',
];

describe('security: every cache by texts of users is bounded in bytes', () => {
  test.each(feeds)('$file keeps less than $most MiB of $what', ({ texts: made, feed, most }) => {
    const before = heap();
    for (const text of made()) feed(text);
    expect((heap() - before) / MIB).toBeLessThan(most);
  });

  test('no cache is left out of the list above', () => {
    const callers = sources().filter((path) => /\bboundedCache[<(]/.test(readFileSync(path, 'utf8')));
    const fed = new Set(feeds.map(({ file }) => file));
    expect(callers.filter((path) => path !== 'semantics/values/bounded-cache.ts')).toEqual([...fed].sort());
  });

  test('no module keeps a Map or Set without a bound', () => {
    const found = sources().flatMap((path) => {
      const text = readFileSync(path, 'utf8');
      return /new (?:Map|Set)/.test(text) ? emptyModuleMaps(path, text).map((each) => `${path}:${each}`) : [];
    });
    expect(found.filter((each) => !allowed.includes(each.replace(/\d+: /, '')))).toEqual([]);
  });

  test.each([
    ['const known = new Map<string, string>();', ['1: known']],
    ['\nexport const known = new Set();', ['2: known']],
    ["const table = new Map([['a', 1]]);", []],
    ['const NONE: ReadonlySet<string> = new Set();', []],
    ['const read = new WeakMap<object, string>();', []],
    ['const make = () => new Map();', []],
  ])('of a module with %j (control)', (text, found) => {
    expect(emptyModuleMaps('control.ts', text)).toEqual(found);
  });
});

describe('a bounded cache', () => {
  const cacheOf = (bytes: number): ReturnType<typeof boundedCache<object>> =>
    boundedCache<object>({ bytes, weigh: textWeight });

  test('makes a value once, undefined included', () => {
    let made = 0;
    const cache = boundedCache<undefined>({ bytes: MIB, weigh: textWeight });
    for (const text of ['a', 'b', 'a', 'b']) expect(cache.of(text, () => void made++)).toBeUndefined();
    expect(made).toBe(2);
  });

  test('drops what was not used while half of it filled once more', () => {
    const cache = cacheOf(64 * 130 * 2);
    const first = cache.of('a', () => ({}));
    for (let n = 0; n < 100; n += 1) cache.of(String(n), () => ({}));
    expect(cache.of('a', () => ({}))).toBe(first);
    for (let n = 0; n < 200; n += 1) cache.of(`${n}:`, () => ({}));
    expect(cache.of('a', () => ({}))).not.toBe(first);
  });

  test('does not keep a text that would take a sixty-fourth of it', () => {
    const cache = cacheOf(MIB);
    const long = 'x'.repeat(MIB / 128);
    expect(cache.of(long, () => ({}))).not.toBe(cache.of(long, () => ({})));
  });
});

function sources(): string[] {
  // The sandbox is a tool for tests: it is installed nowhere that tenants reach.
  return trackedFiles().filter(
    (path) => /^(?:cli|compiler|runtime|schemas|semantics)\/.*\.ts$/.test(path) && !path.endsWith('.d.ts'),
  );
}
