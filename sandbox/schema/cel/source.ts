/** An error in an expression, with its offset in UTF-16 units. */
export interface Problem {
  at: number;
  message: string;
}

/** Thrown by the parser; expressions with syntax errors are not checked. */
export class SyntaxFault extends Error {
  readonly at: number;
  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

/** A runtime error: `no such key: a`, `division by zero`. */
export class EvaluationFault extends Error {}

function positionOf(text: string, at: number): { line: number; column: number; shown: string } {
  const before = text.slice(0, at).split('\n');
  const line = before.length;
  return { line, column: [...(before.at(-1) ?? '')].length, shown: text.split('\n')[line - 1] ?? '' };
}

function isWide(character: string | undefined): boolean {
  return (character?.codePointAt(0) ?? 0) > 0x7f;
}

/** Formats errors like CEL's compiler: each with its source line and a marker below its position. */
export function problemText(text: string, problems: readonly Problem[]): string {
  const sorted = [...problems].sort((a, b) => a.at - b.at);
  return sorted
    .map(({ at, message }) => {
      const { line, column, shown } = positionOf(text, at);
      const characters = [...shown.replaceAll('\t', ' ')];
      const dots = characters.slice(0, column).map((each) => (isWide(each) ? '．' : '.'));
      const mark = isWide(characters[column]) ? '＾' : '^';
      return `ERROR: <input>:${line}:${column + 1}: ${message}\n | ${characters.join('')}\n | ${dots.join('')}${mark}`;
    })
    .join('\n');
}
