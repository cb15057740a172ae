/** The format of a quantity, in which it is also printed: `100m`, `1Gi`, `1e3`. */
export type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent';

/** A Kubernetes resource quantity: `nanos` is the amount times 10^9, which every quantity is a multiple of. */
export interface Quantity {
  nanos: bigint;
  format: QuantityFormat;
}

const nano = 1_000_000_000n;
const milli = 1_000_000n;
const maxNanos = (2n ** 63n - 1n) * nano;

const decimalSuffixes = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

const form = /^([+-]?)([0-9]*)(?:\.([0-9]*))?([numkMGTPE]|[KMGTPE]i|[eE][+-]?[0-9]+|)$/;

/**
 * Parses a quantity as Kubernetes does: at most nine fractional digits (more are rounded away from zero), binary ones
 * limited to 2^63-1. JSON numbers are read by their shortest text. Undefined: it is no quantity, or absurdly long (over 256
 * characters, exponents over 300), which would only cost time.
 */
export function parseQuantity(input: string | number): Quantity | undefined {
  const text = String(input);
  const match = text.length <= 256 ? form.exec(text) : null;
  if (match === null) return undefined;
  const [, sign = '', whole = '', fraction = '', suffix = ''] = match;
  const digits = whole + fraction;
  const { format, base, exponent } = readSuffix(suffix);
  if (digits === '' || Math.abs(exponent) > 300) return undefined;
  const places = 9 - fraction.length + (base === 10 ? exponent : 0);
  const nanos = multiplyByPowerOfTen(BigInt(digits) * (base === 2 ? 2n ** BigInt(exponent) : 1n), places);
  const cut = format === 'BinarySI' && nanos > maxNanos ? maxNanos : nanos;
  return { nanos: sign === '-' ? -cut : cut, format };
}

function readSuffix(suffix: string): { format: QuantityFormat; base: 2 | 10; exponent: number } {
  if (/^[eE]./.test(suffix) && suffix !== 'Ei') {
    return { format: 'DecimalExponent', base: 10, exponent: Number(suffix.slice(1)) };
  }
  if (suffix.endsWith('i')) {
    return { format: 'BinarySI', base: 2, exponent: binarySuffixes.indexOf(suffix) * 10 };
  }
  return { format: 'DecimalSI', base: 10, exponent: decimalSuffixes.indexOf(suffix) * 3 - 9 };
}

function multiplyByPowerOfTen(amount: bigint, places: number): bigint {
  if (places >= 0) return amount * 10n ** BigInt(places);
  return divideAwayFromZero(amount, 10n ** BigInt(-places));
}

function divideAwayFromZero(amount: bigint, divisor: bigint): bigint {
  const quotient = amount / divisor;
  if (amount % divisor === 0n) return quotient;
  return amount > 0n ? quotient + 1n : quotient - 1n;
}

/**
 * The canonical text that Kubernetes prints: no fraction, the largest suffix with which the number is whole, in the format of
 * the quantity. A binary quantity below 1024 or with a fraction is printed in decimal.
 */
export function formatQuantity({ nanos, format }: Quantity): string {
  if (nanos === 0n) return '0';
  if (format === 'BinarySI' && nanos % nano === 0n && (nanos >= 1024n * nano || nanos <= -1024n * nano)) {
    const { amount, times } = divideOut(nanos / nano, 1024n, binarySuffixes.length - 1);
    return `${amount}${binarySuffixes[times]}`;
  }
  const { amount, times } = divideOut(
    nanos,
    1000n,
    format === 'DecimalExponent' ? Number.POSITIVE_INFINITY : decimalSuffixes.length - 1,
  );
  const exponent = times * 3 - 9;
  if (format === 'DecimalExponent') return exponent === 0 ? String(amount) : `${amount}e${exponent}`;
  return `${amount}${decimalSuffixes[times]}`;
}

function divideOut(value: bigint, factor: bigint, most: number): { amount: bigint; times: number } {
  let amount = value;
  let times = 0;
  while (times < most && amount % factor === 0n) {
    amount /= factor;
    times++;
  }
  return { amount, times };
}

/** Negative, zero or positive if `a` is less than, equal to or greater than `b`, in any format. */
export function compareQuantities(a: Quantity, b: Quantity): number {
  if (a.nanos === b.nanos) return 0;
  return a.nanos < b.nanos ? -1 : 1;
}

/** The sum, in the format of `a` (of `b` if `a` is zero). */
export function addQuantities(a: Quantity, b: Quantity): Quantity {
  return { nanos: a.nanos + b.nanos, format: a.nanos === 0n ? b.format : a.format };
}

/** Rounds away from zero to thousandths, as Kubernetes does in resource lists. */
export function roundUpToMilli({ nanos, format }: Quantity): Quantity {
  return { nanos: divideAwayFromZero(nanos, milli) * milli, format };
}
