/** A row of numbers in [0, 1) that a seed determines (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** `count` of the cases in their order, or all if they are no more: which, hangs on the seed and the list's name. */
export function drawn<Case>(
  seed: number,
  name: string,
  cases: readonly Case[],
  count: number,
): readonly Case[] {
  if (cases.length <= count) return cases;
  const random = randomOf([...name].reduce((sum, letter) => Math.imul(sum, 31) + letter.charCodeAt(0), seed));
  let wanted = count;
  return cases.filter((_, index) => {
    const isDrawn = random() * (cases.length - index) < wanted;
    if (isDrawn) wanted -= 1;
    return isDrawn;
  });
}
