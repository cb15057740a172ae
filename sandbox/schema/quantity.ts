/** The suffix family: `k`, `Ki` or `e3`. */
type Form = 'decimal' | 'binary' | 'exponent';

const decimalSuffixes = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
/** The number of digits that always fits into 64 bits. */
const safeDigits = 18;
const largest = 2n ** 63n - 1n;
const nano = -9;
const milli = -3;

/** Fast path: a few digits with a suffix are canonical. */
const plain = /^[1-9]\d{0,2}(?:m|k|[KMGTP]i|[MGTP])?$/;

const wrongFormat =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const wrongNumber = 'unable to parse numeric part of quantity';
const wrongSuffix = "unable to parse quantity's suffix";

interface Suffix {
  form: Form;
  /** Powers of ten, or of two for binary suffixes. */
  exponent: number;
}

function readSuffix(suffix: string): Suffix | undefined {
  const decimal = decimalSuffixes.indexOf(suffix);
  if (decimal >= 0) return { form: 'decimal', exponent: (decimal - 3) * 3 };
  const binary = binarySuffixes.indexOf(suffix);
  if (binary >= 0) return { form: 'binary', exponent: binary * 10 };
  const [, exponent] = /^[eE]([+-]?\d+)$/.exec(suffix) ?? [];
  return exponent === undefined ? undefined : { form: 'exponent', exponent: Number(exponent) };
}

/** `units * 10 ** scale`, rounded away from zero to the scale. */
function rounded(units: bigint, scale: number, to: number): { units: bigint; scale: number } {
  if (scale >= to) return { units, scale };
  const by = 10n ** BigInt(to - scale);
  const rest = units % by;
  return { units: units / by + (rest === 0n ? 0n : rest > 0n ? 1n : -1n), scale: to };
}

function withoutFactors(value: bigint, factor: bigint): [rest: bigint, times: number] {
  let [rest, times] = [value, 0];
  for (; rest !== 0n && rest % factor === 0n; times += 1) rest /= factor;
  return [rest, times];
}

function written(units: bigint, scale: number, form: Form): string {
  if (units === 0n) return '0';
  if (form === 'binary') {
    const shift = scale < 0 ? 10n ** BigInt(-scale) : 1n;
    const whole = scale < 0 ? units / shift : units * 10n ** BigInt(scale);
    const isSmall = whole > -1024n && whole < 1024n;
    if (!isSmall && units % shift === 0n) {
      const [rest, times] = withoutFactors(whole, 1024n);
      return `${rest}${binarySuffixes[times] ?? ''}`;
    }
  }
  const [rest, times] = withoutFactors(units, 10n);
  let [number, exponent] = [rest, scale + times];
  for (; exponent % 3 !== 0; exponent -= 1) number *= 10n;
  if (form === 'exponent') return exponent === 0 ? `${number}` : `${number}e${exponent}`;
  return `${number}${decimalSuffixes[exponent / 3 + 3] ?? ''}`;
}

/**
 * The canonical form of a quantity by the server's parser: `1024Mi` is `1Gi`, `0.5` is `500m`, `1000` is `1k`; text
 * that the parser treats as canonical is kept, even if unusual (`1e3`, `5.`). The resolution is a billionth;
 * `fault` is the parser's message.
 */
export function canonicalQuantity(text: string): { value: string } | { fault: string } {
  if (plain.test(text) || text === '0') return { value: text };
  if (text === '') return { fault: wrongFormat };
  const match = /^([+-]?)0*(\d*)(?:\.(\d*))?([eEinumkKMGTP]*[-+]?\d*)$/.exec(text);
  if (match === null) return { fault: wrongFormat };
  const [, sign = '', digits = '', fraction = '', ending = ''] = match;
  const suffix = readSuffix(ending);
  if (suffix === undefined) return { fault: wrongSuffix };
  const number = (digits === '' ? '0' : digits) + fraction;
  const isBinary = suffix.form === 'binary';
  const places = isBinary
    ? 15 - number.length - Math.floor((suffix.exponent * 3) / 10) - 1
    : safeDigits - number.length;
  const scale = (isBinary ? 0 : suffix.exponent) - fraction.length;
  const isExact = places >= 0 && scale >= nano && !(isBinary && fraction !== '');
  if (!isExact && !/^[+-]?(?:\d+\.?\d*|\.\d+)/.test(text)) return { fault: wrongNumber };
  if (isExact) {
    // Text that the parser treats as canonical is kept.
    const isCanonical = isBinary
      ? (BigInt(number) & 7n) !== 0n
      : scale % 3 === 0 && !number.endsWith('000') && !number.startsWith('0');
    if (isCanonical) return { value: text };
  }
  const units = BigInt(number) * (isBinary ? 2n ** BigInt(suffix.exponent) : 1n) * (sign === '-' ? -1n : 1n);
  const fine = rounded(units, scale, nano);
  if (isBinary && !isExact && wholeOf(fine) > largest)
    return { value: `${sign === '-' ? -largest : largest}` };
  return { value: written(fine.units, fine.scale, suffix.form) };
}

function wholeOf({ units, scale }: { units: bigint; scale: number }): bigint {
  const whole = scale < 0 ? units / 10n ** BigInt(-scale) : units * 10n ** BigInt(scale);
  return whole < 0n ? -whole : whole;
}

/** Rounds a canonical resource quantity up to thousandths. */
export function countedQuantity(canonical: string): string {
  if (!/[nu.]|[eE]-/.test(canonical)) return canonical;
  const [, number = '', fraction = '', ending = ''] = /^([+-]?\d*)(?:\.(\d*))?(.*)$/.exec(canonical) ?? [];
  const { form, exponent } = readSuffix(ending) ?? { form: 'decimal', exponent: 0 };
  const scale = exponent - fraction.length;
  if (scale >= milli) return canonical;
  const counted = rounded(BigInt(number + fraction), scale, milli);
  return written(counted.units, counted.scale, form);
}
