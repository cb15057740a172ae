import { HostError, TooMuch, type CompilerHost, type Entry } from '../../compiler/host.ts';
import { isInside, joinPath, shownPath } from '../../compiler/load/files.ts';
import { GitError } from './git-error.ts';
import type { TreeEntry } from './objects.ts';

/** Where the objects of a tree come from. */
export interface Blobs {
  read(ids: readonly string[]): ReadonlyMap<string, Uint8Array>;
  sizes(ids: readonly string[]): ReadonlyMap<string, number>;
}

type Node = TreeEntry | Map<string, Node>;

/** Manifests with plans, and forecasts: a repository holds much else. Files of one sort are read together. */
const LIKELY_READ = [/\.(ya?ml|json)$/i, /(^|\/)forecast\.md$/];

/** So much is read at once, bytes: a process for each file would take longer than all else. */
const BATCH_BYTES = 8 * 1024 ** 2;
/** Equal files are read once, as far as they are kept. */
const MOST_KNOWN_BYTES = 64 * 1024 ** 2;
/** No system follows a longer link, bytes. */
const LONGEST_LINK = 4096;
/** Links in links: the system gives up then, too. */
const MOST_LINKS = 40;

/**
 * A host that has the files of a git tree below the folder `at`, and is the given host elsewhere. Of the folder `at` itself
 * only `.git` is the given host's. Submodules are empty folders. Reading a file in conflict throws a `GitError`.
 */
export function treeHost(
  host: CompilerHost,
  at: string,
  entries: readonly TreeEntry[],
  blobs: Blobs,
): CompilerHost {
  const root = folderOf(entries);
  const lists = LIKELY_READ.map((name) => [
    ...new Set(entries.filter(({ path, kind }) => kind === 'file' && name.test(path)).map(({ id }) => id)),
  ]);
  const positions = new Map(lists.flatMap((ids) => ids.map((id, index) => [id, { ids, index }] as const)));
  const known = new Map<string, Uint8Array>();
  let knownBytes = 0;
  const sizes = new Map(entries.flatMap(({ id, size }) => (size === undefined ? [] : [[id, size] as const])));

  const isOwn = (path: string): boolean => isInside(path, at) && !isInside(path, joinPath(at, '.git'));

  function sizeOf(id: string): number {
    if (!sizes.has(id)) {
      const { ids = [] } = positions.get(id) ?? {};
      for (const [each, size] of blobs.sizes([id, ...ids])) sizes.set(each, size);
    }
    return sizes.get(id) ?? 0;
  }

  /** The blob; with it those that follow are read, because files are asked for in their order. */
  function blob(id: string): Uint8Array {
    const found = known.get(id);
    if (found !== undefined) return found;
    if (knownBytes > MOST_KNOWN_BYTES) {
      known.clear();
      knownBytes = 0;
    }
    const wanted: string[] = [];
    let bytes = 0;
    const place = positions.get(id);
    for (const each of place === undefined ? [id] : place.ids.slice(place.index)) {
      bytes += sizeOf(each);
      if (wanted.length > 0 && bytes > BATCH_BYTES) break;
      wanted.push(each);
    }
    for (const [each, content] of blobs.read(wanted.filter((wantedId) => !known.has(wantedId)))) {
      // A part of what git printed would keep all of it.
      known.set(each, content.slice());
      knownBytes += content.length;
    }
    return known.get(id) ?? new Uint8Array();
  }

  /** What stands at a path below `at`, links followed; a path instead where a link leads out of it. */
  function resolve(path: string, links = 0): { node: Node; real: string } | { out: string } | undefined {
    let node: Node = root;
    let real = at;
    const names = path.slice(at.length).split('/').filter(Boolean);
    for (const [index, name] of names.entries()) {
      if (!(node instanceof Map)) return undefined;
      const next: Node | undefined = node.get(name);
      if (next === undefined) return undefined;
      if (!(next instanceof Map) && next.kind === 'link') {
        if (links === MOST_LINKS || sizeOf(next.id) > LONGEST_LINK) return undefined;
        const target = joinPath(real, new TextDecoder().decode(blob(next.id)));
        const whole = joinPath(target, `./${names.slice(index + 1).join('/')}`);
        return isOwn(whole) ? resolve(whole, links + 1) : { out: whole };
      }
      node = next;
      real = joinPath(real, name);
    }
    return { node, real };
  }

  function inspect(path: string): Omit<Entry, 'name'> | undefined {
    const found = resolve(path);
    if (found === undefined) return undefined;
    // What is out there is not known; as a folder it may hold manifests.
    if ('out' in found) return { kind: 'folder', real: found.out };
    return { kind: kindOf(found.node), real: found.real };
  }

  function contentOf(path: string, most: number | undefined): Uint8Array {
    const found = resolve(path);
    if (found === undefined) throw new HostError('no such file');
    if ('out' in found) throw new HostError('it is a link out of the repository');
    const { node } = found;
    if (node instanceof Map || node.kind === 'submodule') throw new HostError('it is a folder');
    if (node.kind === 'unmerged')
      throw new GitError(`${node.path} is not merged`, 'resolve the conflict, and add the file');
    if (most !== undefined && sizeOf(node.id) > most) throw new TooMuch(`it is larger than ${most} bytes`);
    return blob(node.id);
  }

  function list(path: string, most: number | undefined): Entry[] {
    const found = resolve(path);
    if (found === undefined || 'out' in found || kindOf(found.node) !== 'folder')
      throw new HostError('no such folder');
    const { node, real } = found;
    if (!(node instanceof Map)) return [];
    if (most !== undefined && node.size > most) throw new TooMuch(`it has more than ${most} entries`);
    return [...node].map(([name, child]) => {
      const own = joinPath(real, name);
      if (child instanceof Map || child.kind !== 'link') return { name, kind: kindOf(child), real: own };
      return { name, ...(inspect(own) ?? { kind: 'dangling', real: own }) };
    });
  }

  // A folder `REVISION:` exists nowhere: git names what it has `REVISION:path`, from the root of the repository.
  const isRevision = at.endsWith(':');
  return {
    cwd: host.cwd,
    shown: (path) =>
      isRevision && path !== at && isOwn(path)
        ? `${shownPath(host, at)}${path.slice(at.length + 1)}`
        : host.shown?.(path),
    readFile: (path, most) => (isOwn(path) ? contentOf(path, most) : host.readFile(path, most)),
    list: (path, most, real) => (isOwn(path) ? list(path, most) : host.list(path, most, real)),
    inspect: (path) => (isOwn(path) ? inspect(path) : host.inspect(path)),
  };
}

function kindOf(node: Node): 'file' | 'folder' {
  return node instanceof Map || node.kind === 'submodule' ? 'folder' : 'file';
}

function folderOf(entries: readonly TreeEntry[]): Map<string, Node> {
  const root = new Map<string, Node>();
  for (const entry of entries) {
    const names = entry.path.split('/');
    const last = names.pop() ?? '';
    let folder = root;
    for (const name of names) {
      const next = folder.get(name);
      const below = next instanceof Map ? next : new Map<string, Node>();
      folder.set(name, below);
      folder = below;
    }
    folder.set(last, entry);
  }
  return root;
}
