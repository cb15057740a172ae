import { amountOf, thousandthsOf } from '../../schemas/pods/amount.ts';

/** A quantity in thousandths of its unit (cpu "100m" is 100), rounded up as Kubernetes does. NaN when it is none. */
export function thousandths(quantity: string | number): number {
  const amount = amountOf(quantity);
  return amount === undefined ? Number.NaN : Number(thousandthsOf(amount));
}
