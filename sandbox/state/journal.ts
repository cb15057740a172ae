import { ApiError } from '../../schemas/wire/cluster.ts';
import type { Commit } from '../store/history.ts';
import type { State } from '../store/store.ts';
import { readState, recordOf, snapshotOf, type Unreadable } from './format.ts';

/** The file access that a journal needs. Every method throws on failure. */
export interface StateFile {
  /** Undefined if the file does not exist. */
  read(): Uint8Array | undefined;
  /** Appends. The operating system has the data when this returns; if it throws, nothing was appended. */
  append(text: string): void;
  /** Truncates to `end` bytes. */
  cut(end: number): void;
  /** Atomically replaces the content. The data is synced to disk when this returns. */
  replace(lines: Iterable<string>): void;
}

export interface JournalOptions {
  file: StateFile;
  /** Called once when a commit could not be written; all later commits are rejected. */
  onFailure?(error: unknown): void;
  /** The minimum size of commits, in characters, before the file is compacted. Default 8 Mi. */
  compactAfter?: number;
}

/** Persists the commits of a world, so that a later world can restore it. */
export interface Journal {
  /** The state to restore; undefined for a new file. */
  restored: State | undefined;
  /** For `createWorld`: after `start`, every commit is written before it takes effect. */
  persist(commit: Commit, before: () => State): void;
  /**
   * Writes the full initial state; before that nothing is written, so the file never contains a partially created
   * world.
   */
  start(state: State): void;
  /** Writes the full state and ends the journal. */
  close(state: State): void;
}

function* counted(lines: Iterable<string>, count: (line: string) => void): Iterable<string> {
  for (const line of lines) {
    count(line);
    yield line;
  }
}

const COMPACT_AFTER = 8 * 1024 * 1024;

/** Opens a state file; unusable files are reported and not modified. */
export function openJournal(options: JournalOptions): Journal | Unreadable {
  const { file, compactAfter = COMPACT_AFTER } = options;
  const bytes = file.read();
  const isNew = bytes === undefined || bytes.length === 0;
  const found = isNew ? undefined : readState(bytes);
  if (found !== undefined && 'reason' in found) return found;
  if (found !== undefined && bytes !== undefined && found.end < bytes.length) file.cut(found.end);

  let open = false;
  let broken: unknown;
  let early = '';
  let base = found === undefined ? 0 : found.end;
  let added = 0;

  function replace(state: State): void {
    let length = 0;
    file.replace(counted(snapshotOf(state), (line) => (length += line.length)));
    base = length;
    added = 0;
  }

  return {
    restored: found?.state,
    persist(commit, before) {
      if (!open) {
        if (!isNew) early += recordOf(commit);
        return;
      }
      if (broken === undefined) {
        try {
          if (added > Math.max(compactAfter, base)) replace(before());
          const line = recordOf(commit);
          file.append(line);
          added += line.length;
          return;
        } catch (error) {
          broken = error;
          options.onFailure?.(error);
        }
      }
      const reason = broken instanceof Error ? broken.message : String(broken);
      const message = `Internal error occurred: the state file cannot be written: ${reason}`;
      throw new ApiError({ code: 500, reason: 'InternalError', message });
    },
    start(state) {
      if (isNew) replace(state);
      else if (early !== '') file.append(early);
      added += early.length;
      early = '';
      open = true;
    },
    close(state) {
      if (open && broken === undefined) replace(state);
      open = false;
    },
  };
}
