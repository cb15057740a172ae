const scales: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
};

/** A quantity in thousandths of its unit (cpu "100m" is 100), rounded up as Kubernetes does. NaN when it is none. */
export function thousandths(quantity: string | number): number {
  if (typeof quantity === 'number') return Math.ceil(quantity * 1000);
  const match = /^([+-]?(?:\d+\.?\d*|\.\d+))([eE][+-]?\d+)?([a-zA-Z]*)$/.exec(quantity);
  const scale = match === null ? undefined : scales[match[3] ?? ''];
  if (match === null || scale === undefined) return Number.NaN;
  // Rounding to twelve digits first keeps 0.1 * 1000 from becoming 101.
  return Math.ceil(Number((Number(`${match[1]}${match[2] ?? ''}`) * scale * 1000).toPrecision(12)));
}
