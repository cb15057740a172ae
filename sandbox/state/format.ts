import { crc32 } from 'node:zlib';
import type { Commit } from '../store/history.ts';
import type { State } from '../store/store.ts';

/**
 * The state file: lines of JSON with checksums. The first line is a header with the number of objects; the commits
 * since then follow, one per line. Only the last line can be incomplete, because the file is replaced atomically
 * and then only appended to.
 */
const FORMAT = 'kruise sandbox state';
export const VERSION = 1;

const decoder = new TextDecoder();

interface Header {
  format: string;
  version: number;
  revision: number;
  time: number;
  objects: number;
}

type StoredRecord = State['objects'][number];

type Change = { revision: number; at: number; resource: string } & (
  | { object: StoredRecord['object'] }
  | { deleted: { namespace: string; name: string } }
);

/** Why a state file is unusable. */
export interface Unreadable {
  reason: 'foreign' | 'version' | 'damaged';
  /** `line 12: the checksum does not match`. */
  detail: string;
  /** The first invalid line. */
  line: number;
  /** The lines before it form a valid state. */
  isWholeBefore: boolean;
}

function lineOf(value: Header | StoredRecord | Change): string {
  const text = JSON.stringify(value);
  return `${crc32(text).toString(16).padStart(8, '0')} ${text}\n`;
}

/** The lines of a full state as an iterator, because the whole text would be large. */
export function* snapshotOf({ revision, time, objects }: State): Iterable<string> {
  yield lineOf({ format: FORMAT, version: VERSION, revision, time, objects: objects.length });
  for (const { resource, object } of objects) yield lineOf({ resource, object });
}

/** The line of one commit. */
export function recordOf({ revision, at, type, resource, object }: Commit): string {
  if (type !== 'DELETED') return lineOf({ revision, at, resource, object });
  const { namespace = '', name } = object.metadata;
  return lineOf({ revision, at, resource, deleted: { namespace, name } });
}

/** The value of a line; undefined if the checksum does not match. */
function valueOf(bytes: Uint8Array): unknown {
  const text = decoder.decode(bytes);
  const json = text.slice(9);
  if (text[8] !== ' ' || text.slice(0, 8) !== crc32(json).toString(16).padStart(8, '0')) return undefined;
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/**
 * Parses the output of `snapshotOf` and `recordOf`. An incomplete last line was never acknowledged and is ignored:
 * `end` is its offset.
 */
export function readState(bytes: Uint8Array): { state: State; end: number } | Unreadable {
  const lines = linesOf(bytes);
  const damaged = (line: number, what: string, isWholeBefore = false): Unreadable => ({
    reason: 'damaged',
    detail: `line ${line}: ${what}`,
    line,
    isWholeBefore,
  });
  const [first, ...rest] = lines.found;
  const header = first === undefined ? undefined : (valueOf(first) as Partial<Header> | undefined);
  if (header?.format !== FORMAT || typeof header.version !== 'number') {
    const isOurs = decoder.decode(bytes.subarray(0, 200)).includes(`"format":"${FORMAT}"`);
    if (isOurs) return damaged(1, 'the checksum does not match');
    return { reason: 'foreign', detail: 'it does not begin as one', line: 1, isWholeBefore: false };
  }
  if (header.version !== VERSION)
    return { reason: 'version', detail: `it has version ${header.version}`, line: 1, isWholeBefore: false };
  const { revision: begin = 0, time = 0, objects: count = 0 } = header;
  if (rest.length < count) return damaged(lines.found.length + 1, 'the file ends too early');

  const stored = new Map<string, StoredRecord>();
  let state = { revision: begin, time };
  for (const [index, line] of rest.entries()) {
    const value = valueOf(line);
    if (value === undefined) return damaged(index + 2, 'the checksum does not match', index >= count);
    if (index < count) {
      const { resource, object } = value as StoredRecord;
      stored.set(keyOf(resource, object.metadata), { resource, object });
      continue;
    }
    const change = value as Change;
    if (change.revision !== state.revision + 1)
      return damaged(index + 2, `revision ${change.revision} does not follow ${state.revision}`, true);
    state = { revision: change.revision, time: Math.max(state.time, change.at) };
    const { resource } = change;
    if ('object' in change)
      stored.set(keyOf(resource, change.object.metadata), { resource, object: change.object });
    else stored.delete(keyOf(resource, change.deleted));
  }
  return { state: { ...state, objects: [...stored.values()] }, end: lines.end };
}

function keyOf(resource: string, { namespace = '', name }: { namespace?: string; name: string }): string {
  return `${resource}/${namespace}/${name}`;
}

/** The complete lines without line breaks, and the end offset of the last one. */
function linesOf(bytes: Uint8Array): { found: Uint8Array[]; end: number } {
  const found: Uint8Array[] = [];
  let start = 0;
  for (;;) {
    const end = bytes.indexOf(10, start);
    if (end < 0) return { found, end: start };
    found.push(bytes.subarray(start, end));
    start = end + 1;
  }
}
