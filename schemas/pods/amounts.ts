import { amountOf, amountText, plus, type Amount } from './amount.ts';
import { isFields, type Fields } from './fields.ts';

/** Amounts by resource name. */
export type Amounts = ReadonlyMap<string, Amount>;

export const noAmounts: Amount = { billionths: 0n, form: 'DecimalSI' };
export const oneUnit: Amount = { billionths: 1_000_000_000n, form: 'DecimalSI' };

/** Parses a ResourceList; values that are not quantities are skipped. */
export function amountsOf(list: unknown): Map<string, Amount> {
  const amounts = new Map<string, Amount>();
  for (const [name, quantity] of Object.entries(isFields(list) ? list : {})) {
    const amount = amountOf(quantity);
    if (amount !== undefined) amounts.set(name, amount);
  }
  return amounts;
}

export function addTo(sum: Map<string, Amount>, more: Amounts): void {
  for (const [name, amount] of more) sum.set(name, plus(sum.get(name) ?? noAmounts, amount));
}

/** The maximum of each resource. */
export function maxAmounts(a: Amounts, b: Amounts): Map<string, Amount> {
  const result = new Map(a);
  for (const [name, amount] of b)
    if ((result.get(name)?.billionths ?? amount.billionths - 1n) < amount.billionths)
      result.set(name, amount);
  return result;
}

/** The resources that increased, with the increase. */
export function increaseOf(now: Amounts, before: Amounts): Map<string, Amount> {
  const result = new Map<string, Amount>();
  for (const [name, { billionths, form }] of now) {
    const more = billionths - (before.get(name)?.billionths ?? 0n);
    if (more > 0n) result.set(name, { billionths: more, form });
  }
  return result;
}

export function maskAmounts(amounts: Amounts, names: readonly string[]): Map<string, Amount> {
  return new Map([...amounts].filter(([name]) => names.includes(name)));
}

/** `cpu=1,pods=2`, the format of error messages. */
export function amountsText(amounts: Amounts): string {
  return [...amounts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, amount]) => `${name}=${amountText(amount)}`)
    .join(',');
}

/** The ResourceList of a status. */
export function toResourceList(amounts: Amounts): Fields {
  return Object.fromEntries(
    [...amounts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, amount]) => [name, amountText(amount)]),
  );
}
