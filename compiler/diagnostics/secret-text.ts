import { remembered } from '../../semantics/values/remembered.ts';
import type { Code } from './registry.ts';

/** A Secret, or a manifest that holds one. Text that is no YAML counts, too, so that only its words are searched. */
function namesSecret(text: string): boolean {
  return /\bkind\b/.test(text) && /\bSecret\b/.test(text);
}

const SEPARATOR = /^---(?=\s|$)/gm;

/** A text that was read. */
interface Text {
  text: string;
}

/** The documents of a source with a Secret in them. */
const secretsIn = remembered(({ text }: Text): readonly { from: number; to: number }[] => {
  const starts = [0, ...[...text.matchAll(SEPARATOR)].map(({ index }) => index), text.length];
  return starts.flatMap((from, index) => {
    const to = starts[index + 1] ?? from;
    return namesSecret(text.slice(from, to)) ? [{ from, to }] : [];
  });
});

/**
 * Whether a position is in a document with a Secret. Logs of CI are read by more people than its values: no line of such a document
 * is shown, as a fault of its syntax may lie anywhere, and a line may hold several values.
 */
export function isSecretText({ source, start }: { source: Text; start: number }): boolean {
  return secretsIn(source).some(({ from, to }) => from <= start && start <= to);
}

/** Diagnostics whose messages quote text of a file that need not be a key. */
export const QUOTES_TEXT: ReadonlySet<Code> = new Set<Code>([
  'KR1004',
  'KR1006',
  'KR1007',
  'KR1012',
  'KR1013',
  'KR1014',
]);
