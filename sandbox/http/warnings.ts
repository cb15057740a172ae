/** The total length of warnings is limited, because clients limit the size of headers. */
const mostCharacters = 4096;
const mostOfOne = 256;

/** The value of a `Warning` header, with UTF-8 bytes as Node encodes headers. */
function headerOf(text: string): string {
  const safe = text.replace(/[\x00-\x1f\x7f]/g, ' ').replace(/["\\]/g, '\\$&');
  return `299 - "${Buffer.from(safe).toString('latin1')}"`;
}

function lengthOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length, 0);
}

/** The first warnings that fit, each truncated. */
function cut(texts: readonly string[]): string[] {
  const included: string[] = [];
  let left = mostCharacters;
  for (const text of texts) {
    const short = [...text.slice(0, 2 * mostOfOne)].slice(0, mostOfOne).join('');
    if (short.length <= left) included.push(short);
    left -= short.length;
    if (left <= 0) break;
  }
  return included;
}

/** `Warning` headers of a response, without duplicates; undefined if there are none. */
export function warningHeaders(texts: readonly string[]): { Warning: string[] } | undefined {
  if (texts.length === 0) return undefined;
  const quoted = [...new Set(texts)];
  return { Warning: (lengthOf(quoted) <= mostCharacters ? quoted : cut(quoted)).map(headerOf) };
}
