/** What the removal of a target does that owns this number of pods; undefined: it has none. */
export function removalOfPods(count: number): string | undefined {
  if (count === 0) return undefined;
  return count === 1 ? 'its pod is deleted with it' : `its ${count} pods are deleted with it`;
}
