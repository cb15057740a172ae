import type { Paint, Style } from '../text/paint.ts';
import type { Mark } from './change-text.ts';

const STYLES: Record<Mark, Style> = {
  '+': 'green',
  '~': 'yellow',
  '-/+': 'red',
  '-': 'red',
  '=': 'dim',
  '!': 'cyan',
  '?': 'cyan',
};

/** A mark in its color, as wide as the widest. */
export function marked(mark: Mark, paint: Paint): string {
  return paint(STYLES[mark], mark.padStart(3));
}
