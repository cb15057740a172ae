import { shorten } from '../text/escape.ts';

/** A count with its noun: `1 pod`, `3 pods`. */
export function countText(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

export function quoted(text: string): string {
  return `'${shorten(text, 80)}'`;
}
