import type { Form } from '../signature.ts';
import { EvaluationFault } from '../source.ts';
import type { Opaque } from '../values.ts';

const shape = /^([+-]?)(\d+\.?\d*|\.\d+)(?:[eE]([+-]?\d+)|([numkMGTPE]|[KMGTPE]i)?)$/;
const decimalPowers: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  '': 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const binary = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
/** Quantities are integers of billionths. */
const unit = 1_000_000_000n;
const malformed =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

/** Parses a quantity to billionths, rounded up; undefined if it is invalid. */
function parse(text: string): bigint | undefined {
  const [whole, sign, number = '', exponent, suffix = ''] = shape.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const [integer = '', fraction = ''] = number.split('.');
  const digits = BigInt(`${integer}${fraction}` === '' ? '0' : `${integer}${fraction}`);
  const isBinary = suffix.endsWith('i');
  const power = isBinary ? 0 : exponent === undefined ? (decimalPowers[suffix] ?? 0) : Number(exponent);
  const scale = power - fraction.length + 9;
  const times = isBinary ? 1024n ** BigInt(binary.indexOf(suffix) + 1) : 1n;
  let size = digits * times;
  if (scale >= 0) size *= 10n ** BigInt(Math.min(scale, 400));
  else {
    const divisor = 10n ** BigInt(Math.min(-scale, 400));
    size = (size + divisor - 1n) / divisor;
  }
  return sign === '-' ? -size : size;
}

const of = (amount: bigint): Opaque => ({
  kind: 'opaque',
  name: 'kubernetes.Quantity',
  text: String(amount),
  data: amount,
});

const amountOf = ({ data }: Opaque) => data as bigint;

function quantity(text: string): Opaque {
  const amount = parse(text);
  if (amount === undefined) throw new EvaluationFault(malformed);
  return of(amount);
}

const isInteger = (own: Opaque) =>
  amountOf(own) % unit === 0n && BigInt.asIntN(64, amountOf(own) / unit) === amountOf(own) / unit;

function asInteger(own: Opaque): bigint {
  if (!isInteger(own)) throw new EvaluationFault('cannot convert value to integer');
  return amountOf(own) / unit;
}

function order(a: Opaque, b: Opaque): bigint {
  const difference = amountOf(a) - amountOf(b);
  if (difference === 0n) return 0n;
  return difference < 0n ? -1n : 1n;
}

function toAmount(value: Opaque | bigint): bigint {
  return typeof value === 'bigint' ? value * unit : amountOf(value);
}

const add = (a: Opaque, b: Opaque | bigint) => of(amountOf(a) + toAmount(b));
const sub = (a: Opaque, b: Opaque | bigint) => of(amountOf(a) - toAmount(b));
const type = 'kubernetes.Quantity';

/** Kubernetes' functions of quantities. */
export const quantities: Readonly<Record<string, readonly Form[]>> = {
  quantity: [[`(string) ${type}`, quantity]],
  isQuantity: [['(string) bool', (text: string) => parse(text) !== undefined]],
  sign: [[`(${type}) int`, (own: Opaque) => order(own, of(0n))]],
  isGreaterThan: [[`${type}.(${type}) bool`, (a: Opaque, b: Opaque) => order(a, b) > 0n]],
  isLessThan: [[`${type}.(${type}) bool`, (a: Opaque, b: Opaque) => order(a, b) < 0n]],
  compareTo: [[`${type}.(${type}) int`, order]],
  asApproximateFloat: [[`${type}.() double`, (own: Opaque) => Number(amountOf(own)) / Number(unit)]],
  asInteger: [[`${type}.() int`, asInteger]],
  isInteger: [[`${type}.() bool`, isInteger]],
  add: [
    [`${type}.(${type}) ${type}`, add],
    [`${type}.(int) ${type}`, add],
  ],
  sub: [
    [`${type}.(${type}) ${type}`, sub],
    [`${type}.(int) ${type}`, sub],
  ],
};
