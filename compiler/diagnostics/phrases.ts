import { shorten } from '../text/escape.ts';

/** A number and what there is so many of. */
export function countText(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

export function quoted(text: string): string {
  return `'${shorten(text, 80)}'`;
}
