import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Compiled } from '../../compiler/compile.ts';
import { hasErrors } from '../../compiler/diagnostics/diagnostic.ts';
import type { Change } from '../../compiler/plan/change.ts';
import { humanPlan } from '../../compiler/render/human.ts';
import { jsonPlan, markdownPlan } from '../../compiler/render/machine.ts';
import { areMany, groupsOf } from '../../compiler/review/groups.ts';
import { RISKS } from '../../compiler/review/order.ts';
import { planText } from '../../compiler/review/plan-text.ts';
import { colored, plain } from '../../compiler/text/paint.ts';
import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import { expectGolden } from '../golden.ts';
import { HOSTILE, unsafeIn } from '../security/hostile.ts';
import { MARKUP, markupInHtml, markupInMarkdown } from '../security/markup.ts';
import { htmlPage } from '../../compiler/render/page/page.ts';
import { compiledFleet, differingFleet, fleet } from './world/fleet.ts';
import { kruise } from './world/manifests.ts';

/** What a fleet draws by it is in the goldens. */
const SEED = 42;
/** The lines of one screen. */
const SCREEN = 50;
/** The characters of a comment on GitHub. */
const COMMENT = 65_536;

const linesOf = (text: string): string[] => text.trimEnd().split('\n');

let forty: Compiled;
let many: Compiled;
let differing: Compiled;
beforeAll(() => {
  forty = compiledFleet(fleet(40, SEED).files);
  many = compiledFleet(fleet(300, SEED).files);
  differing = compiledFleet(differingFleet(300));
});

describe('a reviewer reads', () => {
  test('three changes one by one', () => {
    const three = compiledFleet(fleet(3, SEED).files);
    expectGolden('review/3.txt', humanPlan(three, plain));
    expectGolden('review/3.md', markdownPlan(three));
  });

  test('forty changes in groups, the dangerous one on top', () => {
    const { dangerous } = fleet(40, SEED);
    const text = humanPlan(forty, plain);
    expectGolden('review/40.txt', text);
    const page = markdownPlan(forty);
    expectGolden('review/40.md', page);
    expect(linesOf(text)[0]).toContain(`CloneSet ${dangerous}: recreated`);
    expect(page.split('\n- ')[1]).toContain(`CloneSet \`${dangerous}\`**: recreated`);
    expect(text).toContain('\n  ~ 39 CloneSets: updated in place');
    expect(linesOf(text).at(-1)).toBe('Plan: 40 to roll out.');
  });

  test('three hundred on one screen', () => {
    const text = humanPlan(many, plain);
    expectGolden('review/300.txt', text);
    expectGolden('review/300.md', markdownPlan(many));
    expect(linesOf(text).length).toBeLessThanOrEqual(SCREEN);
  });

  test('three hundred that all differ, too', () => {
    const text = humanPlan(differing, plain);
    expectGolden('review/differing.txt', text);
    expect(linesOf(text).length).toBeLessThanOrEqual(SCREEN);
    expect(groupsOf(differing).length).toBe(300);
    expect(markdownPlan(differing).length).toBeLessThan(COMMENT);
  });
});

test('any seed puts the dangerous one of forty on top', () => {
  for (const seed of [1, 2, 3]) {
    const { files, dangerous } = fleet(40, seed);
    expect(linesOf(humanPlan(compiledFleet(files), plain))[0]).toContain(` ${dangerous}: recreated`);
  }
});

test('all outputs have the same order, and those of programs have all names', () => {
  const groups = groupsOf(many);
  const { groups: ofJson, totals } = JSON.parse(jsonPlan(many)) as {
    groups: { what: string; targets: { namespace: string; name: string }[] }[];
    totals: { effects: { effect: string; targets: number }[] };
  };
  expect(ofJson.map(({ targets }) => targets)).toEqual(
    groups.map(({ members }) => members.map(({ namespace, name }) => ({ namespace, name }))),
  );
  expect(totals.effects.reduce((sum, { targets }) => sum + targets, 0)).toBe(many.changes.length);
  const page = markdownPlan(many);
  const items = page.split(/^- /m).slice(1);
  expect(items).toHaveLength(groups.length);
  for (const [index, { members }] of groups.entries())
    for (const { namespace, name } of members) expect(items[index]).toContain(`${namespace}/${name}`);
  const titles = linesOf(humanPlan(many, plain)).filter((line) => /^( {2}~|-\/\+| {2}-| {2}\+) /.test(line));
  expect(titles.length).toBe(groups.length);
});

