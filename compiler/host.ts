/**
 * What the compiler may ask of the machine: to read. Everything else in this room is plain data in, plain data out.
 * Paths are absolute or relative to `cwd`; a separator is always `/`.
 */
export interface CompilerHost {
  readonly cwd: string;
  /**
   * The bytes of a file. Throws a `HostError` when it cannot be read. With `most`, only a regular file is opened, and one of
   * more bytes ends in a `TooMuch`: neither a pipe, a device nor a file that grows can stall the caller.
   */
  readFile(path: string, most?: number): Uint8Array;
  /**
   * Names in a folder with links followed, in any order. Throws a `HostError` when it cannot be read; with `most`, a `TooMuch`
   * when there are more names. A caller that knows the path with every link resolved gives it as `real`.
   */
  list(path: string, most?: number, real?: string): Entry[];
  /** What stands at a path, links followed; undefined when nothing does. */
  inspect(path: string): Omit<Entry, 'name'> | undefined;
}

export interface Entry {
  name: string;
  /** `dangling` is a link that leads nowhere, or in a circle. */
  kind: 'file' | 'folder' | 'other' | 'dangling';
  /** The path with every link resolved: the identity that tells a loop and an escape. */
  real: string;
}

/** A file to be written, or removed where `text` is undefined. */
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
