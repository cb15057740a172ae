import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as fc from '../property.ts';
import { seed } from '../seed.ts';
import { trackedFiles } from './files.ts';

/** The only file that loads fast-check: it gives all properties the seed of the run. */
const SEEDED = 'test/property.ts';

/** How a test gets properties with another seed: from fast-check itself, or by a setting. Composed, so that they are not found here. */
const unseeded: readonly RegExp[] = [
  new RegExp(`(?:from |import\\(|require\\(|import )['"]fast-${'check'}['"]`),
  new RegExp(`\\b(?:re)?setConfigure${'Global'}\\b|\\bconfigure${'Global'}\\(`),
];

/** What in a file makes its properties draw by another seed than that of the run. */
function drawsOtherwise(path: string, text: string): string[] {
  const found = unseeded.flatMap((pattern) => pattern.exec(text)?.[0] ?? []);
  const isProperty = text.includes('/property.ts');
  const own = isProperty ? /\bseed: ?(?:\d+|Date|Math)/.exec(text)?.[0] : undefined;
  return [...found, ...(own === undefined ? [] : [own])].map((what) => `${path}: ${what}`);
}

describe('properties draw by the seed of the run', () => {
  const paths = trackedFiles().filter((path) => /^(sandbox\/)?test\/.*\.ts$/.test(path) && path !== SEEDED);

  it('in every test file', () => {
    const texts = paths.map((path) => [path, readFileSync(path, 'utf8')] as const);
    expect(texts.filter(([, text]) => text.includes('/property.ts')).length).toBeGreaterThan(20);
    expect(texts.flatMap(([path, text]) => drawsOtherwise(path, text))).toEqual([]);
  });

  it('so that the values of one are the same each time', () => {
    const values = (more: fc.Parameters<[number]> = {}): number[] => {
      const drawn: number[] = [];
      fc.assert(
        fc.property(fc.nat(), (value) => void drawn.push(value)),
        more,
      );
      return drawn;
    };
    expect(fc.readConfigureGlobal().seed).toBe(seed);
    expect(values()).toEqual(values());
    expect(values()).toEqual(values({ ['seed']: seed }));
    expect(values()).not.toEqual(values({ ['seed']: seed + 1 }));
  });

  it.each([
    [`import fc from 'fast-${'check'}';`, `from 'fast-${'check'}'`],
    [`const fc = await import("fast-${'check'}");`, `import("fast-${'check'}"`],
    [`import * as fc from '../property.ts';\nfc.assert(any, { ${'seed'}: 1 });`, `${'seed'}: 1`],
    [`import * as fc from '../property.ts';\nfc.configure${'Global'}({});`, `configure${'Global'}(`],
  ])('reports %j (control)', (text, what) => {
    expect(drawsOtherwise('a.test.ts', text)).toEqual([`a.test.ts: ${what}`]);
  });

  it.each([
    `import * as fc from '../property.ts';\nfc.assert(any, { numRuns: 5 });`,
    `play({ ${'seed'}: 1 });`,
  ])('accepts %j', (text) => {
    expect(drawsOtherwise('a.test.ts', text)).toEqual([]);
  });
});
