import type { Clock } from '../schemas/wire/clock.ts';
import type { Cluster } from '../schemas/wire/cluster.ts';

/**
 * What the compiler may ask of the machine. Everything else in this room is plain data in, plain data out.
 * Paths are absolute or relative to `cwd`; a separator is always `/`.
 */
export interface Host {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdoutIsTTY: boolean;
  /**
   * The bytes of a file. Throws a `HostError` when it cannot be read. With `most`, only a regular file is opened, and one of
   * more bytes ends in a `TooMuch`: neither a pipe, a device nor a file that grows can stall the caller.
   */
  readFile(path: string, most?: number): Uint8Array;
  /**
   * Names in a folder with links followed, in any order. Throws a `HostError` when it cannot be read; with `most`, a `TooMuch`
   * when there are more names.
   */
  list(path: string, most?: number): Entry[];
  /** What stands at a path, links followed; undefined when nothing does. */
  inspect(path: string): Omit<Entry, 'name'> | undefined;
  /**
   * Writes all files or none: each goes to a temporary name first, and only when all of them are on disk are they
   * renamed. `text: undefined` removes the file. Missing folders are made. A file that would lie outside of the folder
   * `inside`, links followed, is refused. Throws a `HostError`.
   */
  write(files: readonly FileChange[], inside: string): void;
  /** Whole lines. Of escape sequences only colors reach a screen. */
  stdout(text: string): void;
  stderr(text: string): void;
  /** Standard output for a picture that is drawn anew in its place: sequences that move the cursor pass. Default: `stdout`. */
  draw?(text: string): void;
  /** The cluster at hand, for the commands that speak to one; default: what a kubeconfig leads to. */
  readonly cluster?: Cluster;
  /** For the commands that wait; default: the clock of the machine. */
  readonly clock?: Clock;
  /** Columns and rows of the terminal, as they are now; undefined where standard output is none. */
  screen?(): { columns: number; rows: number } | undefined;
  /** For the command that stays up; default: the machine the process runs on. */
  readonly machine?: Machine;
}

/** What a command that stays up asks for besides. Paths are absolute; every method but `onSignal` may throw a `HostError`. */
export interface Machine {
  readonly pid: number;
  /** Whether there is a process of that id. */
  isAlive(pid: number): boolean;
  /** A 32-bit value that nobody can guess. */
  random(): number;
  /**
   * Calls the listener at the first SIGINT, SIGTERM or SIGHUP instead of ending the process; the second one ends it. It is
   * also called, and more than once, when the output is lost.
   */
  onSignal(listener: () => void): () => void;
  /** Makes a file that only its owner may read, whole from its first moment. False when something stands there. */
  createPrivate(path: string, text: string): boolean;
  /** The same in the place of what stands there. */
  replacePrivate(path: string, text: string): void;
  /** Moves what stands at `from`; false when nothing does. */
  move(from: string, to: string): boolean;
  remove(path: string): void;
  /** Opens a file that only its owner may read for adding to it; made when it is first written to. */
  open(path: string): OpenFile;
}

/** A file that is added to. What `append` and `replace` wrote is with the operating system when they return. */
export interface OpenFile {
  read(): Uint8Array | undefined;
  /** Throws when not all could be added; nothing was, then. */
  append(text: string): void;
  cut(end: number): void;
  replace(lines: Iterable<string>): void;
  close(): void;
}

export interface Entry {
  name: string;
  /** `dangling` is a link that leads nowhere, or in a circle. */
  kind: 'file' | 'folder' | 'other' | 'dangling';
  /** The path with every link resolved: the identity that tells a loop and an escape. */
  real: string;
}

export interface FileChange {
  path: string;
  text: string | undefined;
}

/** A refusal of the machine that is the user's to mend (no such file, no permission), never our bug. */
export class HostError extends Error {
  readonly reason: string;
  constructor(reason: string) {
    super(reason);
    this.name = 'HostError';
    this.reason = reason;
  }
}

/** There is more at a path than the caller takes. */
export class TooMuch extends HostError {
  constructor(reason: string) {
    super(reason);
    this.name = 'TooMuch';
  }
}
