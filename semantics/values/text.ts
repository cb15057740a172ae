/** A count with its noun: `1 pod`, `3 pods`. */
export function countText(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** The longest text of a server or of a peer that rules read, characters. */
const LONGEST_FOREIGN = 4_096;

/** A text that a server or a peer wrote, cut before any rule reads it: a refusal echoes what a user wrote, at any length. */
export function cutForeign(text: string): string {
  return text.length > LONGEST_FOREIGN ? `${text.slice(0, LONGEST_FOREIGN)}…` : text;
}

/**
 * A text without those of these characters that end it. A pattern such as `/[.]+$/` begins anew at each character, and takes time
 * that grows with the square of the text.
 */
export function withoutTrailing(text: string, characters: string): string {
  return text.slice(
    0,
    endBefore(text, (char) => characters.includes(char)),
  );
}

/** The digits at the end of a text; empty: it has none. */
export function trailingDigits(text: string): string {
  return text.slice(endBefore(text, (char) => char >= '0' && char <= '9'));
}

function endBefore(text: string, isPart: (char: string) => boolean): number {
  let end = text.length;
  while (end > 0 && isPart(text.charAt(end - 1))) end -= 1;
  return end;
}

/** Most bytes of the text of an error in a status. It may be of users. */
const ERROR_BYTES = 300;

/** The name and message of an error, for a status. The log has it whole. */
export function shownError(error: unknown): string {
  return truncateUtf8(
    error instanceof Error ? `${error.name}: ${error.message}` : String(error),
    ERROR_BYTES,
  );
}

/** How many bytes a text takes in UTF-8. */
export function utf8Bytes(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** The longest prefix of `text` that fits in `bytes` of UTF-8, without splitting a character. */
export function truncateUtf8(text: string, bytes: number): string {
  // A UTF-16 unit takes at most three bytes.
  if (text.length * 3 <= bytes) return text;
  let used = 0;
  let end = 0;
  for (const char of text) {
    used += utf8Length(char.codePointAt(0) ?? 0);
    if (used > bytes) return text.slice(0, end);
    end += char.length;
  }
  return text;
}

function utf8Length(codePoint: number): number {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x10000 ? 3 : 4;
}
