import { parse } from 'yaml';
import { describe, expect, test } from 'vitest';
import type { RolloutPlan } from '../../schemas/generated/types/rolloutplan.ts';
import { validateRolloutPlan } from '../../schemas/generated/validate/rolloutplan.js';
import { planDigest } from '../../semantics/plan/digest.ts';
import { templateHash } from '../../semantics/template/canonical.ts';
import { planned } from './world/history.ts';
import type { Files } from './world/history.ts';
import { broadcastJob } from './world/run-cases.ts';
import type { JobParts } from './world/run-cases.ts';

const PLAN = 'plans/ops/broadcastjob-fix/plan.yaml';
const FORECAST = 'plans/ops/broadcastjob-fix/forecast.md';
const job = (parts: JobParts = {}): Files => ({ 'fix.yaml': broadcastJob(parts) });
/** A repository without manifests. */
const EMPTY: Files = { 'notes.txt': '' };
const first = job();
const second = job({ image: 'fix:2' });
const plansOf = (files: Files): Files =>
  Object.fromEntries(Object.entries(files).filter(([path]) => path.startsWith('plans/')));

function planIn(files: Files): RolloutPlan {
  const plan = parse(files[PLAN] ?? '') as RolloutPlan;
  expect(validateRolloutPlan(plan)).toEqual([]);
  expect(planDigest(plan.spec)).toBe(plan.spec.digest);
  return plan;
}

/** The files after a commit is planned on top of others. */
async function committed(base: Files, head: Files, args: readonly string[] = []): Promise<Files> {
  const { code, host, files } = await planned(base, { ...plansOf(base), ...head }, args);
  expect({ code, err: host.err }).toMatchObject({ code: 0 });
  return files;
}

/** What a check says of a commit, and what it prints of the change. */
async function checked(base: Files, head: Files): Promise<{ code: number; title: string | undefined }> {
  const { code, host } = await planned(base, head, ['--check']);
  return { code, title: /BroadcastJob \S+: (.*)/.exec(host.out)?.[1] };
}

