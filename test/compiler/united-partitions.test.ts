import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { united } from '../runtime/united-world.ts';
import { type Files, planned } from './world/history.ts';
import { kruise } from './world/manifests.ts';

type Partitions = Record<string, number>;

const FORECAST = 'plans/shop/uniteddeployment-web/forecast.md';
const STEPS = { 'kruise.yaml': 'steps: [{match: {}, batches: [{to: 20%}, {to: 100%}]}]\n' };

/** Zones a, b and c with 3, 3 and 4 pods. */
const web = (image: string, partitions: Partitions = {}): Files => ({
  'web.yaml': stringify(united({ image, spec: { updateStrategy: { manualUpdate: { partitions } } } })),
});

/** The committed files of a plan that keeps two pods of zone-a. */
async function kept(): Promise<Files> {
  const { code, files } = await planned(web('web:1'), { ...web('web:2', { a: 2 }), ...STEPS });
  expect(code).toBe(0);
  return files;
}

describe('partitions of subsets that change', () => {
  test.each<[Partitions, number]>([
    [{ b: 2 }, 10],
    [{ b: 3 }, 10],
    [{ b: 1 }, 10],
    [{ a: 1, b: 1 }, 9],
  ])('let pods of a subset go, whatever another one keeps: a 2 becomes %j', async (next, after) => {
    const base = await kept();
    const { host, files } = await planned(base, { ...base, ...web('web:2', next) });
    expect(host.out).not.toContain('lets no further pod change');
    expect(host.out).toContain(`update to 100%, 2 at a time  ${after}/10 pods`);
    expect(files[FORECAST]).toContain(`${after} of 10 pods may be on the new revision`);
  });

  test('make no more pods unavailable than are left to go', async () => {
    const base = await kept();
    const { files } = await planned(base, { ...base, ...web('web:2', { a: 1 }) });
    // One pod of ten goes, though 20% may be unavailable.
    expect(files[FORECAST]).toContain('keeps at least 9 of 10 available');
  });

  test.each<[Partitions]>([[{ a: 2, b: 1 }], [{ a: 3 }]])(
    'let none go where each keeps as many: %j',
    async (next) => {
      const base = await kept();
      const { host } = await planned(base, { ...base, ...web('web:2', next) });
      expect(host.out).toContain('lets no further pod change');
    },
  );

  test.each<[Partitions, boolean]>([
    [{ b: 2 }, true],
    [{ a: 1, b: 1 }, true],
    [{ a: 1, c: 4 }, true],
    [{ a: 3 }, false],
    [{ a: 2, b: 1 }, false],
  ])('need a plan where one keeps fewer: a 2 becomes %j, %s', async (next, isNeeded) => {
    const head = { ...(await kept()), ...web('web:2', next) };
    const files = Object.fromEntries(Object.entries(head).map(([path, text]) => [`head/${path}`, text]));
    const { host } = await kruise(files, { args: ['validate', 'head'] });
    expect(host.err.includes('KR3013')).toBe(isNeeded);
  });
});
