/** `a`, `a and b`, `a, b and c`. */
export function listed(items: readonly string[], before: 'and' | 'or'): string {
  const last = items.at(-1) ?? '';
  return items.length < 2 ? last : `${items.slice(0, -1).join(', ')} ${before} ${last}`;
}
