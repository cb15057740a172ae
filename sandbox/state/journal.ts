import { ApiError } from '../../schemas/wire/cluster.ts';
import type { Commit } from '../store/history.ts';
import type { State } from '../store/store.ts';
import { readState, recordOf, snapshotOf, type Unreadable } from './format.ts';

/** A file as the state needs it; whoever starts the process brings one. Every method throws when it cannot be done. */
export interface StateFile {
  /** Undefined where there is none. */
  read(): Uint8Array | undefined;
  /** Adds to the end. The operating system has it when this returns; when it throws, nothing was added. */
  append(text: string): void;
  /** Cuts off what is behind `end` bytes. */
  cut(end: number): void;
  /** Puts these lines in the place of the whole content, or leaves it as it was. They are on the disk when this returns. */
  replace(lines: Iterable<string>): void;
}

export interface JournalOptions {
  file: StateFile;
  /** Told once when a commit could not be kept: every later one is refused as well. */
  onFailure?(error: unknown): void;
  /** How many characters of commits there may be before the state is written anew, at least. Default 8 Mi. */
  compactAfter?: number;
}

/** Keeps the commits of a world, so that one that is started later can go on there. */
export interface Journal {
  /** Where to go on; undefined when there is nothing yet. */
  restored: State | undefined;
  /** For `createWorld`: from `begin` on, a commit is in the file before it counts. */
  persist(commit: Commit, before: () => State): void;
  /** Writes what there is by now; before, nothing was, so the file never holds a world that was only half made. */
  start(state: State): void;
  /** Writes the state anew, and nothing after it. */
  close(state: State): void;
}

function* counted(lines: Iterable<string>, count: (line: string) => void): Iterable<string> {
  for (const line of lines) {
    count(line);
    yield line;
  }
}

const COMPACT_AFTER = 8 * 1024 * 1024;

/** Opens a state; what cannot be gone on from is told, and left as it is. */
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
