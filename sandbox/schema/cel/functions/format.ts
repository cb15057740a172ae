import { EvaluationFault } from '../source.ts';
import { valueText } from '../text.ts';
import { isDict, isList, isUint, items, typeName, type List, type Value } from '../values.ts';

const digits = 6;

function fault(clause: string, takes: string, value: Value): EvaluationFault {
  return new EvaluationFault(
    `error during formatting: ${clause} clause can only be used on ${takes}, was given ${typeName(value)}`,
  );
}

/** Values in lists and maps are formatted as literals. */
function inner(value: Value): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value.toFixed(digits) : `"${shown(value)}"`;
  if (value instanceof Uint8Array) return `b${JSON.stringify(shown(value))}`;
  if (typeof value === 'object' && value !== null && value.kind === 'duration')
    return `duration("${shown(value)}")`;
  if (typeof value === 'object' && value !== null && value.kind === 'timestamp')
    return `timestamp("${shown(value)}")`;
  return shown(value);
}

function shown(value: Value): string {
  if (value === null) return 'null';
  if (isList(value)) return `[${items(value).map(inner).join(', ')}]`;
  if (isDict(value)) {
    const pairs = value.keys().map((key) => [inner(key), inner(value.get(key) ?? null)] as const);
    const sorted = pairs.toSorted(([a], [b]) => (a < b ? -1 : Number(a > b)));
    return `{${sorted.map(([key, each]) => `${key}:${each}`).join(', ')}}`;
  }
  const text =
    typeof value === 'object' && 'kind' in value && (value.kind === 'opaque' || value.kind === 'optional')
      ? undefined
      : valueText(value);
  if (text === undefined)
    throw fault(
      'string',
      'strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
      value,
    );
  return text;
}

function wholeNumber(value: Value): bigint | undefined {
  if (typeof value === 'bigint') return value;
  return isUint(value) ? value.value : undefined;
}

function decimal(value: Value): string {
  const whole = wholeNumber(value);
  if (whole === undefined) throw fault('decimal', 'integers', value);
  return String(whole);
}

function real(value: Value, clause: string): number {
  if (typeof value === 'number') return value;
  if (value === 'NaN') return Number.NaN;
  if (value === 'Infinity') return Infinity;
  if (value === '-Infinity') return -Infinity;
  throw fault(clause, 'doubles', value);
}

/** A number with a fixed precision; ties round to even, like in Go. */
function rounded(value: number, precision: number): string {
  const scaled = Math.abs(value) * 10 ** precision;
  const isTie = scaled < 2 ** 52 && scaled % 1 === 0.5;
  if (!isTie || Math.floor(scaled) % 2 === 1) return value.toFixed(precision);
  return (Math.sign(value) * (Math.floor(scaled) / 10 ** precision)).toFixed(precision);
}

function notFinite(value: number): string | undefined {
  if (Number.isNaN(value)) return 'NaN';
  if (Number.isFinite(value)) return undefined;
  return value > 0 ? '∞' : '-∞';
}

function fixed(value: Value, precision: number): string {
  const number = real(value, 'fixed-point');
  const special = notFinite(number);
  if (special !== undefined) return special;
  const [whole = '', fraction] = rounded(number, precision).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

const raised: Readonly<Record<string, string>> = Object.fromEntries(
  [...'0123456789'].map((digit, index) => [digit, [...'⁰¹²³⁴⁵⁶⁷⁸⁹'][index] ?? '']),
);

function scientific(value: Value): string {
  const number = real(value, 'scientific');
  const special = notFinite(number);
  if (special !== undefined) return special;
  const [mantissa = '', exponent = '0'] = number.toExponential(digits).split('e');
  const power = [...String(Math.abs(Number(exponent))).padStart(2, '0')]
    .map((digit) => raised[digit] ?? '')
    .join('');
  return `${mantissa}×10${Number(exponent) < 0 ? '⁻' : ''}${power}`;
}

function based(value: Value, base: 2 | 8): string {
  const name = base === 2 ? 'binary' : 'octal';
  const takes = base === 2 ? 'integers and bools' : 'integers';
  if (base === 2 && typeof value === 'boolean') return value ? '1' : '0';
  const whole = wholeNumber(value);
  if (whole === undefined) throw fault(name, takes, value);
  return whole.toString(base);
}

function hex(value: Value, upper: boolean): string {
  let text: string;
  const whole = wholeNumber(value);
  if (whole !== undefined) text = whole.toString(16);
  else if (typeof value === 'string' || value instanceof Uint8Array)
    text = Buffer.from(value).toString('hex');
  else throw fault('hex', 'integers, byte buffers, and strings', value);
  return upper ? text.toUpperCase() : text;
}

function formatOne(letter: string, precision: number, value: Value): string {
  switch (letter) {
    case 's':
      return shown(value);
    case 'd':
      return decimal(value);
    case 'f':
      return fixed(value, precision);
    case 'e':
      return scientific(value);
    case 'b':
      return based(value, 2);
    case 'o':
      return based(value, 8);
    case 'x':
    case 'X':
      return hex(value, letter === 'X');
    default:
      throw new EvaluationFault(
        `could not parse formatting clause: unrecognized formatting clause "${letter}"`,
      );
  }
}

/** `"%s is %d".format([…])`. Throws EvaluationFault if clauses and values do not match. */
export function formatted(text: string, values: List): string {
  let next = 0;
  return text.replace(
    /%(%|(?:\.(\d+))?(.?))/gsu,
    (_whole, rest: string, precision: string | undefined, letter = '') => {
      if (rest === '%') return '%';
      if (letter === '') throw new EvaluationFault('unexpected end of string');
      if (next >= values.size) throw new EvaluationFault(`index ${next} out of range`);
      const value = values.at(next);
      next += 1;
      return formatOne(String(letter), precision === undefined ? digits : Number(precision), value);
    },
  );
}
