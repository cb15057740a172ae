import type { CompilerHost, FileChange } from '../compiler/host.ts';
import type { Clock } from '../schemas/wire/clock.ts';
import type { Cluster } from '../schemas/wire/cluster.ts';

/** What the command line may ask of the machine: what the compiler reads, and besides to write, to print and to reach a cluster. */
export interface Host extends CompilerHost {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdoutIsTTY: boolean;
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
  /** Asks a person a question that is answered with yes or no; left out where nobody can answer. */
  confirm?(question: string): Promise<boolean>;
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
