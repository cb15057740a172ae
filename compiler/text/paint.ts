export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';
export type Paint = (style: Style, text: string) => string;

const CODES: Record<Style, readonly [number, number]> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
};

/** Returns the text without color. */
export const plain: Paint = (_style, text) => text;

/** Adds terminal colors. */
export const colored: Paint = (style, text) => {
  const [on, off] = CODES[style];
  return `\u001b[${on}m${text}\u001b[${off}m`;
};

/** Matches the escape sequences that `colored` adds, and no others. */
export const COLOR_SEQUENCE = new RegExp(
  `(\\u001b\\[(?:${[...new Set(Object.values(CODES).flat())].join('|')})m)`,
);

/** NO_COLOR takes precedence, then FORCE_COLOR, then whether standard output is a terminal. */
export function paintFor(env: Readonly<Record<string, string | undefined>>, isTTY: boolean): Paint {
  if (env['NO_COLOR'] !== undefined && env['NO_COLOR'] !== '') return plain;
  if (env['FORCE_COLOR'] !== undefined && env['FORCE_COLOR'] !== '' && env['FORCE_COLOR'] !== '0')
    return colored;
  return isTTY && env['TERM'] !== 'dumb' ? colored : plain;
}
