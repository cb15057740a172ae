import { trailingDigits } from '../../semantics/values/text.ts';
/** A run of fewer names is written out. */
const SHORTEST_RUN = 3;

/**
 * Names in their order, with runs of consecutive numbers in short: `web-9 to web-5, web-3`. Beyond `most` parts the rest is
 * counted.
 */
export function nameRuns(names: readonly string[], most = 12): string {
  const parts: { text: string; names: number }[] = [];
  for (let at = 0; at < names.length;) {
    const length = runAt(names, at);
    const isRun = length >= SHORTEST_RUN;
    const first = names[at] ?? '';
    const text = isRun ? `${first} to ${names[at + length - 1] ?? ''}` : first;
    parts.push({ text, names: isRun ? length : 1 });
    at += isRun ? length : 1;
  }
  const shown = parts.slice(0, most);
  const rest = names.length - shown.reduce((sum, part) => sum + part.names, 0);
  return [...shown.map(({ text }) => text), ...(rest > 0 ? [`and ${rest} more`] : [])].join(', ');
}

/** How many names from `at` on have the same text before a number that changes by one in one direction. */
function runAt(names: readonly string[], at: number): number {
  const step = stepBetween(names[at], names[at + 1]);
  if (step !== 1 && step !== -1) return 1;
  let length = 2;
  while (stepBetween(names[at + length - 1], names[at + length]) === step) length += 1;
  return length;
}

/** The difference of the numbers at the end of two names; undefined: the rest differs, or one is missing. */
function stepBetween(a: string | undefined, b: string | undefined): number | undefined {
  const [numberA, numberB] = [trailingDigits(a ?? ''), trailingDigits(b ?? '')];
  if (numberA === '' || numberB === '') return undefined;
  const isSame = a?.slice(0, -numberA.length) === b?.slice(0, -numberB.length);
  return isSame ? Number(numberB) - Number(numberA) : undefined;
}
