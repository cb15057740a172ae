/** A piece of a template: literal text, or a placeholder of an argument. */
export type Piece = string | { arg: string };

/** The values of the placeholders, by the names of their arguments. */
export type Values = ReadonlyMap<string, string>;

/** The argument that is always the namespace of the plan. */
export const NAMESPACE = 'namespace';

const ARGUMENT_NAME = /^[A-Za-z][A-Za-z0-9_]{0,62}$/;

export function isArgumentName(name: string): boolean {
  return ARGUMENT_NAME.test(name);
}

/** Splits a text at its placeholders, `{name}`. Braces around anything else are text. */
export function piecesOf(text: string): Piece[] {
  // A split with a capturing group: the odd members are the captures.
  return text
    .split(/\{([A-Za-z][A-Za-z0-9_]{0,62})\}/)
    .map((part, index) => (index % 2 === 0 ? part : { arg: part }))
    .filter((piece) => piece !== '');
}

/** The arguments of the placeholders in a text, each once, in order. */
export function argumentsIn(text: string): string[] {
  return [...new Set(piecesOf(text).flatMap((piece) => (typeof piece === 'string' ? [] : [piece.arg])))];
}

/** Replaces the placeholders by their values, encoded by `write`. A value is never parsed for placeholders itself. */
export function fill(pieces: readonly Piece[], values: Values, write: (value: string) => string): string {
  return pieces
    .map((piece) => (typeof piece === 'string' ? piece : write(values.get(piece.arg) ?? '')))
    .join('');
}