test('up to twenty changes are shown one by one, and with one more in groups', () => {
  const twenty = compiledFleet(fleet(20, SEED).files);
  expect(areMany(twenty)).toBe(false);
  expect(humanPlan(twenty, plain).match(/CloneSet \w+\/app-\d+: /g)).toHaveLength(20);
  expect(markdownPlan(twenty).match(/^## CloneSet/gm)).toHaveLength(20);
  const { atOnce, changes } = compiledFleet(fleet(21, SEED).files);
  expect(areMany({ atOnce, changes })).toBe(true);
});

test('hostile text in names and images is harmless in every output', () => {
  expect(hasErrors(many.diagnostics)).toBe(false);
  const sample = many.changes.slice(0, 25);
  for (const text of [...HOSTILE, ...MARKUP]) {
    const changes = sample.map((change): Change => ({
      ...change,
      namespace: text,
      name: `${text}${change.name}`,
      id: `${text}${change.id}`,
      classification: {
        mode: 'InPlace',
        fields: [
          {
            path: `template[${text}]`,
            from: text,
            to: `${text}2`,
            effect: 'Recreate',
            reason: text,
            rule: '',
          },
        ],
      },
    }));
    const hostile = { ...many, changes };
    expect(unsafeIn(humanPlan(hostile, plain)), text).toEqual([]);
    expect(unsafeIn(humanPlan(hostile, colored), true), text).toEqual([]);
    expect(unsafeIn(jsonPlan(hostile)), text).toEqual([]);
    const page = markdownPlan(hostile);
    expect(unsafeIn(page), text).toEqual([]);
    expect(markupInMarkdown(page), text).toEqual([]);
    const html = htmlPage(hostile, (script) => `sha256-${script.length}`);
    expect([...unsafeIn(html), ...markupInHtml(html)], text).toEqual([]);
  }
});

describe('the plan of a group in one line', () => {
  const window = { maxUnavailable: 2, maxSurge: 0 };
  const update = (id: string, to: string | number, own: object = window): Step => ({
    id,
    update: { to, window: own },
  });
  const line = (...steps: Step[]): string =>
    planText({ steps, waves: [], stepsFrom: 3, after: [], queue: undefined });

  test.each<[string, Step[], string]>([
    ['one step', [update('a', '100%')], '2 at a time; one batch to 100%; a failed step halts'],
    [
      'batches with a gate after each but the last',
      [
        update('a', '5%'),
        { id: 's1', soak: { for: '10m' } },
        { id: 'ok', approve: {} },
        update('b', '50%'),
        { id: 's2', soak: { for: '600s' } },
        { ...update('c', '100%'), onFailure: 'Revert' },
      ],
      '2 at a time; batches 5%, 50%, 100%; soak 10m between batches; approval after batch 1; a failed step goes back',
    ],
    [
      'gates that differ',
      [
        update('a', 1),
        { id: 's1', soak: { for: '10m' } },
        update('b', '50%'),
        { id: 's2', soak: { for: '1h' } },
        { id: 'c2', check: { use: 'error-rate', for: '5m' } },
        update('c', '100%'),
      ],
      '2 at a time; batches 1, 50%, 100%; soak 10m after batch 1; soak 1h after batch 2; check error-rate for 5m after batch 2; a failed step halts',
    ],
    [
      'limits that differ',
      [
        update('a', '10%', { maxUnavailable: 1, maxSurge: 0 }),
        update('b', '100%', { maxUnavailable: '20%', maxSurge: '10%' }),
      ],
      '1 at a time, then 20% at a time, with up to 10% extra; batches 10%, 100%; a failed step halts',
    ],
    [
      'extra pods alone',
      [update('a', '100%', { maxUnavailable: 0, maxSurge: 1 })],
      '1 extra at a time; one batch to 100%; a failed step halts',
    ],
  ])('%s', (_what, steps, expected) => {
    expect(line(...steps)).toBe(`${expected}; rule 3 of kruise.yaml`);
  });
});

test('the page on reviewing shows the forty as they are printed', () => {
  const page = readFileSync(new URL('../../docs/how-to/review.md', import.meta.url), 'utf8');
  const [, shown] = /^```text\n([^]*?)^```$/m.exec(page) ?? [];
  expect(shown).toBe(humanPlan(forty, plain));
});

test('the page on reviewing has every risk, in the order in which they count', () => {
  const page = readFileSync(new URL('../../docs/how-to/review.md', import.meta.url), 'utf8');
  expect([...page.matchAll(/^ *\| `(\w+)` *\|/gm)].map(([, risk]) => risk)).toEqual([...RISKS]);
});

test('all that a run prints about many changes is one screen, and removed files are named', async () => {
  const { files } = fleet(40, SEED);
  const run = await kruise({ ...files, 'head/plans/SUMMARY.md': '# Plan: 21 to roll out.\n' });
  expect(run.code).toBe(0);
  expect(linesOf(run.host.out)[0]).toMatch(/^-\/\+ CloneSet /);
  const { err } = run.host;
  expect(err).toContain('removed head/plans/SUMMARY.md: each plan has its own forecast\nwrote ');
  expect(err.match(/^wrote /gm)).toHaveLength(4);
  expect(err).toMatch(/\n… and 76 more files\n$/);
  const printed = err.split(/^(?=removed )/m).at(-1) ?? '';
  expect(linesOf(`${run.host.out}${printed}`).length).toBeLessThan(SCREEN);
});
