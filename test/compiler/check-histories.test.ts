import { parse } from 'yaml';
import { beforeAll, describe, expect, test } from 'vitest';
import * as fc from '../property.ts';
import { shareOf } from '../lanes.ts';
import type { Compiled } from '../../compiler/compile.ts';
import { plannedFiles } from '../../compiler/committed/planned-files.ts';
import { forecastBudget } from '../../compiler/forecast/forecast-budget.ts';
import type { Change } from '../../compiler/plan/change.ts';
import { planFolder, planPath } from '../../compiler/plan/target.ts';
import { forecastMarkdown } from '../../compiler/render/forecast-markdown.ts';
import { planFile } from '../../compiler/render/plan-file.ts';
import { memoryHost } from '../cli/world/memory-host.ts';
import { compiledFleet } from './world/fleet.ts';
import type { Files } from './world/history.ts';
import { below, planned } from './world/history.ts';
import { cloneSet, kruise } from './world/manifests.ts';
import { numbered } from './world/numbered.ts';

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

test('many plans: a check passes after a run, misses a forecast, and warns of the summary of an older version', async () => {
  const names = Array.from({ length: 21 }, (_, index) => `web-${index}`);
  const at = (image: string): Files =>
    Object.fromEntries(names.map((name) => [`${name}.yaml`, cloneSet({ name, image })]));
  const { files } = await planned(at('nginx:1'), at('nginx:2'));
  expect(Object.keys(files).filter((path) => path.endsWith('/forecast.md'))).toHaveLength(21);
  expect(await planned(at('nginx:1'), files, ['--check'])).toMatchObject({ code: 0 });
  const { 'plans/shop/cloneset-web-7/forecast.md': _forecast, ...others } = files;
  const { code, host } = await planned(at('nginx:1'), others, ['--check']);
  expect(code).toBe(20);
  expect(host.err).toContain('KR3018]: head/plans/shop/cloneset-web-7/forecast.md is missing');
  const summary = { 'plans/SUMMARY.md': '# Plan: 21 to roll out.\n' };
  for (const base of [at('nginx:1'), { ...at('nginx:1'), ...summary }, { ...files, ...summary }]) {
    const older = await planned(base, { ...files, ...summary }, ['--check']);
    expect(older.code).toBe(0);
    expect(older.host.err).toContain(
      'warning[KR3026]: head/plans/SUMMARY.md is obsolete: each plan has its own',
    );
    const run = await planned(base, { ...files, ...summary });
    expect(run.files).toEqual(files);
    expect(run.host.err).toContain('removed head/plans/SUMMARY.md: each plan has its own forecast\n');
  }
  const taken = { ...at('nginx:1'), ...plansOf(files) };
  expect((await planned(at('nginx:1'), taken)).files).toEqual({ ...at('nginx:1'), 'plans/.gitkeep': '' });
});

/** A run over some paths of head, and what it leaves there. */
async function runOf(
  base: Files,
  head: Files,
  ...args: string[]
): Promise<{ code: number; err: string; files: Files }> {
  const at = (root: string, files: Files): Files =>
    Object.fromEntries(Object.entries(files).map(([path, text]) => [`/repo/${root}/${path}`, text]));
  const { host, code } = await kruise(
    { ...at('head', head), ...at('base', base) },
    { cwd: '/repo/head', args: ['plan', ...args, '--base-dir', '../base'] },
  );
  return { code, err: host.err, files: below(host) };
}

test('a check accepts forecasts of runs over fewer or more targets, and no other', async () => {
  const names = Array.from({ length: 21 }, (_, index) => `web-${index}`);
  const at = (image: string): Files =>
    Object.fromEntries(names.map((name) => [`${name}.yaml`, cloneSet({ name, image })]));
  const run = (head: Files, ...args: string[]) => runOf(at('nginx:1'), head, ...args);
  const FORECAST = 'plans/shop/cloneset-web-3/forecast.md';
  const whole = await run(at('nginx:2'));
  expect(whole.files[FORECAST]).not.toContain('in 5 rounds');
  const part = await run(whole.files, 'web-3.yaml');
  expect(part.err).toContain(`wrote ${FORECAST}`);
  expect(part.files[FORECAST]).toContain('in 5 rounds');
  expect(await run(part.files, '--check')).toMatchObject({ code: 0 });
  expect(await run(whole.files, 'web-3.yaml', '--check')).toMatchObject({ code: 0 });
  expect((await run(part.files)).files).toEqual(whole.files);
  const edited = { ...part.files, [FORECAST]: `${part.files[FORECAST]}x\n` };
  for (const args of [[], ['web-3.yaml']])
    expect(await run(edited, ...args, '--check')).toMatchObject({ code: 20 });
});

describe('a check of 21 plans, which simulates none', () => {
  type Forecasts = Pick<Change, 'simulated' | 'named'>;
  const names = Array.from({ length: 21 }, (_, index) => `web-${index}`);
  const at = (image: string): string =>
    names
      .map((name) => {
        const own = { labels: `app: ${name}`, selector: `app: ${name}`, serviceName: name };
        return numbered({ ...own, image, replicas: 3, rolling: 'maxUnavailable: 1' }).replace(
          '{name: web, ',
          `{name: ${name}, `,
        );
      })
      .join('---\n');
  const head = { root: '/repo/head', paths: ['/repo/head'], plans: '/repo/head/plans' };
  let compiled: Compiled;
  beforeAll(() => {
    compiled = compiledFleet({ 'base/web.yaml': at('nginx:1'), 'head/web.yaml': at('nginx:2') });
  });

  /** How many of these forecasts pass, each of which costs 1, where a check makes its own in another way. */
  function accepted(present: Forecasts, own: Forecasts, budgets: Forecasts, edited = ''): number {
    const committed = new Map<string, string>(
      compiled.changes.flatMap((change, index) => {
        const { byTarget } = compiled;
        const text = forecastMarkdown({ ...change, ...present }, byTarget.get(change.id) ?? [], undefined);
        return [
          [`${head.plans}/${planFolder(change)}/forecast.md`, index === 0 ? text + edited : text],
          [`${head.plans}/${planPath(change)}`, change.plan === undefined ? '' : planFile(change.plan)],
        ] as const;
      }),
    );
    const read = (path: string): string | undefined => committed.get(path);
    const all = { compiled, head, host: memoryHost({}), read, readAtBase: () => undefined };
    const left = {
      simulated: forecastBudget(budgets.simulated ? 1 : 0, () => 1),
      named: forecastBudget(budgets.named ? 1 : 0, () => 1),
    };
    const found = compiled.changes.flatMap((change) =>
      change.plan === undefined ? [] : plannedFiles(all, { ...change, ...own }, change.plan, left),
    );
    expect(found).toHaveLength(21);
    return found.filter((each) => each.accepted === 'replaced').length;
  }

  const both = { simulated: true, named: true };
  const none = { simulated: false, named: false };
  test.each<[string, Forecasts, Forecasts]>([
    ['simulated', { simulated: true, named: false }, none],
    ['named', { simulated: false, named: true }, none],
    ['simulated and named', both, none],
    ['neither', none, both],
    ['not named', { simulated: true, named: false }, both],
  ])(
    'accepts any number of forecasts that are %s where its own are not, or the other way round',
    (_what, present, own) => {
      expect(accepted(present, own, both)).toBe(21);
    },
  );

  test('makes no more of them than it may once one is edited', () => {
    expect(accepted(both, none, both, 'x')).toBe(0);
    expect(accepted(both, none, { simulated: true, named: false })).toBe(0);
    expect(accepted(none, both, none, 'x')).toBe(20);
  });
});
