import { describe, expect, test } from 'vitest';
import { planDigest } from '../../semantics/plan/digest.ts';
import { planFile } from '../../compiler/render/plan-file.ts';
import { config, manifest, planIn, planned, v1, v2 } from './world/history.ts';
import type { Files } from './world/history.ts';
import { LIMITED, limited, limitsIn, onlyPlan } from './world/limited.ts';

const PLAN = 'plans/shop/cloneset-web/plan.yaml';
const batches = config('batches: [{to: 1}, {to: 100%}], approve: [1]');
const one = { spec: '    maxUnavailable: 1' };
const all = { spec: '    maxUnavailable: 100%' };

/** Files but one. */
function without(files: Files, path: string): Files {
  return Object.fromEntries(Object.entries(files).filter(([each]) => each !== path));
}

/** A plan of 1 at a time is merged; the manifest that its plan leads to allows all at once now. */
async function loosened(): Promise<{ base: Files; head: Files }> {
  const head = { ...manifest({ ...v2, ...one }), ...batches };
  const { files: base } = await planned(manifest({ ...v1, ...one }), head);
  return { base, head: { ...base, ...manifest({ ...v2, ...all }) } };
}

describe('a change of limits alone', () => {
  test('is settings only, and says what a plan that still runs keeps and what widens it', async () => {
    const { base, head } = await loosened();
    const { code, host, files } = await planned(base, head);
    expect(code).toBe(0);
    expect(files).toEqual(head);
    expect(host.out).toContain(
      'settings only (maxUnavailable); no pod changes; a plan that still runs keeps 1 at a time, and kruise plan --continue widens it',
    );
    const back = await planned(head, { ...head, ...manifest({ ...v2, ...one }) });
    expect(back.host.out).toContain('settings only (maxUnavailable); no pod changes\n');
  });

  test('nothing is kept by a plan that leads elsewhere, and a first change has none', async () => {
    const { base, head } = await loosened();
    expect((await planned(without(base, PLAN), head)).host.out).not.toContain('--continue');
    const other = { ...base, ...manifest({ image: 'nginx:3', ...one }) };
    const next = { ...base, ...manifest({ image: 'nginx:3', ...all }) };
    expect((await planned(other, next)).host.out).not.toContain('--continue');
  });
});

