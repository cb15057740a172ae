/**
 * What the compiler reads from the machine. It has no other input or output.
 * Paths are absolute or relative to `cwd`; the separator is always `/`.
 */
export interface CompilerHost {
  readonly cwd: string;
  /**
   * Returns the bytes of a file. Throws a `HostError` when it cannot be read. With `most`, it opens regular files only and
   * throws a `TooMuch` when the file has more bytes, so a pipe, a device or a growing file cannot block the caller.
   */
  readFile(path: string, most?: number): Uint8Array;
  /**
   * Lists a folder in any order, with links resolved. Throws a `HostError` when the folder cannot be read and, with `most`,
   * a `TooMuch` when it has more entries. `real` is the path with every link resolved, if the caller knows it.
   */
  list(path: string, most?: number, real?: string): Entry[];
  /** The kind and real path of the entry at a path, with links resolved; undefined when there is none. */
  inspect(path: string): Omit<Entry, 'name'> | undefined;
  /** How a path is shown that no file of the machine has; undefined: as it is. Default: every path as it is. */
  shown?(path: string): string | undefined;
  /** Whether a program can be started by its name. Messages suggest it then. Undefined: not known. */
  hasProgram?(name: string): boolean;
}

export interface Entry {
  name: string;
  /** `dangling` is a link whose target does not exist, or a loop of links. */
  kind: 'file' | 'folder' | 'other' | 'dangling';
  /** The path with every link resolved. It identifies the entry, which detects loops and links out of the root. */
  real: string;
}

/** A file to write, or to remove if `text` is undefined. */
export interface FileChange {
  path: string;
  text: string | undefined;
}

/** A failure that the user can fix, such as a missing file or permission. Never a bug of this program. */
export class HostError extends Error {
  readonly reason: string;
  constructor(reason: string) {
    super(reason);
    this.name = 'HostError';
    this.reason = reason;
  }
}

/** The file or folder is larger than the limit of the caller. */
export class TooMuch extends HostError {
  constructor(reason: string) {
    super(reason);
    this.name = 'TooMuch';
  }
}
