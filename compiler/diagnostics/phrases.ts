import { shorten } from '../text/escape.ts';

export function quoted(text: string): string {
  return `'${shorten(text, 80)}'`;
}

export function didYouMean(suggestion: string | undefined): string | undefined {
  return suggestion === undefined ? undefined : `did you mean '${suggestion}'?`;
}
