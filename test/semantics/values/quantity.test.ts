import { describe, expect, it } from 'vitest';
import * as fc from '../../property.ts';
import type { Quantity } from '../../../semantics/values/quantity.ts';
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  roundUpToMilli,
} from '../../../semantics/values/quantity.ts';

function read(text: string | number): Quantity {
  const quantity = parseQuantity(text);
  if (quantity === undefined) throw new Error(`${text} is no quantity`);
  return quantity;
}

describe('canonical text, as Kubernetes prints it', () => {
  it.each([
    ['0', '0'],
    ['0Gi', '0'],
    ['100m', '100m'],
    ['1000m', '1'],
    ['1.5', '1500m'],
    ['.5', '500m'],
    ['5.', '5'],
    ['+5', '5'],
    ['-100m', '-100m'],
    ['0.0001', '100u'],
    ['1.23456789012n', '2n'],
    ['-0.1n', '-1n'],
    ['1000k', '1M'],
    ['1024Mi', '1Gi'],
    ['1.5Gi', '1536Mi'],
    ['1500Mi', '1500Mi'],
    ['0.5Ki', '512'],
    ['1.1Ki', '1126400m'],
    ['0.9765625Ki', '1k'],
    ['-1Ki', '-1Ki'],
    ['1e3', '1e3'],
    ['1E3', '1e3'],
    ['1e4', '10e3'],
    ['1e2', '100'],
    ['1e-3', '1e-3'],
    ['12e6', '12e6'],
    ['1E', '1E'],
    ['1e30', '1e30'],
    ['16Ei', '9223372036854775807'],
    ['12345678901234567890', '12345678901234567890'],
    [1, '1'],
    [0.5, '500m'],
  ])('%s is %s', (text, canonical) => {
    expect(formatQuantity(read(text))).toBe(canonical);
  });
});

it.each([
  '',
  ' 1',
  '1 ',
  'Ki',
  '.',
  '1e',
  '1Kib',
  '0x1',
  '1_0',
  '1,5',
  '--1',
  '1e999',
  '1'.repeat(257),
  'NaN',
])('refuses %j', (text) => {
  expect(parseQuantity(text)).toBeUndefined();
});

it('rounds up to thousandths, away from zero', () => {
  const rounded = (text: string): string => formatQuantity(roundUpToMilli(read(text)));
  expect(['1500u', '1n', '-0.1n', '2', '0.1Ki'].map(rounded)).toEqual(['2m', '1m', '-1m', '2', '102400m']);
});

it('compares by amount, in any format', () => {
  expect(compareQuantities(read('1Gi'), read('1073741824'))).toBe(0);
  expect(compareQuantities(read('1G'), read('1Gi'))).toBeLessThan(0);
  expect(compareQuantities(read('1'), read('999m'))).toBeGreaterThan(0);
  expect(compareQuantities(read('9007199254740993'), read('9007199254740992'))).toBeGreaterThan(0);
});

it('adds in the format of the first, or of the second when the first is zero', () => {
  const sum = (a: string, b: string): string => formatQuantity(addQuantities(read(a), read(b)));
  expect([sum('512Mi', '0.5Gi'), sum('0', '1Gi'), sum('900m', '100m'), sum('1k', '1Ki')]).toEqual([
    '1Gi',
    '1Gi',
    '1',
    '2024',
  ]);
});

const quantityText = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.bigInt({ min: 0n, max: 10n ** 12n }),
    fc.option(fc.integer({ min: 0, max: 999 }), { nil: undefined }),
    fc.constantFrom('', 'n', 'u', 'm', 'k', 'M', 'G', 'Ki', 'Mi', 'Gi', 'e3', 'E-3', 'e0'),
  )
  .map(
    ([sign, whole, fraction, suffix]) =>
      `${sign}${whole}${fraction === undefined ? '' : `.${fraction}`}${suffix}`,
  );

describe('properties', () => {
  it('the canonical text is read as the same amount and is canonical itself', () => {
    fc.assert(
      fc.property(quantityText, (text) => {
        const quantity = read(text);
        const canonical = formatQuantity(quantity);
        expect(read(canonical).nanos).toBe(quantity.nanos);
        expect(formatQuantity(read(canonical))).toBe(canonical);
      }),
    );
  });

  it('addition commutes in amount, and comparing agrees with subtracting', () => {
    fc.assert(
      fc.property(quantityText, quantityText, (textA, textB) => {
        const [a, b] = [read(textA), read(textB)];
        expect(addQuantities(a, b).nanos).toBe(addQuantities(b, a).nanos);
        const difference = addQuantities(a, { nanos: -b.nanos, format: b.format });
        expect(Math.sign(compareQuantities(a, b))).toBe(Math.sign(Number(difference.nanos)));
      }),
    );
  });

  it('no text makes it throw', () => {
    fc.assert(fc.property(fc.string(), (text) => void parseQuantity(text)));
  });
});
