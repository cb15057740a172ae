/** A piece of a text with places in it: text as it stands, or the argument that is put there. */
export type Piece = string | { arg: string };

/** The values that are put in, by the names of their arguments. */
export type Values = ReadonlyMap<string, string>;

/** The argument that is always the plan's own namespace. */
export const NAMESPACE = 'namespace';

const ARGUMENT_NAME = /^[A-Za-z][A-Za-z0-9_]{0,62}$/;

export function isArgumentName(name: string): boolean {
  return ARGUMENT_NAME.test(name);
}

/** Splits a text at its placeholders, `{name}`. Braces around anything else are text. */
export function piecesOf(text: string): Piece[] {
  // Split at a group: the odd members are what the group took.
  return text
    .split(/\{([A-Za-z][A-Za-z0-9_]{0,62})\}/)
    .map((part, index) => (index % 2 === 0 ? part : { arg: part }))
    .filter((piece) => piece !== '');
}

/** The arguments that a text has places for, each once, in order. */
export function argumentsIn(text: string): string[] {
  return [...new Set(piecesOf(text).flatMap((piece) => (typeof piece === 'string' ? [] : [piece.arg])))];
}

/** Puts the values in, each as `write` writes it: no character of a value is ever read as a place or a reference. */
export function fill(pieces: readonly Piece[], values: Values, write: (value: string) => string): string {
  return pieces
    .map((piece) => (typeof piece === 'string' ? piece : write(values.get(piece.arg) ?? '')))
    .join('');
}
