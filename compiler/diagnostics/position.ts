import type { Place, Source } from './diagnostic.ts';

/** Line and column from 1; columns count characters as an editor does (UTF-16 units). */
export interface Position {
  line: number;
  column: number;
}

const lineStarts = new WeakMap<Source, number[]>();

function startsOf(source: Source): number[] {
  const known = lineStarts.get(source);
  if (known !== undefined) return known;
  const starts = [0];
  for (let at = source.text.indexOf('\n'); at >= 0; at = source.text.indexOf('\n', at + 1))
    starts.push(at + 1);
  lineStarts.set(source, starts);
  return starts;
}

/** Where the place starts. */
export function positionOf(place: Place): Position {
  const starts = startsOf(place.source);
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= place.start) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: place.start - (starts[low] ?? 0) + 1 };
}

/** The text of a line (from 1) without its end; '' beyond the last. */
export function lineText(source: Source, line: number): string {
  const starts = startsOf(source);
  const start = starts[line - 1];
  if (start === undefined) return '';
  const end = starts[line] ?? source.text.length + 1;
  return source.text.slice(start, end - 1).replace(/\r$/, '');
}
