import { parse } from 'yaml';
import { describe, expect, test } from 'vitest';
import * as fc from '../property.ts';
import { shareOf } from '../lanes.ts';
import type { Files } from './world/history.ts';
import { planned } from './world/history.ts';
import { cloneSet } from './world/manifests.ts';

/** The part of the histories that a sample has. */
const SHARE = 0.3;
/** Milliseconds; a busy machine plays all of them within it. */
const LONG = 180_000;

const PLAN = 'plans/shop/cloneset-web/plan.yaml';
const isPlan = (path: string): boolean => path.startsWith('plans/');
const manifestsOf = (files: Files): Files =>
  Object.fromEntries(Object.entries(files).filter(([path]) => !isPlan(path)));
const plansOf = (files: Files): Files =>
  Object.fromEntries(Object.entries(files).filter(([path]) => isPlan(path)));

const workload = fc.record({
  image: fc.constantFrom('nginx:1', 'nginx:2', 'nginx:3'),
  replicas: fc.constantFrom(0, 3, 10),
  type: fc.constantFrom('InPlaceIfPossible', 'ReCreate'),
  spec: fc.constantFrom(undefined, '    partition: 2', '    partition: 5'),
});
const manifests = fc
  .dictionary(fc.constantFrom('web', 'api', 'db'), workload, {
    minKeys: 1,
    maxKeys: 3,
    noNullPrototype: true,
  })
  .map((parts): Files =>
    Object.fromEntries(
      Object.entries(parts).map(([name, { spec, ...each }]) => [
        `${name}.yaml`,
        cloneSet({ name, ...each, ...(spec === undefined ? {} : { spec }) }),
      ]),
    ),
  );
const commit = fc.record({
  manifests,
  /** The manifests of an earlier commit instead of these, as many commits back. */
  back: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined, freq: 2 }),
  /** A bot commits without a plan. */
  isUnplanned: fc.boolean(),
});

/** The state of a repository after commits, and what the last of them came from. */
async function played(
  history: readonly { manifests: Files; back: number | undefined; isUnplanned: boolean }[],
): Promise<{ base: Files; head: Files }> {
  const states: Files[] = [];
  let base: Files = {};
  let head: Files = history[0]?.manifests ?? {};
  for (const { manifests: own, back, isUnplanned } of history.slice(1)) {
    states.push(head);
    base = head;
    const source = back === undefined ? own : manifestsOf(states.at(-back) ?? head);
    const changed = { ...source, ...plansOf(base) };
    head = isUnplanned ? changed : (await planned(base, changed)).files;
  }
  return { base, head };
}

describe('after any history', () => {
  test(
    'a check passes after a run, a second run writes nothing, and equal states need nothing',
    { timeout: LONG },
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(commit, { minLength: 2, maxLength: 5 }), async (history) => {
          const { base, head } = await played(history);
          const first = await planned(base, head);
          expect(first.code, first.host.err).toBe(0);
          const check = await planned(base, first.files, ['--check']);
          expect(check.code, check.host.err).toBe(0);
          const second = await planned(base, first.files);
          expect(second.files).toEqual(first.files);
          expect(second.host.err).not.toMatch(/^(wrote|removed)/m);
          for (const words of [[], ['--check']]) {
            const same = await planned(first.files, first.files, words);
            expect({ code: same.code, files: same.files }).toEqual({ code: 0, files: first.files });
            expect(same.host.out).toContain('Plan: 0 to roll out');
          }
        }),
        { numRuns: shareOf(100, SHARE) },
      );
    },
  );

  test('ends of lines change no byte of a plan, and no check', { timeout: LONG }, async () => {
    const windows = (files: Files): Files =>
      Object.fromEntries(Object.entries(files).map(([path, text]) => [path, text.replaceAll('\n', '\r\n')]));
    await fc.assert(
      fc.asyncProperty(fc.array(commit, { minLength: 2, maxLength: 3 }), async (history) => {
        const { base, head } = await played(history);
        const { files } = await planned(base, head);
        const other = await planned(windows(manifestsOf(base)), windows(manifestsOf(head)));
        const plain = await planned(manifestsOf(base), manifestsOf(head));
        expect(plansOf(other.files)).toEqual(plansOf(plain.files));
        expect(await planned(windows(base), windows(files), ['--check'])).toMatchObject({ code: 0 });
      }),
      { numRuns: shareOf(40, SHARE) },
    );
  });
});

test('any edit of a plan is found and mended, unless it means the same', { timeout: LONG }, async () => {
  const base = { 'web.yaml': cloneSet({ image: 'nginx:1' }) };
  const head = { 'web.yaml': cloneSet({ image: 'nginx:2' }) };
  const { files } = await planned(base, head);
  const text = files[PLAN] ?? '';
  const piece = fc.oneof(fc.constantFrom('', ' ', '\n', '0', 'a', '"', '#', ': ', '- '), fc.string());
  const meaning = (plan: string): unknown => {
    try {
      return parse(plan);
    } catch {
      return undefined;
    }
  };
  await fc.assert(
    fc.asyncProperty(fc.nat(text.length), fc.nat(12), piece, async (at, cut, by) => {
      const edited = { ...files, [PLAN]: text.slice(0, at) + by + text.slice(at + cut) };
      // Both sides: of the change, and once it is merged.
      for (const before of [base, files]) {
        const { code, host } = await planned(before, edited, ['--check']);
        const isSame = JSON.stringify(meaning(edited[PLAN] ?? '')) === JSON.stringify(meaning(text));
        if (!isSame) expect([20, 21, 22], `${edited[PLAN] ?? ''}\n${host.err}`).toContain(code);
        if (code !== 0) expect((await planned(before, edited)).files).toEqual(files);
      }
    }),
    { numRuns: shareOf(150, SHARE) },
  );
});

test('more plans than forecasts: a check passes after a run, and misses the summary', async () => {
  const names = Array.from({ length: 21 }, (_, index) => `web-${index}`);
  const at = (image: string): Files =>
    Object.fromEntries(names.map((name) => [`${name}.yaml`, cloneSet({ name, image })]));
  const { files } = await planned(at('nginx:1'), at('nginx:2'));
  expect(Object.keys(files).filter((path) => path.endsWith('.md'))).toEqual(['plans/SUMMARY.md']);
  expect(await planned(at('nginx:1'), files, ['--check'])).toMatchObject({ code: 0 });
  const { 'plans/SUMMARY.md': _summary, ...others } = files;
  const { code, host } = await planned(at('nginx:1'), others, ['--check']);
  expect(code).toBe(20);
  expect(host.err).toContain('KR3018]: head/plans/SUMMARY.md is missing');
  const taken = { ...at('nginx:1'), ...plansOf(files) };
  expect((await planned(at('nginx:1'), taken)).files).toEqual(at('nginx:1'));
});
