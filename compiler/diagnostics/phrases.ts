import { shorten } from '../text/escape.ts';

export function quoted(text: string): string {
  return `'${shorten(text, 80)}'`;
}
