/** How Kubernetes' YAML 1.1 readers and the YAML 1.2 core schema differ in plain scalars. */
export type AmbiguousScalar =
  /** Text in YAML 1.2, the boolean or number `value` in YAML 1.1. */
  | { kind: 'differs'; value: boolean | number }
  /** Leading zero: decimal in YAML 1.2, octal in YAML 1.1. `value` is what the cluster reads. */
  | { kind: 'octal'; value: number };

const BOOLEANS: ReadonlyMap<string, boolean> = new Map(
  (
    [
      [['y', 'yes', 'on'], true],
      [['n', 'no', 'off'], false],
    ] as const
  ).flatMap(([words, value]) => words.flatMap(spellings).map((word) => [word, value] as const)),
);

/** In small letters, in capital letters, and with a capital first letter. */
function spellings(word: string): string[] {
  return [word, word.toUpperCase(), word.charAt(0).toUpperCase() + word.slice(1)];
}

/** Shapes: octal `010`, `0o17`; grouped `1_000`, `0x_ff`; binary `0b1`. Most other texts fail at the first character. */
const NUMBER_LIKE = /^[-+]?[0-9.]/;

/**
 * The value that a YAML 1.1 reader gives a plain scalar, if YAML 1.2 gives another one; undefined if both agree. Resolves
 * booleans, digit groups and binaries as kubectl does.
 */
export function ambiguousScalar(text: string): AmbiguousScalar | undefined {
  if (text.length <= 3) {
    const boolean = BOOLEANS.get(text);
    if (boolean !== undefined) return { kind: 'differs', value: boolean };
  }
  if (!NUMBER_LIKE.test(text)) return undefined;
  const sign = text.startsWith('-') ? -1 : 1;
  const digits = text.replace(/^[-+]/, '');
  if (/^0[0-7]+$/.test(digits)) return { kind: 'octal', value: sign * Number.parseInt(digits, 8) };
  if (/^0o[0-7]+$/.test(digits)) return { kind: 'octal', value: sign * Number.parseInt(digits.slice(2), 8) };
  if (/^0b[01_]+$/.test(digits)) {
    return { kind: 'differs', value: sign * Number.parseInt(digits.slice(2).replaceAll('_', ''), 2) };
  }
  if (!digits.includes('_')) return undefined;
  const plain = digits.replaceAll('_', '');
  if (/^0x[0-9a-fA-F]+$/.test(plain) || /^[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)?$/.test(plain)) {
    return { kind: 'differs', value: sign * Number(plain) };
  }
  return undefined;
}

/**
 * Whether any common reader takes the plain scalar for something other than text, so that generated YAML must quote it.
 * Covers more than `ambiguousScalar`: sexagesimals, dates, `~`, every spelling of booleans and null.
 */
export function needsQuotes(text: string): boolean {
  if (text === '' || text.trim() !== text) return true;
  if (!/^[A-Za-z/][A-Za-z0-9 ._/@+=()-]*(:[A-Za-z0-9._/@+=()-]+)*$/.test(text)) return true;
  return /^(y|n|yes|no|on|off|true|false|null|nan|inf|e[-+]?[0-9]+)$/i.test(text);
}
