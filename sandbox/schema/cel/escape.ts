const reserved = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);
/** Whether a name is reserved in CEL. */
export const isReserved = (name: string): boolean => reserved.has(name);

const marks: Readonly<Record<string, string>> = { __: 'underscores', '.': 'dot', '-': 'dash', '/': 'slash' };
const marked: Readonly<Record<string, string>> = { underscores: '__', dot: '.', dash: '-', slash: '/' };

/** The escaped name of a field (`my-field` as `my__dash__field`); undefined if it cannot be used. */
export function escapeName(name: string): string | undefined {
  if (name === '' || /^\d/.test(name) || /[^A-Za-z0-9_.\-/]/.test(name)) return undefined;
  if (reserved.has(name)) return `__${name}__`;
  return name.replace(/__|[-./]/g, (mark) => `__${marks[mark] ?? ''}__`);
}

/** The field of an escaped name; undefined if it is not a valid escape. */
export function unescapeName(name: string): string | undefined {
  if (!name.includes('__')) return name;
  let isName = true;
  const field = name.replace(/_{2}([^_]+)_{2}/g, (whole, reservedWord: string) => {
    const mark = marked[reservedWord];
    if (mark !== undefined) return mark;
    if (!reserved.has(reservedWord) || whole.length !== name.length) isName = false;
    return reservedWord;
  });
  return isName ? field : undefined;
}
