/** Warnings that are longer than this in all are cut, so that a client's limit on headers is not what it trips over. */
const mostCharacters = 4096;
const mostOfOne = 256;

/** A `Warning` header's value; its bytes are UTF-8, as Node has them in a header. */
function headerOf(text: string): string {
  const safe = text.replace(/[\x00-\x1f\x7f]/g, ' ').replace(/["\\]/g, '\\$&');
  return `299 - "${Buffer.from(safe).toString('latin1')}"`;
}

function lengthOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length, 0);
}

/** As many as fit, the first ones, each cut short. */
function cut(texts: readonly string[]): string[] {
  const kept: string[] = [];
  let left = mostCharacters;
  for (const text of texts) {
    const short = [...text.slice(0, 2 * mostOfOne)].slice(0, mostOfOne).join('');
    if (short.length <= left) kept.push(short);
    left -= short.length;
    if (left <= 0) break;
  }
  return kept;
}

/** `Warning` headers of an answer, one a text, each text once; undefined for none. */
export function warningHeaders(texts: readonly string[]): { Warning: string[] } | undefined {
  if (texts.length === 0) return undefined;
  const told = [...new Set(texts)];
  return { Warning: (lengthOf(told) <= mostCharacters ? told : cut(told)).map(headerOf) };
}
