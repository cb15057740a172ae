import { amountOf, amountText, type Amount } from '../../schemas/pods/amount.ts';

/** The suffix family: `k`, `Ki` or `e3`. */
type Form = 'decimal' | 'binary' | 'exponent';

const decimalSuffixes = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
/** The number of digits that always fits into 64 bits. */
const safeDigits = 18;
const largest = 2n ** 63n - 1n;
const nano = -9;
const million = 1_000_000n;
const billion = 1_000_000_000n;

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

/** A number with a power of ten that no other format has; a suffix without number is zero. */
function extreme(number: bigint, scale: number): string {
  if (number === 0n) return '0';
  if (scale < nano) return `${number < 0n ? '-' : ''}1e${nano}`;
  const zeros = scale % 3;
  return `${number * 10n ** BigInt(zeros)}e${scale - zeros}`;
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
  const amount = amountOf(text);
  if (amount === undefined) return { value: extreme(BigInt(number) * (sign === '-' ? -1n : 1n), scale) };
  const size = magnitudeOf(amount) / billion;
  if (isBinary && !isExact && size > largest) return { value: `${sign === '-' ? -largest : largest}` };
  // A server has no suffix beyond E, and writes none.
  return { value: amountText(amount).replace(/^(-?\d+?)(?:000)+E$/, '$1') };
}

/** Rounds a canonical resource quantity up to thousandths. */
export function countedQuantity(canonical: string): string {
  if (!/[nu.]|[eE]-/.test(canonical)) return canonical;
  const amount = amountOf(canonical);
  if (amount === undefined || amount.billionths % million === 0n) return canonical;
  const size = ((magnitudeOf(amount) + million - 1n) / million) * million;
  return amountText({ ...amount, billionths: amount.billionths < 0n ? -size : size });
}

const magnitudeOf = ({ billionths }: Amount) => (billionths < 0n ? -billionths : billionths);