describe('plan --continue', () => {
  test('the plan at base with other limits, and nothing else', async () => {
    const { base, head } = await loosened();
    const { code, host, files } = await planned(base, head, ['--continue']);
    expect({ code, err: host.err }).toMatchObject({ code: 0 });
    const [before, after] = [planIn(base).spec, planIn(files).spec];
    const steps = before.steps.map((step) =>
      step.update === undefined
        ? step
        : { ...step, update: { ...step.update, window: { maxUnavailable: '100%', maxSurge: 0 } } },
    );
    expect(after).toEqual({
      ...before,
      steps,
      supersedes: [before.digest],
      digest: planDigest(after),
    });
    expect(host.out).toContain('the plan continues with other limits');
    expect(host.out).toContain('1 to continue with other limits');
  });

  test.each(LIMITED)(
    '$title: takes over what changed; without the option, a wider limit is reported',
    async (each) => {
      const first = { ...limited(each, 'nginx:2', each.spec), ...config('batches: [{to: 1}, {to: 100%}]') };
      const { files: base } = await planned(limited(each, 'nginx:1', each.spec), first);
      const head = { ...base, ...limited(each, 'nginx:2', each.other) };
      const { host: said } = await planned(base, head);
      const { code, host, files } = await planned(base, head, ['--continue']);
      const isSame = JSON.stringify(each.stated) === JSON.stringify(each.otherStated);
      expect({ code, err: host.err }).toMatchObject({ code: isSame ? 1 : 0 });
      expect(limitsIn(onlyPlan(files).plan)).toEqual([each.otherStated, each.otherStated]);
      expect(host.err.includes('error[KR3029]')).toBe(isSame);
      const isWider = !isSame && each.title !== 'BroadcastJob, its default';
      expect(said.out.includes('kruise plan --continue widens it')).toBe(isWider);
    },
  );

  test('kruise.yaml keeps its own limits, by the ids of steps, and gives no other steps', async () => {
    const { base, head } = await loosened();
    const narrow = 'batches: [{to: 1, window: {maxUnavailable: 2}}, {to: 50%}, {to: 100%}]';
    const { files } = await planned(base, { ...head, ...config(narrow) }, ['--continue']);
    expect(limitsIn(planIn(files))).toEqual([
      { window: { maxUnavailable: 2, maxSurge: 0 } },
      { window: { maxUnavailable: '100%', maxSurge: 0 } },
    ]);
    expect(planIn(files).spec.steps.map(({ id }) => id)).toEqual(['batch-1', 'approve-1', 'batch-2']);
  });

  describe('where kruise.yaml has other batches than the plan', () => {
    const narrow = 'window: {maxUnavailable: 1}';
    const old = config(`batches: [{to: 1, ${narrow}}, {to: 50%, ${narrow}}, {to: 100%, ${narrow}}]`);
    const kept = { window: { maxUnavailable: 1, maxSurge: 0 } };
    const own = { window: { maxUnavailable: '100%', maxSurge: 0 } };
    const given = (maxUnavailable: number): object => ({ window: { maxUnavailable, maxSurge: 0 } });

    test.each<
      [what: string, batches: string | undefined, stated: readonly object[], said: readonly string[]]
    >([
      [
        'one is added before: the others are found by their size',
        `batches: [{to: 1, ${narrow}}, {to: 20%}, {to: 50%, window: {maxUnavailable: 3}}, {to: 100%, window: {maxUnavailable: 4}}]`,
        [kept, given(3), given(4)],
        [],
      ],
      [
        'one has another size: its step keeps its limits, with a warning',
        `batches: [{to: 1, ${narrow}}, {to: 60%, window: {maxUnavailable: 3}}, {to: 100%, window: {maxUnavailable: 4}}]`,
        [kept, kept, given(4)],
        ['step batch-2 keeps maxUnavailable 1 and maxSurge 0: no batch of kruise.yaml leads to 50%'],
      ],
      [
        'there are none any more: the last step is the one that is left',
        undefined,
        [kept, kept, own],
        [
          'step batch-1 keeps maxUnavailable 1 and maxSurge 0: no batch of kruise.yaml leads to 1',
          'step batch-2 keeps maxUnavailable 1 and maxSurge 0: no batch of kruise.yaml leads to 50%',
        ],
      ],
    ])('%s', async (_, next, stated, said) => {
      const first = { ...manifest({ ...v2, ...all }), ...old };
      const { files: base } = await planned(manifest({ ...v1, ...all }), first);
      const head = next === undefined ? without(base, 'kruise.yaml') : { ...base, ...config(next) };
      const { code, host, files } = await planned(base, head, ['--continue']);
      expect({ code, limits: limitsIn(planIn(files)) }).toEqual({ code: 0, limits: stated });
      expect(host.err.match(/warning\[KR3036\]: .*/g) ?? []).toEqual(
        said.map((each) => `warning[KR3036]: ${each}`),
      );
      const checked = await planned(base, files, ['--check']);
      expect({ code: checked.code, err: checked.host.err }).toMatchObject({ code: 0 });
    });

    test('a limit that the manifest gives all the same is not reported', async () => {
      const plain = config('batches: [{to: 1}, {to: 50%}, {to: 100%}]');
      const { files: base } = await planned(manifest({ ...v1, ...one }), {
        ...manifest({ ...v2, ...one }),
        ...plain,
      });
      const head = {
        ...base,
        ...config('batches: [{to: 1}, {to: 60%}, {to: 100%, window: {maxUnavailable: 3}}]'),
      };
      const { code, host } = await planned(base, head, ['--continue']);
      expect({ code, isSaid: host.err.includes('KR3036') }).toEqual({ code: 0, isSaid: false });
    });

    test('where no step gets other limits, the reason says which batches are missing', async () => {
      const { files: base } = await planned(manifest({ ...v1, ...all }), {
        ...manifest({ ...v2, ...all }),
        ...config(`batches: [{to: 1, ${narrow}}, {to: 100%}]`),
      });
      const head = { ...base, ...config('batches: [{to: 2, window: {maxUnavailable: 3}}, {to: 100%}]') };
      const { code, host } = await planned(base, head, ['--continue', '--target', 'CloneSet/web']);
      expect({ code, err: host.err }).toEqual({
        code: 1,
        err: expect.stringContaining(
          'error[KR3029]: CloneSet/web cannot be continued: no batch of kruise.yaml leads to 1',
        ),
      });
    });
  });

  test('it continues also where the limits were merged before', async () => {
    const { head } = await loosened();
    const { code, files } = await planned(head, head, ['--continue', '--target', 'CloneSet/web']);
    expect(code).toBe(0);
    expect(planIn(files).spec.supersedes).toEqual([planIn(head).spec.digest]);
  });

  test('an attempt stays the same one', async () => {
    const { base } = await loosened();
    const { files: second } = await planned(base, base, ['--again']);
    const head = { ...second, ...manifest({ ...v2, ...all }) };
    const { files } = await planned(second, head, ['--continue']);
    expect(planIn(files).spec).toMatchObject({ attempt: 2 });
  });

  test('a plan without limits is continued only if it is named, or if the limits change', async () => {
    const { base, head } = await loosened();
    const bare = { ...planIn(base) };
    const steps = bare.spec.steps.map((step) =>
      step.update === undefined ? step : { ...step, update: { to: step.update.to } },
    );
    const spec = { ...bare.spec, steps };
    const old = planFile({ ...bare, spec: { ...spec, digest: planDigest(spec) } });
    const unchanged = { ...base, [PLAN]: old };
    const refused = await planned(unchanged, unchanged, ['--continue']);
    expect(refused.code).toBe(1);
    expect(refused.host.err).toContain(
      'help: name it, as its plan states no limits: kruise plan --continue --target CloneSet/web',
    );
    expect((await planned(unchanged, unchanged, ['--continue', '--target', 'web'])).code).toBe(0);
    const { code, files } = await planned(unchanged, { ...head, [PLAN]: old }, ['--continue']);
    expect(code).toBe(0);
    expect(limitsIn(planIn(files))).toHaveLength(2);
  });

  test.each<[what: string, base: (files: Files) => Files, head: (files: Files) => Files, reason: string]>([
    ['no plan at base', (files) => without(files, PLAN), (files) => files, 'no plan at base is for it'],
    [
      'another template',
      (files) => files,
      (files) => ({ ...files, ...manifest({ image: 'nginx:3', ...all }) }),
      'its manifest changes, which is planned as usual',
    ],
    [
      'another template without a plan',
      (files) => ({ ...files, ...manifest({ image: 'nginx:3', ...one }) }),
      (files) => ({ ...files, ...manifest({ image: 'nginx:3', ...all }) }),
      'the plan at base leads to another template or bound',
    ],
    [
      'another bound',
      (files) => files,
      (files) => ({ ...files, ...manifest({ ...v2, spec: '    partition: 5' }) }),
      'its manifest changes, which is planned as usual',
    ],
    [
      'the same limits',
      (files) => files,
      (files) => ({ ...files, ...manifest({ ...v2, ...one }) }),
      'has the limits',
    ],
    ['no manifest', (files) => files, (files) => without(files, 'web.yaml'), 'its manifest is removed'],
  ])('is refused with %s', async (_, at, next, reason) => {
    const { base, head } = await loosened();
    const { code, host } = await planned(at(base), next(head), ['--continue', '--target', 'CloneSet/web']);
    expect({ code, err: host.err }).toEqual({ code: 1, err: expect.stringContaining(reason) });
    expect(host.err).toContain('error[KR3029]');
  });

  test('is refused where no target can be continued, and together with --again', async () => {
    const { base } = await loosened();
    const { host } = await planned(base, base, ['--continue']);
    expect(host.err).toContain('nothing can be continued: no plan at base leads to its manifest');
    expect((await planned(base, base, ['--continue', '--again'])).host.err).toContain('exclude each other');
  });
});

