import type { Bounds } from '../../schemas/generated/types/runtimeconfig.ts';

interface Bound {
  words: string;
  holds(value: number, limit: number): boolean;
}

const bounds: Readonly<Record<keyof Bounds, Bound>> = {
  below: { words: 'below', holds: (value, limit) => value < limit },
  above: { words: 'above', holds: (value, limit) => value > limit },
  atMost: { words: 'at most', holds: (value, limit) => value <= limit },
  atLeast: { words: 'at least', holds: (value, limit) => value >= limit },
};

const names = Object.keys(bounds) as (keyof Bounds)[];

/** Whether a number is within all bounds, and a sentence that names them, or the first one it breaks. */
export function judgeNumber(pass: Bounds, value: number): { is: 'pass' | 'fail'; message: string } {
  const given = names.flatMap((name) => {
    const limit = pass[name];
    return limit === undefined ? [] : [{ ...bounds[name], limit }];
  });
  const broken = given.find(({ holds, limit }) => !holds(value, limit));
  if (broken !== undefined) {
    return { is: 'fail', message: `${value} is not ${broken.words} ${broken.limit}` };
  }
  const all = given.map(({ words, limit }) => `${words} ${limit}`).join(' and ');
  return { is: 'pass', message: `${value} is ${all}` };
}

/** Whether there is a bound at all. */
export function isBounded(pass: Bounds | undefined): pass is Bounds {
  return pass !== undefined && names.some((name) => pass[name] !== undefined);
}

/** Whether any number is within all bounds. */
export function isPossible({
  below = Infinity,
  above = -Infinity,
  atMost = Infinity,
  atLeast = -Infinity,
}: Bounds): boolean {
  return above < below && above < atMost && atLeast < below && atLeast <= atMost;
}
