/** Fifteen digits: exact as a number, and the next one can still be written. */
const LARGEST = 999_999_999_999_999;

/**
 * A counter that was written into an annotation. Anybody may have edited it: what is no decimal integer of at most fifteen
 * digits, without sign, space or leading zero, is none.
 */
export function readCounter(text: string | undefined): number | undefined {
  return text !== undefined && /^(0|[1-9][0-9]{0,14})$/.test(text) ? Number(text) : undefined;
}

/** The next number that can be read again. The last one follows itself: a forged counter must not be written without end. */
export function counterAfter(counter: number): number {
  return Math.min(counter + 1, LARGEST);
}
