import { remembered } from '../../semantics/values/remembered.ts';
import type { SourcePosition, Source } from './diagnostic.ts';

/** Line and column from 1; columns count characters as an editor does (UTF-16 units). */
export interface Position {
  line: number;
  column: number;
}

/** For each block of a text: the line in which it begins, and the offset of that line. To find a line, only one block is read. */
interface LineIndex {
  lines: Uint32Array;
  starts: Uint32Array;
}

const BLOCK = 4_096;

/** The index of a source. A text may have as many lines as characters, so it stores a line per block, not every line. */
const indexOf = remembered((source: Source): LineIndex => {
  const { text } = source;
  const blocks = Math.floor(text.length / BLOCK) + 1;
  const index = { lines: new Uint32Array(blocks), starts: new Uint32Array(blocks) };
  let [line, start, block] = [1, 0, 0];
  for (let at = text.indexOf('\n'); block < blocks; at = text.indexOf('\n', at + 1)) {
    // The blocks that begin in this line.
    const last = at < 0 ? blocks - 1 : Math.floor(at / BLOCK);
    for (; block <= last; block++) {
      index.lines[block] = line;
      index.starts[block] = start;
    }
    line += 1;
    start = at + 1;
  }
  return index;
});

/** The line of an offset, and the offset at which the line begins. */
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

/** Line and column of the start of a range. */
export function positionOf(position: SourcePosition): Position {
  const { line, start } = lineAt(position.source, position.start);
  return { line, column: position.start - start + 1 };
}

/** The line in which a range starts, without its line break. */
export function lineText(position: SourcePosition): string {
  const { text } = position.source;
  const { start } = lineAt(position.source, position.start);
  const next = text.indexOf('\n', start);
  const end = next < 0 ? text.length : next;
  return text.slice(start, text.charAt(end - 1) === '\r' && end > start ? end - 1 : end);
}
