import { randomOf } from './random.ts';

/** `npm run test:full` plays every case of the long lists, `npm test` a sample of each. */
export const isFull = process.env['KRUISE_TEST'] === 'full';

/** What samples are drawn by; `lane-seed.ts` chooses one for a run and prints it. */
const seed = Number(process.env['KRUISE_TEST_SEED'] ?? 0);

/** All of them in the full lane, otherwise `count` of them in their order: which, hangs on the seed and the list's name. */
export function sampled<Case>(name: string, cases: readonly Case[], count: number): readonly Case[] {
  if (isFull || cases.length <= count) return cases;
  const random = randomOf([...name].reduce((sum, letter) => Math.imul(sum, 31) + letter.charCodeAt(0), seed));
  let wanted = count;
  return cases.filter((_, index) => {
    const isDrawn = random() * (cases.length - index) < wanted;
    if (isDrawn) wanted -= 1;
    return isDrawn;
  });
}

/** How often something is tried: in full, or `share` of it (0 to 1). */
export function shareOf(count: number, share: number): number {
  return isFull ? count : Math.ceil(count * share);
}
