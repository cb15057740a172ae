import type { CompilerHost, FileChange } from '../compiler/host.ts';
import type { Clock } from '../schemas/wire/clock.ts';
import type { Cluster } from '../schemas/wire/cluster.ts';

/** What the command line reads from and writes to the machine: files, the environment, the terminal and a cluster. */
export interface Host extends CompilerHost {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdoutIsTTY: boolean;
  /**
   * Writes all files or none: writes each to a temporary name, and renames them once all are on disk. `text: undefined`
   * removes the file and the folders that this empties, after all else. Creates missing folders. Refuses a file outside of the folder `inside`, with links resolved. Throws a
   * `HostError`.
   */
  write(files: readonly FileChange[], inside: string): void;
  /** Prints whole lines. Of escape sequences only colors reach a terminal. */
  stdout(text: string): void;
  stderr(text: string): void;
  /**
   * Shows what a run is doing, until something else is shown or printed: on a terminal, once it has taken a while. The text has nothing
   * in it that others wrote.
   */
  progress?(text: () => string): void;
  /** Prints to standard output with sequences that move the cursor, to update lines in place. Default: `stdout`. */
  draw?(text: string): void;
  /** Asks the user a question with the answers yes and no; undefined if there is no terminal. */
  confirm?(question: string): Promise<boolean>;
  /**
   * Reads standard input, or a file of any type such as a pipe, to its end. Throws a `HostError`, and a `TooMuch` beyond `most`
   * bytes. Undefined if the host has neither.
   */
  readStream?(path: string | undefined, most: number): Uint8Array;
  /** The cluster of commands that connect to one. Default: the cluster of the kubeconfig. */
  readonly cluster?: Cluster;
  /** The clock of commands that wait. Default: the clock of the machine. */
  readonly clock?: Clock;
  /** Columns and rows of the terminal as they are now; undefined if standard output is none. */
  screen?(): { columns: number; rows: number } | undefined;
  /**
   * Runs git in a folder with `input` on its standard input. Executes nothing that the repository configures. It does not see
   * the variables `hidden`. Throws a `HostError` if there is no git. Undefined if the host has no repositories.
   */
  git?(folder: string, args: readonly string[], input?: string, hidden?: readonly string[]): GitResult;
  /** Runs the commands of `roots` in kruise.yaml. Undefined if the host runs none. */
  readonly renderer?: Renderer;
  /** The machine of long-running commands. Default: the one on which the process runs. */
  readonly machine?: Machine;
}

/** The exit code and the output of a run of git. */
export interface GitResult {
  code: number;
  stdout: Uint8Array;
  stderr: string;
}

/** A file of a state in git. The bytes of a link are its target. */
export interface TreeFile {
  /** Relative to the root of the state. */
  path: string;
  kind: 'file' | 'program' | 'link';
  bytes: Uint8Array;
}

/** What rendering needs of the machine. */
export interface Renderer {
  /** Writes files into a new folder that only this user may read. Throws a `HostError`. */
  unpack(files: Iterable<TreeFile>): { folder: string; remove(): void };
  /** Runs a program without a shell and without input, and kills it at the limits. Throws a `HostError`. */
  run(
    folder: string,
    command: readonly string[],
    limits: { timeoutMs: number; mostBytes: number },
  ): RenderResult;
}

/** How a command ended, and what it printed until then. */
export interface RenderResult {
  /** The exit code, or the name of the signal, or why there is neither. */
  end: number | string;
  stdout: Uint8Array;
  stderr: string;
}

/** What long-running commands need besides. Paths are absolute; every method but `onSignal` may throw a `HostError`. */
export interface Machine {
  readonly pid: number;
  /** Whether a process with that ID exists. */
  isAlive(pid: number): boolean;
  /** An unpredictable 32-bit value. */
  random(): number;
  /** Lets the process collect garbage when its heap has grown by half, where Node.js lets a heap grow fourfold. */
  collectEarly(): void;
  /**
   * Calls the listener at the first SIGINT, SIGTERM or SIGHUP instead of ending the process; the second signal ends it.
   * Also calls it, possibly several times, when the output is lost.
   */
  onSignal(listener: () => void): () => void;
  /** Creates a file that only its owner may read, in one atomic step. False if the path exists. */
  createPrivate(path: string, text: string): boolean;
  /** The same, but replaces what exists. */
  replacePrivate(path: string, text: string): void;
  /** Moves a file; false if `from` does not exist. */
  move(from: string, to: string): boolean;
  remove(path: string): void;
  /** Opens a file that only its owner may read, to append to it. The first write creates it. */
  open(path: string): OpenFile;
}

/** A file opened for appending. When `append` and `replace` return, the operating system has the data. */
export interface OpenFile {
  read(): Uint8Array | undefined;
  /** Throws if not everything could be appended; the file is then unchanged. */
  append(text: string): void;
  cut(end: number): void;
  replace(lines: Iterable<string>): void;
  close(): void;
}
