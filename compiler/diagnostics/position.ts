import type { SourcePosition, Source } from './diagnostic.ts';

/** Line and column from 1; columns count characters as an editor does (UTF-16 units). */
export interface Position {
  line: number;
  column: number;
}

/** Of every block of a text the line it begins in, and where that line begins: a place is found by reading one block. */
interface LineIndex {
  lines: Uint32Array;
  starts: Uint32Array;
}

const BLOCK = 4_096;

const indexes = new WeakMap<Source, LineIndex>();

/** A text may have as many lines as characters: what is kept of them grows with the blocks. */
function indexOf(source: Source): LineIndex {
  const known = indexes.get(source);
  if (known !== undefined) return known;
  const { text } = source;
  const blocks = Math.floor(text.length / BLOCK) + 1;
  const made = { lines: new Uint32Array(blocks), starts: new Uint32Array(blocks) };
  let [line, start, block] = [1, 0, 0];
  for (let at = text.indexOf('\n'); block < blocks; at = text.indexOf('\n', at + 1)) {
    // The blocks that begin in this line.
    const last = at < 0 ? blocks - 1 : Math.floor(at / BLOCK);
    for (; block <= last; block++) {
      made.lines[block] = line;
      made.starts[block] = start;
    }
    line += 1;
    start = at + 1;
  }
  indexes.set(source, made);
  return made;
}

/** The line of an offset, and where that begins. */
function lineAt(source: Source, offset: number): { line: number; start: number } {
  const { lines, starts } = indexOf(source);
  const block = Math.min(Math.floor(offset / BLOCK), lines.length - 1);
  let [line, start] = [lines[block] ?? 1, starts[block] ?? 0];
  const before = source.text.slice(block * BLOCK, offset);
  for (let at = before.indexOf('\n'); at >= 0; at = before.indexOf('\n', at + 1)) {
    line += 1;
    start = block * BLOCK + at + 1;
  }
  return { line, start };
}

/** Where the place starts. */
export function positionOf(place: SourcePosition): Position {
  const { line, start } = lineAt(place.source, place.start);
  return { line, column: place.start - start + 1 };
}

/** The line in which a place starts, without its end. */
export function lineText(place: SourcePosition): string {
  const { text } = place.source;
  const { start } = lineAt(place.source, place.start);
  const next = text.indexOf('\n', start);
  const end = next < 0 ? text.length : next;
  return text.slice(start, text.charAt(end - 1) === '\r' && end > start ? end - 1 : end);
}
