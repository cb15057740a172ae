import { crc32 } from 'node:zlib';
import { describe, expect, it, test } from 'vitest';
import { createVirtualClock } from '../clock/virtual.ts';
import { openJournal, type Journal, type StateFile } from '../state/journal.ts';
import { readState } from '../state/format.ts';
import { createWorld, type World } from '../world.ts';
import { ApiError } from '../../schemas/wire/cluster.ts';
import { configMap, configMaps } from './world.ts';

const START = Date.UTC(2026, 0, 1);

/** A file in memory. `room` is the number of bytes that can be appended. */
function memoryFile(content?: string): StateFile & { content: string | undefined; room: number } {
  const file: ReturnType<typeof memoryFile> = {
    content,
    room: Number.MAX_SAFE_INTEGER,
    read: () => (file.content === undefined ? undefined : Buffer.from(file.content)),
    append(text) {
      if (text.length > file.room) throw new Error('no space is left');
      file.room -= text.length;
      file.content = (file.content ?? '') + text;
    },
    cut(end) {
      file.content = Buffer.from(file.content ?? '')
        .subarray(0, end)
        .toString();
    },
    replace(lines) {
      file.content = [...lines].join('');
    },
  };
  return file;
}

interface Run {
  world: World;
  journal: Journal;
  clock: ReturnType<typeof createVirtualClock>;
}

function opened(file: StateFile, options: { compactAfter?: number } = {}): Journal {
  const journal = openJournal({ file, ...options });
  if ('reason' in journal) throw new Error(`${journal.reason}: ${journal.detail}`);
  return journal;
}

/** A world with a state file, like `kruise sandbox --state`. */
function run(
  file: StateFile,
  options: { seed?: number; compactAfter?: number; now?: number; nodes?: number; crds?: [] } = {},
): Run {
  const { seed = 1, now = START, nodes = 1, crds } = options;
  const journal = opened(file, options);
  const clock = createVirtualClock(Math.max(now, journal.restored?.time ?? 0));
  const world = createWorld({
    clock,
    seed,
    nodes,
    restored: journal.restored,
    persist: journal.persist,
    ...(crds === undefined ? {} : { crds }),
  });
  journal.start(world.state());
  return { world, journal, clock };
}

function create(world: World, name: string): string {
  const made = world.server.create('alice', configMaps, configMap(name));
  return made.metadata.resourceVersion ?? '';
}

function names(world: World): string[] {
  return world.server
    .list('alice', configMaps, { namespace: 'default' })
    .items.map((each) => each.metadata.name);
}

