/** `a`, `a and b`, `a, b and c`. */
export function listed(words: readonly string[], before: 'and' | 'or'): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} ${before} ${last}`;
}
