/** The units of Go's durations, in nanoseconds; a longer one comes before one that it begins with. */
const UNITS: readonly [unit: string, ns: number][] = [
  ['ns', 1],
  ['us', 1e3],
  ['\u00b5s', 1e3],
  ['\u03bcs', 1e3],
  ['ms', 1e6],
  ['s', 1e9],
  ['m', 60e9],
  ['h', 3600e9],
];
/** Go has durations up to here, 292 years, in nanoseconds. */
const MOST_NS = 2 ** 63;

/** Reads the duration of `@every DURATION`: it is cut to whole seconds, and is at least one. One pass over the text. */
export function readDelay(text: string): { everyMs: number } | { problem: string } {
  const isNegative = text.startsWith('-');
  const ns = readNanoseconds(text, isNegative || text.startsWith('+') ? 1 : 0);
  if (ns === undefined) return { problem: `@every ${text} has no duration such as 1h30m` };
  if (ns >= MOST_NS) return { problem: `@every ${text} is longer than 292 years` };
  return { everyMs: isNegative ? 1000 : Math.max(Math.floor(ns / 1e9) * 1000, 1000) };
}

function readNanoseconds(text: string, from: number): number | undefined {
  if (text.slice(from) === '0') return 0;
  let [at, total] = [from, 0];
  do {
    const begin = at;
    at = afterDigits(text, at);
    let digits = at - begin;
    if (text[at] === '.') {
      const point = at + 1;
      at = afterDigits(text, point);
      digits += at - point;
    }
    const unit = UNITS.find(([name]) => text.startsWith(name, at));
    if (digits === 0 || unit === undefined) return undefined;
    total += Number(text.slice(begin, at)) * unit[1];
    at += unit[0].length;
  } while (at < text.length);
  return total;
}

function afterDigits(text: string, from: number): number {
  let at = from;
  for (let char = text[at]; char !== undefined && char >= '0' && char <= '9'; char = text[at]) at += 1;
  return at;
}
