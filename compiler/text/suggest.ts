/** Edit distance in which swapping two neighbors counts once; Infinity as soon as it exceeds `limit`. */
export function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return Infinity;
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let best = i;
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(
        (previous[j] ?? Infinity) + 1,
        (row[j - 1] ?? Infinity) + 1,
        (previous[j - 1] ?? Infinity) + (same ? 0 : 1),
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, (before[j - 2] ?? Infinity) + 1);
      }
      row.push(cost);
      best = Math.min(best, cost);
    }
    if (best > limit) return Infinity;
    before = previous;
    previous = row;
  }
  const distance = previous[b.length] ?? Infinity;
  return distance > limit ? Infinity : distance;
}

/**
 * The candidate closest to a misspelled word; undefined if none is close. Its plural or singular is the closest. Ignores case; up to a third of the letters, at
 * most three, may differ. Of equally close candidates, returns the first in code-point order.
 */
export function suggest(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > 64) return undefined;
  const limit = Math.min(3, Math.max(1, Math.floor(word.length / 3)));
  const same = candidates.find((each) => isPluralOf(each, word) || isPluralOf(word, each));
  if (same !== undefined) return same;
  let found: string | undefined;
  let least = Infinity;
  for (const candidate of [...candidates].sort()) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase(), limit);
    if (distance < least) [found, least] = [candidate, distance];
  }
  return found === word ? undefined : found;
}

function isPluralOf(many: string, one: string): boolean {
  const [plural, singular] = [many.toLowerCase(), one.toLowerCase()];
  return plural === `${singular}s` || plural === `${singular}es`;
}
