/** When a decision is to be made again: at the first of these times, milliseconds since 1970. Undefined, Infinity: not by time. */
export function soonest(...times: readonly (number | undefined)[]): { requeueAt?: number } {
  const at = Math.min(...times.map((each) => each ?? Infinity));
  return at === Infinity ? {} : { requeueAt: at };
}
