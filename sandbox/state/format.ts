import { crc32 } from 'node:zlib';
import type { Commit } from '../store/history.ts';
import type { State } from '../store/store.ts';

/**
 * The state as a file: lines of JSON, each behind a checksum of its text. The first says what the file is and how many
 * objects follow; after them comes a line for each commit since. Only the last line can be torn, because the file is
 * put in place whole and then only added to.
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

type Kept = State['objects'][number];

type Change = { revision: number; at: number; resource: string } & (
  { object: Kept['object'] } | { deleted: { namespace: string; name: string } }
);

/** Why a text is no state to go on from. */
export interface Unreadable {
  reason: 'foreign' | 'version' | 'damaged';
  /** `line 12: the checksum does not fit`. */
  detail: string;
  /** The first line that cannot be used. */
  line: number;
  /** The lines before it are a state by themselves. */
  isWholeBefore: boolean;
}

function lineOf(value: Header | Kept | Change): string {
  const text = JSON.stringify(value);
  return `${crc32(text).toString(16).padStart(8, '0')} ${text}\n`;
}

/** The lines of a whole state, made one by one: a large one is never there as text at once. */
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

/** A line's value; undefined when it is not as it was written. */
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
 * Reads what `snapshotOf` and `recordOf` wrote. A last line without its end was never answered, and is left out: `end`
 * is where it begins.
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
    if (isOurs) return damaged(1, 'the checksum does not fit');
    return { reason: 'foreign', detail: 'it does not begin as one', line: 1, isWholeBefore: false };
  }
  if (header.version !== VERSION)
    return { reason: 'version', detail: `it has version ${header.version}`, line: 1, isWholeBefore: false };
  const { revision: begin = 0, time = 0, objects: count = 0 } = header;
  if (rest.length < count) return damaged(lines.found.length + 1, 'the file ends too early');

  const kept = new Map<string, Kept>();
  let state = { revision: begin, time };
  for (const [index, line] of rest.entries()) {
    const value = valueOf(line);
    if (value === undefined) return damaged(index + 2, 'the checksum does not fit', index >= count);
    if (index < count) {
      const { resource, object } = value as Kept;
      kept.set(keyOf(resource, object.metadata), { resource, object });
      continue;
    }
    const change = value as Change;
    if (change.revision !== state.revision + 1)
      return damaged(index + 2, `revision ${change.revision} does not follow ${state.revision}`, true);
    state = { revision: change.revision, time: Math.max(state.time, change.at) };
    const { resource } = change;
    if ('object' in change)
      kept.set(keyOf(resource, change.object.metadata), { resource, object: change.object });
    else kept.delete(keyOf(resource, change.deleted));
  }
  return { state: { ...state, objects: [...kept.values()] }, end: lines.end };
}

function keyOf(resource: string, { namespace = '', name }: { namespace?: string; name: string }): string {
  return `${resource}/${namespace}/${name}`;
}

/** The whole lines, without their ends, and where the last of them ends. */
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
