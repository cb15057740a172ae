import { countText } from '../../semantics/values/text.ts';

/** What a problem says, wherever it is. */
interface Said {
  code: string;
  severity: string;
  message: string;
  help: string;
}

/** A problem, and further ones that say the same. */
interface Repeated<Problem> {
  first: Problem;
  others: Problem[];
}

/** Up to as many problems that say the same are shown one by one. */
const MOST_ALIKE = 3;

/**
 * Puts together the problems that say the same of many places, such as one warning about each of 1,000 workloads.
 *
 * @returns in the order given, those that are put together at the place of the first
 */
export function repeated<Problem extends Said>(problems: readonly Problem[]): Repeated<Problem>[] {
  const alike = new Map<string, Problem[]>();
  for (const problem of problems) {
    const found = alike.get(keyOf(problem));
    if (found === undefined) alike.set(keyOf(problem), [problem]);
    else found.push(problem);
  }
  return problems.flatMap((problem) => {
    const same = alike.get(keyOf(problem)) ?? [];
    if (same.length <= MOST_ALIKE) return [{ first: problem, others: [] }];
    return same[0] === problem ? [{ first: problem, others: same.slice(1) }] : [];
  });
}

const keyOf = ({ code, severity, message, help }: Said): string =>
  JSON.stringify([code, severity, message, help]);

/** The most further places that are named; the others are counted. */
const MOST_PLACES = 3;

/**
 * The further places of a problem: `the same at a.yaml:3:1, b.yaml:3:1, c.yaml:3:1 and 8 more places`.
 *
 * @param places each as it is shown, escaped
 */
export function alsoAt(places: readonly string[]): string {
  const more = places.length - MOST_PLACES;
  const named = `the same at ${places.slice(0, MOST_PLACES).join(', ')}`;
  return more > 0 ? `${named} and ${countText(more, 'more place')}` : named;
}