describe('a run and its plan', () => {
  test('a new object is the change: its plan starts from nothing and cannot go back', async () => {
    const { spec } = planIn(await committed(EMPTY, first));
    const { template } = (parse(broadcastJob()) as { spec: { template: object } }).spec;
    expect(spec).toMatchObject({
      target: { kind: 'BroadcastJob', name: 'fix' },
      to: { hash: templateHash(template as never), bound: {} },
      from: [],
      irreversible: 'what ran on a node stays done, and a run cannot go back',
      steps: [{ id: 'run', run: { to: '100%' } }],
    });
    expect(spec).not.toHaveProperty('supersedes');
    expect(spec).not.toHaveProperty('attempt');
  });

  test('without a plan, a check of a new object fails', async () => {
    expect(await checked(EMPTY, first)).toEqual({ code: 20, title: 'new run, once on each node that fits' });
    expect((await checked(EMPTY, await committed(EMPTY, first))).code).toBe(0);
  });

  test('another template is another run, shown as one, which supersedes the plan before it', async () => {
    const before = await committed(EMPTY, first);
    const { host, files } = await planned(before, { ...before, ...second });
    expect(planIn(files).spec).toMatchObject({ from: [], supersedes: [planIn(before).spec.digest] });
    expect(planIn(files).spec.to.hash).not.toBe(planIn(before).spec.to.hash);
    expect(host.out).toContain('new run, once on each node that fits; the template changed');
    expect(host.out).toContain('template.spec.containers[fix].image: fix:1 → fix:2');
    expect(host.out).toContain('Plan: 0 to roll out, 1 to run.');
    expect(files[FORECAST]).toContain('nodes that ran the one before run this one, too');
    expect(files[FORECAST]).toContain('| `template.spec.containers[fix].image` | `fix:1` → `fix:2` |');
  });

  test.each([
    ['parallelism', { spec: '  parallelism: 2' }],
    ['failurePolicy.type', { spec: '  failurePolicy: {type: Continue}' }],
    ['paused', { spec: '  paused: true' }],
  ])('another %s is the same run, with the same plan', async (name, parts) => {
    const before = await committed(EMPTY, first);
    const { host, files } = await planned(before, { ...before, ...job(parts) });
    expect(plansOf(files)).toEqual(plansOf(before));
    expect(host.out).toContain(`settings only (${name}); the run stays the same`);
    expect((await checked(before, files)).code).toBe(0);
  });

  test('other steps in kruise.yaml are planned on request, for the same run', async () => {
    const before = await committed(EMPTY, first);
    const config = {
      'kruise.yaml': 'steps: [{match: {}, batches: [{to: 1}, {to: 100%}], between: {soak: 5m}}]',
    };
    const same = await committed(before, { ...first, ...config });
    expect(plansOf(same)).toEqual(plansOf(before));
    const again = planIn(await committed(before, { ...first, ...config }, ['--again'])).spec;
    expect(again.to).toEqual(planIn(before).spec.to);
    expect(again).toMatchObject({ attempt: 2, supersedes: [planIn(before).spec.digest], from: [] });
    expect(again.steps.map(({ id }) => id)).toEqual(['batch-1', 'soak-1', 'batch-2']);
  });

  test('a run that was merged without a plan gets one by name, and never by a request for all', async () => {
    const one = await planned(first, first, ['--again', '--target', 'BroadcastJob/fix']);
    expect(planIn(one.files).spec).not.toHaveProperty('attempt');
    expect(one.files[FORECAST]).toContain('The manifest had no plan for it');
    const all = await planned(first, first, ['--again']);
    expect(all.code).toBe(1);
    expect(plansOf(all.files)).toEqual({});
  });

  test('a removed manifest makes its plan obsolete', async () => {
    const before = await committed(EMPTY, first);
    const { code, host } = await planned(before, { ...EMPTY, ...plansOf(before) }, ['--check']);
    expect(code).toBe(20);
    expect(host.out).toContain('removed; a run under way ends with it');
    expect(plansOf(await committed(before, EMPTY))).toEqual({
      [FORECAST]: expect.stringMatching(/^# BroadcastJob `\S+`: removed; a run under way ends with it\n/),
    });
  });

  test('a template that was changed without a plan is named, as it starts nothing', async () => {
    const before = await committed(EMPTY, first);
    const merged = { ...before, ...second };
    const { code, host } = await planned(merged, merged);
    expect(code).toBe(0);
    expect(host.err).toContain('the plan of BroadcastJob ops/fix is for another run');
    const mended = await committed(merged, second, ['--again', '--target', 'BroadcastJob/fix']);
    expect(planIn(mended).spec.supersedes).toEqual([planIn(before).spec.digest]);
    expect((await planned(mended, mended)).host.err).not.toContain('another run');
  });

  test('a revert passes with the plan of the earlier run', async () => {
    const before = await committed(EMPTY, first);
    const after = await committed(before, second);
    expect((await checked(after, before)).code).toBe(0);
  });
});

describe('the forecast of a run', () => {
  const steps = (text: string): Files => ({ 'kruise.yaml': text });
  const waves =
    'steps: [{match: {}, batches: [{to: 1, timeout: 10m}, {to: 10%, parallelism: 2, spread: zone, timeout: 30m}, {to: 100%, timeout: 1h}], between: {soak: 10m, check: [{use: rate, for: 5m}]}}]';

  test('shows the nodes of each step at 10, 100 and 1,000 nodes', async () => {
    const page = (await committed(EMPTY, { ...first, ...steps(waves) }))[FORECAST];
    expect(page).toContain('| `batch-1` | run on 1 | 1, 1 at a time | 1, 1 at a time | 1, 1 at a time |');
    expect(page).toContain(
      '| `batch-2` | run on 10%, parallelism 2, one zone at a time | 1, no more | 10, 2 at a time | 100, 2 at a time |',
    );
    expect(page).toContain('At most 9 of 10, 90 of 100 and 900 of 1,000 nodes run it at one time.');
    expect(page).toContain('In batch-2 these are of one zone at a time');
    // Timeouts of 1h40m, soaks of 20m, checks of 10m.
    expect(page).toContain('It takes at most 2h10m, or fails');
  });

  test('or at the number that kruise.yaml assumes, under the parallelism of the manifest', async () => {
    const config = `assume: {nodes: 40}\n${waves}`;
    const head = { ...job({ spec: '  parallelism: 25%' }), ...steps(config) };
    const page = (await committed(EMPTY, head))[FORECAST];
    expect(page).toContain('| step | what | nodes of 40 |');
    expect(page).toContain('| 40, 10 at a time |');
    expect(page).toContain('kruise.yaml assumes 40 nodes.');
  });

  test.each<[what: string, parts: JobParts, config: string, expected: string]>([
    [
      'what the pod may do to its node',
      { pod: '      hostPID: true\n      hostNetwork: true' },
      '',
      'may do to its node: the network of the node (hostNetwork); all processes of the node (hostPID).',
    ],
    ['that it does nothing', {}, '', 'it asks for nothing of its node'],
    ['that a failed pod stops it', {}, '', 'A failed pod stops it: it begins on no further node.'],
    [
      'or does not',
      { spec: '  failurePolicy: {type: Continue}' },
      '',
      'A failed pod does not stop it (failurePolicy Continue).',
    ],
    ['that harm goes unnoticed', {}, '', 'There is no soak or check'],
    [
      'or stops it',
      {},
      'steps: [{match: {}, batches: [{to: 1}, {to: 100%}], between: {soak: 1m}}]',
      'So does harm to a node in a soak or check',
    ],
    ['that it cannot go back', {}, '', 'Not reversible: what ran on a node stays done'],
    ['why its time has no limit', {}, '', 'How long it takes has no limit: run has no timeout.'],
    [
      'nor with a person',
      {},
      'steps: [{match: {}, batches: [{to: 1}, {to: 100%}], approve: [1], timeout: 5m}]',
      'How long it takes has no limit: approve-1 waits for a person.',
    ],
    ['what becomes of nodes that join', {}, '', 'After the end it runs on no further node.'],
    [
      'or that they run it without a gate',
      { spec: '  completionPolicy: {type: Never}' },
      '',
      'After the end, nodes that join run it without a gate (completionPolicy Never).',
    ],
    [
      'that it is paused',
      { spec: '  paused: true' },
      '',
      'It begins on no node while the target itself is paused.',
    ],
  ])('says %s', async (_, parts, config, expected) => {
    const head = { ...job(parts), ...(config === '' ? {} : steps(config)) };
    expect((await committed(EMPTY, head))[FORECAST]).toContain(expected);
  });

  test('is in the output for machines', async () => {
    const { host } = await planned(EMPTY, first, ['-o', 'json']);
    const { changes } = JSON.parse(host.out) as { changes: { action: string; forecast: object }[] };
    expect(changes[0]).toMatchObject({
      action: 'Run',
      forecast: {
        units: [10, 100, 1000],
        rows: [{ id: 'run', gate: false, waves: [{ units: 10, started: 10, atOnce: 10 }, {}, {}] }],
      },
    });
  });
});