describe('a world that is started on the state of another', () => {
  it('has its objects, and continues with its revision, without a clean shutdown', () => {
    const file = memoryFile();
    const first = run(file);
    const revision = create(first.world, 'a');
    first.world.server.patch(
      'alice',
      configMaps,
      { namespace: 'default', name: 'a' },
      { type: 'merge', body: { data: { key: 'value' } } },
    );
    create(first.world, 'b');
    first.world.server.delete('alice', configMaps, { namespace: 'default', name: 'b' });
    const before = first.world.state();
    // No `close`: simulates a kill.
    const second = run(file, { seed: 2 });
    expect(second.world.state()).toEqual(before);
    expect(before.revision).toBe(Number(revision) + 3);
    expect(Number(create(second.world, 'c'))).toBe(before.revision + 1);
    expect(names(second.world)).toEqual(['a', 'c']);
  });

  it('has its objects after a clean end, and the same file', () => {
    const file = memoryFile();
    const first = run(file);
    create(first.world, 'a');
    const before = first.world.state();
    first.journal.close(before);
    const kept = file.content;
    const second = run(file, { seed: 2 });
    expect(second.world.state()).toEqual(before);
    expect(file.content).toBe(kept);
  });

  it('answers watches and lists from before with 410, and from the last revision on', async () => {
    const file = memoryFile();
    const first = run(file);
    const old = create(first.world, 'a');
    create(first.world, 'b');
    const last = String(first.world.state().revision);
    const page = first.world.server.list('alice', configMaps, { namespace: 'default', limit: 1 });
    create(first.world, 'c');
    const { world, clock } = run(file, { seed: 2 });
    const sink = { onEvent: () => {}, onEnd: () => {} };
    const from = (resourceVersion: string) => () =>
      world.server.watch('alice', configMaps, { resourceVersion }, sink);
    expect(from(old)).toThrow(/too old resource version/);
    expect(from(last)).toThrow(/too old resource version/);
    expect(from(String(world.state().revision))).not.toThrow();
    expect(() =>
      world.server.list('alice', configMaps, {
        namespace: 'default',
        limit: 1,
        continue: page.metadata.continue ?? '',
      }),
    ).toThrow(/too old/);
    world.stop();
    await clock.settle();
  });

  it('serves the custom kinds that it was given, and keeps its nodes whatever their number', () => {
    const file = memoryFile();
    const first = run(file, { nodes: 2 });
    const definition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'things.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Cluster',
        names: { kind: 'Thing', plural: 'things', singular: 'thing', listKind: 'ThingList' },
        versions: [
          { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
        ],
      },
    };
    const definitions = { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' };
    first.world.server.create('alice', definitions, definition);
    const { world } = run(file, { seed: 2, nodes: 7 });
    const things = { group: 'example.com', version: 'v1', plural: 'things' };
    const thing = { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'one' } };
    expect(world.server.create('alice', things, thing).metadata.name).toBe('one');
    const nodes = world.server.list('alice', { group: '', version: 'v1', plural: 'nodes' });
    expect(nodes.items.map((each) => each.metadata.name)).toEqual(['node-1', 'node-2']);
  });

  it('lets time never go back', () => {
    const file = memoryFile();
    const ahead = START + 3_600_000;
    create(run(file, { now: ahead }).world, 'a');
    const { world } = run(file, { seed: 2, now: START });
    expect(world.server.now()).toBe(ahead);
  });

  it('continues work in progress: a terminating namespace is removed', async () => {
    const file = memoryFile();
    const first = run(file);
    const namespaces = { group: '', version: 'v1', plural: 'namespaces' };
    first.world.server.create('alice', namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'old' },
    });
    first.world.server.create('alice', configMaps, configMap('a', { namespace: 'old' }));
    first.world.server.delete('alice', namespaces, { name: 'old' });
    first.world.stop();
    const { world, clock } = run(file, { seed: 2 });
    await clock.advance(60_000);
    expect(world.server.list('alice', namespaces).items.map((each) => each.metadata.name)).not.toContain(
      'old',
    );
    world.stop();
  });
});

