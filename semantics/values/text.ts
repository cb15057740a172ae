/** A count with its noun: `1 pod`, `3 pods`. */
export function countText(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
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
