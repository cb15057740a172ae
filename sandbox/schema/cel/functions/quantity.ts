import { amountOf } from '../../../../schemas/pods/amount.ts';
import type { Form } from '../signature.ts';
import { EvaluationFault } from '../source.ts';
import type { Opaque } from '../values.ts';

/** Quantities are integers of billionths. */
const unit = 1_000_000_000n;
const malformed =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

const parse = (text: string) => amountOf(text)?.billionths;

const of = (amount: bigint): Opaque => ({
  kind: 'opaque',
  name: 'kubernetes.Quantity',
  text: String(amount),
  data: amount,
});

const sizeOf = ({ data }: Opaque) => data as bigint;

function quantity(text: string): Opaque {
  const amount = parse(text);
  if (amount === undefined) throw new EvaluationFault(malformed);
  return of(amount);
}

const isInteger = (own: Opaque) =>
  sizeOf(own) % unit === 0n && BigInt.asIntN(64, sizeOf(own) / unit) === sizeOf(own) / unit;

function asInteger(own: Opaque): bigint {
  if (!isInteger(own)) throw new EvaluationFault('cannot convert value to integer');
  return sizeOf(own) / unit;
}

function order(a: Opaque, b: Opaque): bigint {
  const difference = sizeOf(a) - sizeOf(b);
  if (difference === 0n) return 0n;
  return difference < 0n ? -1n : 1n;
}

function toAmount(value: Opaque | bigint): bigint {
  return typeof value === 'bigint' ? value * unit : sizeOf(value);
}

const add = (a: Opaque, b: Opaque | bigint) => of(sizeOf(a) + toAmount(b));
const sub = (a: Opaque, b: Opaque | bigint) => of(sizeOf(a) - toAmount(b));
const type = 'kubernetes.Quantity';

/** Kubernetes' functions of quantities. */
export const quantities: Readonly<Record<string, readonly Form[]>> = {
  quantity: [[`(string) ${type}`, quantity]],
  isQuantity: [['(string) bool', (text: string) => parse(text) !== undefined]],
  sign: [[`(${type}) int`, (own: Opaque) => order(own, of(0n))]],
  isGreaterThan: [[`${type}.(${type}) bool`, (a: Opaque, b: Opaque) => order(a, b) > 0n]],
  isLessThan: [[`${type}.(${type}) bool`, (a: Opaque, b: Opaque) => order(a, b) < 0n]],
  compareTo: [[`${type}.(${type}) int`, order]],
  asApproximateFloat: [[`${type}.() double`, (own: Opaque) => Number(sizeOf(own)) / Number(unit)]],
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
