import { HostError, TooMuch } from '../../../compiler/host.ts';
import type { Entry, FileChange } from '../../../compiler/host.ts';
import type { Host } from '../../../cli/host.ts';
import type { Cluster } from '../../../schemas/wire/cluster.ts';

export interface MemoryHost extends Host {
  files: Map<string, string | Uint8Array>;
  out: string;
  err: string;
}

export interface MemoryOptions {
  cwd?: string;
  env?: Record<string, string>;
  /** Links by path, with their targets. */
  links?: Record<string, string>;
  /** Paths that may not be read or written. */
  locked?: readonly string[];
  /** Whether folders are listed in reverse order. */
  reversed?: boolean;
  tty?: boolean;
  cluster?: Cluster;
  /** What is on standard input. Default: there is none. */
  stdin?: string;
}

/** A machine in memory. Paths are absolute or relative to `cwd`. */
export function memoryHost(
  files: Record<string, string | Uint8Array>,
  options: MemoryOptions = {},
): MemoryHost {
  const { cwd = '/repo', env = {}, links = {}, locked = [], reversed = false, tty = false } = options;
  const absolute = (path: string): string => (path.startsWith('/') ? path : `${cwd}/${path}`);
  const stored = new Map(Object.entries(files).map(([path, text]) => [absolute(path), text] as const));
  const linked = Object.entries(links).map(([from, to]) => [absolute(from), absolute(to)] as const);

  function real(path: string): string {
    let current = path;
    for (let hops = 0; hops < 20; hops++) {
      const link = linked.find(([from]) => current === from || current.startsWith(`${from}/`));
      if (link === undefined) return current;
      current = link[1] + current.slice(link[0].length);
    }
    throw new HostError('its links form a loop');
  }

  function inspect(path: string): Omit<Entry, 'name'> | undefined {
    const at = real(path);
    if (stored.has(at)) return { kind: 'file', real: at };
    const folder = at === '/' || [...stored.keys()].some((file) => file.startsWith(`${at}/`));
    return folder ? { kind: 'folder', real: at } : undefined;
  }

  function names(folder: string): Set<string> {
    const at = real(folder);
    const below = at === '/' ? '/' : `${at}/`;
    const paths = [...stored.keys(), ...linked.map(([from]) => from)];
    return new Set(
      paths
        .filter((path) => path.startsWith(below))
        .map((path) => path.slice(below.length).split('/')[0] ?? ''),
    );
  }

  const host: MemoryHost = {
    cwd,
    env,
    stdoutIsTTY: tty,
    ...(options.cluster === undefined ? {} : { cluster: options.cluster }),
    ...(options.stdin === undefined
      ? {}
      : {
          readStream(path: string | undefined, most: number) {
            const bytes = path === undefined ? new TextEncoder().encode(options.stdin) : host.readFile(path);
            if (bytes.length > most) throw new TooMuch(`it is larger than ${most} bytes`);
            return bytes;
          },
        }),
    files: stored,
    out: '',
    err: '',
    readFile(path) {
      const at = real(path);
      const content = stored.get(at);
      if (locked.map(absolute).includes(at)) throw new HostError('permission denied');
      if (content === undefined) throw new HostError('it does not exist');
      return typeof content === 'string' ? new TextEncoder().encode(content) : content;
    },
    list(path) {
      if (locked.map(absolute).includes(path)) throw new HostError('permission denied');
      const entries = [...names(path)].map((name): Entry => {
        const at = `${path === '/' ? '' : path}/${name}`;
        return { name, ...(inspect(at) ?? { kind: 'dangling', real: at }) };
      });
      return reversed ? entries.reverse() : entries;
    },
    inspect,
    write(changes: readonly FileChange[]) {
      if (changes.some(({ path }) => locked.some((lock) => path.startsWith(absolute(lock))))) {
        throw new HostError('permission denied');
      }
      for (const { path, text } of changes) {
        if (text === undefined) stored.delete(path);
        else stored.set(path, text);
      }
    },
    stdout(text) {
      host.out += text;
    },
    stderr(text) {
      host.err += text;
    },
  };
  return host;
}
