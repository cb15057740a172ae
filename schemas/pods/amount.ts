/** A quantity in billionths, exact, with its format. */
export interface Amount {
  billionths: bigint;
  form: 'DecimalSI' | 'BinarySI' | 'DecimalExponent';
}

const billion = 1_000_000_000n;
const decimalSuffixes = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const binarySuffixes = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
/** Quantities have a maximum, and a resolution of a billionth. */
const largestExponent = 30;

function dividedUp(value: bigint, by: bigint): bigint {
  return value <= 0n || value % by === 0n ? value / by : value / by + 1n;
}

/** Parses a quantity, rounding up below a billionth; undefined if it is invalid. */
export function amountOf(quantity: unknown): Amount | undefined {
  if (typeof quantity !== 'string' && typeof quantity !== 'number') return undefined;
  const [, sign, whole = '', fraction = '', exponent, suffix = ''] =
    /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+)|([a-zA-Z]*))$/.exec(String(quantity)) ?? [];
  if (sign === undefined || whole + fraction === '') return undefined;
  const binary = suffix === '' ? -1 : binarySuffixes.indexOf(suffix);
  const decimal = decimalSuffixes.indexOf(suffix);
  if (binary < 0 && decimal < 0) return undefined;
  const power = Number(exponent ?? (binary < 0 ? (decimal - 3) * 3 : 0));
  if (Math.abs(power) > largestExponent) return undefined;
  const digits = BigInt(whole + fraction) * (binary < 0 ? 1n : 1024n ** BigInt(binary));
  const shift = 9 + power - fraction.length;
  const size = shift >= 0 ? digits * 10n ** BigInt(shift) : dividedUp(digits, 10n ** BigInt(-shift));
  const form = exponent !== undefined ? 'DecimalExponent' : binary < 0 ? 'DecimalSI' : 'BinarySI';
  return { billionths: sign === '-' ? -size : size, form };
}

export function plus(a: Amount, b: Amount): Amount {
  return {
    billionths: a.billionths + b.billionths,
    // Zero takes the format of the other operand.
    form: a.billionths === 0n ? b.form : a.form,
  };
}

/** The canonical format of the server: the largest suffix with an integer mantissa. */
export function amountText({ billionths, form }: Amount): string {
  if (billionths === 0n) return '0';
  const size = billionths < 0n ? -billionths : billionths;
  if (form === 'BinarySI' && size >= 1024n * billion && size % billion === 0n) {
    let number = billionths / billion;
    let step = 0;
    for (; number % 1024n === 0n && step < binarySuffixes.length - 1; step += 1) number /= 1024n;
    return `${number}${binarySuffixes[step] ?? ''}`;
  }
  let number = billionths;
  let step = 0;
  for (; number % 1000n === 0n && step < decimalSuffixes.length - 1; step += 1) number /= 1000n;
  const power = (step - 3) * 3;
  if (form === 'DecimalExponent') return power === 0 ? String(number) : `${number}e${power}`;
  return `${number}${decimalSuffixes[step] ?? ''}`;
}

/** The integer value of a quantity, or of its thousandths, rounded up. */
export function wholeOf({ billionths }: Amount): bigint {
  return dividedUp(billionths, billion);
}

export function thousandthsOf({ billionths }: Amount): bigint {
  return dividedUp(billionths, billion / 1000n);
}