describe('a state file', () => {
  it('drops a last line that was torn, wherever it was', () => {
    const file = memoryFile();
    // Without definitions the file is short: it is read some hundred times.
    const { world } = run(file, { crds: [] });
    create(world, 'a');
    const whole = file.content?.length ?? 0;
    create(world, 'b');
    const text = file.content ?? '';
    for (let end = whole; end < text.length; end += 1) {
      const torn = memoryFile(text.slice(0, end));
      const next = run(torn, { seed: 2, crds: [] });
      expect(names(next.world)).toEqual(['a']);
      create(next.world, 'c');
      expect(names(run(torn, { seed: 3, crds: [] }).world)).toEqual(['a', 'c']);
    }
  });

  it('contains nothing of a partially created world', () => {
    const file = memoryFile();
    const journal = opened(file);
    createWorld({ clock: createVirtualClock(START), persist: journal.persist });
    expect(file.content).toBeUndefined();
    journal.close({ revision: 1, time: START, objects: [] });
    expect(file.content).toBeUndefined();
  });

  it('is compacted when it has grown, without deleted objects', () => {
    const file = memoryFile();
    const { world } = run(file, { compactAfter: 1_000 });
    create(world, 'kept');
    const lengths: number[] = [];
    for (let count = 0; count < 400; count += 1) {
      create(world, `name-${count}`);
      world.server.delete('alice', configMaps, { namespace: 'default', name: `name-${count}` });
      lengths.push(file.content?.length ?? 0);
    }
    expect(Math.max(...lengths)).toBeLessThan(3 * Math.min(...lengths));
    expect(names(run(file, { seed: 2 }).world)).toEqual(['kept']);
  });

  it('refuses a write that it cannot keep: nothing changed, every later one is refused, what was answered stays', () => {
    const file = memoryFile();
    const failures: unknown[] = [];
    const journal = openJournal({ file, onFailure: (error) => failures.push(error) });
    if ('reason' in journal) throw new Error(journal.detail);
    const world = createWorld({ clock: createVirtualClock(START), persist: journal.persist });
    journal.start(world.state());
    create(world, 'a');
    const before = world.state();
    file.room = 10;
    const refused = (): unknown => {
      try {
        return create(world, 'b');
      } catch (error) {
        return error instanceof ApiError ? error.status : error;
      }
    };
    const status = {
      code: 500,
      reason: 'InternalError',
      message: 'Internal error occurred: the state file cannot be written: no space is left',
    };
    expect(refused()).toEqual(status);
    file.room = Number.MAX_SAFE_INTEGER;
    expect(refused()).toEqual(status);
    expect(failures).toHaveLength(1);
    expect(world.state()).toEqual(before);
    journal.close(world.state());
    expect(run(file, { seed: 2 }).world.state()).toEqual(before);
  });

  const { content = '' } = (() => {
    const file = memoryFile();
    const { world } = run(file);
    for (const name of ['a', 'b', 'c']) create(world, name);
    return file;
  })();
  const lines = content.split('\n');
  const last = lines.length - 2;
  const node = lines.findIndex((line) => line.includes('node-1')) + 1;

  test.each([
    ['another text', 'apiVersion: v1\nkind: Config\n', 'foreign', 1, 'it does not begin as one'],
    ['a single word', 'hello', 'foreign', 1, 'it does not begin as one'],
    ['of another version', ofVersion(2), 'version', 1, 'it has version 2'],
    [
      'a damaged first line',
      changed('"revision"', '"revisiom"'),
      'damaged',
      1,
      'line 1: the checksum does not match',
    ],
    [
      'a damaged object',
      changed('node-1', 'node-9'),
      'damaged',
      node,
      `line ${node}: the checksum does not match`,
    ],
    ['a line that is gone', without(last - 1), 'damaged', last, `line ${last}: revision`],
    ['a line twice', twice(last - 1), 'damaged', last + 1, 'does not follow'],
    [
      'an end within what was written at once',
      lines.slice(0, 3).join('\n') + '\n',
      'damaged',
      4,
      'ends too early',
    ],
    ['a damaged last line', `${content.slice(0, -3)}#\n`, 'damaged', last + 1, 'the checksum does not match'],
  ])('is refused when it is %s', (_what, text, reason, line, detail) => {
    const file = memoryFile(text);
    const found = openJournal({ file });
    expect(found).toMatchObject({ reason, line });
    expect('reason' in found && found.detail).toContain(detail);
    expect(file.content).toBe(text);
  });

  it('is restored up to the damage if it is cut there, as the message suggests', () => {
    const damaged = readState(Buffer.from(twice(last - 1)));
    if (!('line' in damaged)) throw new Error('not damaged');
    const head = twice(last - 1)
      .split('\n')
      .slice(0, damaged.line - 1)
      .map((line) => `${line}\n`)
      .join('');
    expect(names(run(memoryFile(head), { seed: 2 }).world)).toEqual(['a', 'b']);
  });

  it('of no bytes is a new one', () => {
    const file = memoryFile('');
    expect(opened(file).restored).toBeUndefined();
  });

  function ofVersion(version: number): string {
    const header = (lines[0] ?? '').slice(9).replace('"version":1', `"version":${version}`);
    return [`${crc32(header).toString(16).padStart(8, '0')} ${header}`, ...lines.slice(1)].join('\n');
  }
  function changed(from: string, to: string): string {
    expect(content).toContain(from);
    return content.replace(from, to);
  }
  function without(index: number): string {
    return lines.toSpliced(index, 1).join('\n');
  }
  function twice(index: number): string {
    return lines.toSpliced(index, 0, lines[index] ?? '').join('\n');
  }
});
