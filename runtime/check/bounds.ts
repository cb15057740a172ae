import type { Bounds } from '../../schemas/generated/types/runtimeconfig.ts';

interface Bound {
  text: string;
  holds(value: number, limit: number): boolean;
}

const bounds: Readonly<Record<keyof Bounds, Bound>> = {
  below: { text: 'below', holds: (value, limit) => value < limit },
  above: { text: 'above', holds: (value, limit) => value > limit },
  atMost: { text: 'at most', holds: (value, limit) => value <= limit },
  atLeast: { text: 'at least', holds: (value, limit) => value >= limit },
};

const names = Object.keys(bounds) as (keyof Bounds)[];

/** Whether a number is within all bounds, and a clause with the bounds, or with the first one that it violates. */
export function judgeNumber(pass: Bounds, value: number): { is: 'pass' | 'fail'; message: string } {
  const given = names.flatMap((name) => {
    const limit = pass[name];
    return limit === undefined ? [] : [{ ...bounds[name], limit }];
  });
  const violated = given.find(({ holds, limit }) => !holds(value, limit));
  if (violated !== undefined) {
    return { is: 'fail', message: `${value} is not ${violated.text} ${violated.limit}` };
  }
  const all = given.map(({ text, limit }) => `${text} ${limit}`).join(' and ');
  return { is: 'pass', message: `${value} is ${all}` };
}

/** Whether any bound is set. */
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