describe('a committed continuation', () => {
  test('passes a check without the option, is written once, and ends with the change of limits', async () => {
    const { base, head } = await loosened();
    const { files } = await planned(base, head, ['--continue']);
    const { code, host } = await planned(base, files, ['--check']);
    expect({ code, err: host.err }).toMatchObject({ code: 0 });
    expect((await planned(base, files)).files).toEqual(files);
    const taken = { ...files, ...manifest({ ...v2, ...one }) };
    expect((await planned(base, taken, ['--check'])).code).toBe(20);
    expect((await planned(base, taken)).files).toEqual(base);
    const next = await planned(base, { ...files, ...manifest({ ...v2, spec: '    maxUnavailable: 5' }) });
    expect(limitsIn(planIn(next.files))[1]).toEqual({ window: { maxUnavailable: 5, maxSurge: 0 } });
  });

  test.each<[what: string, edit: (spec: ReturnType<typeof planIn>['spec']) => object]>([
    ['without a gate', ({ steps }) => ({ steps: steps.filter(({ approve }) => !approve) })],
    [
      'with wider limits',
      ({ steps }) => ({
        steps: steps.map((step) =>
          step.update
            ? { ...step, update: { ...step.update, window: { maxUnavailable: 9, maxSurge: 9 } } }
            : step,
        ),
      }),
    ],
    [
      'without limits',
      ({ steps }) => ({
        steps: steps.map((step) => (step.update ? { ...step, update: { to: step.update.to } } : step)),
      }),
    ],
    ['with another mode', ({ from }) => ({ from: from.map((entry) => ({ ...entry, mode: 'Recreate' })) })],
  ])('%s is refused', async (_, edit) => {
    const { base, head } = await loosened();
    const { files } = await planned(base, head, ['--continue']);
    const plan = planIn(files);
    const spec = { ...plan.spec, ...edit(plan.spec) };
    const text = planFile({ ...plan, spec: { ...spec, digest: planDigest(spec) } });
    expect((await planned(base, { ...files, [PLAN]: text }, ['--check'])).code).toBe(20);
  });
});
