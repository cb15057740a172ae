/** Fifteen digits: exact as a number, and so is the next one. */
const LARGEST = 999_999_999_999_999;

/**
 * Parses a counter in an annotation, which a user may have edited; undefined: it is not a decimal integer of at most fifteen
 * digits without sign, space or leading zero.
 */
export function readCounter(text: string | undefined): number | undefined {
  return text !== undefined && /^(0|[1-9][0-9]{0,14})$/.test(text) ? Number(text) : undefined;
}

/** The next counter. The highest one is followed by itself, so that a forged counter does not cause endless writes. */
export function counterAfter(counter: number): number {
  return Math.min(counter + 1, LARGEST);
}
