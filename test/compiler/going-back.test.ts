import { expect, test } from 'vitest';
import { planDigest } from '../../semantics/plan/digest.ts';
import { planFile } from '../../compiler/render/plan-file.ts';
import { config, forecastIn, manifest, planIn, planned, v1, v2 } from './world/history.ts';
import type { Files } from './world/history.ts';
import { LIMITED, limited, limitsIn, onlyPlan } from './world/limited.ts';

const PLAN = 'plans/shop/cloneset-web/plan.yaml';
const batches = config(
  'batches: [{to: 1, window: {maxUnavailable: 1}}, {to: 100%, window: {maxUnavailable: 1}}]',
);
const half = { spec: '    maxUnavailable: 50%' };

/** A plan of 1 at a time is merged, and its change is taken back. */
async function reverted(): Promise<{ base: Files; head: Files }> {
  const next = { ...manifest({ ...v2, ...half }), ...batches };
  const { files: base } = await planned(manifest({ ...v1, ...half }), next);
  return { base, head: { ...base, ...manifest({ ...v1, ...half }) } };
}

test('--going-back writes a plan of the revert with this limit, and the steps of kruise.yaml', async () => {
  const { base, head } = await reverted();
  const usual = planIn((await planned(base, head)).files).spec;
  const { code, host, files } = await planned(base, head, ['--going-back', '25%']);
  expect({ code, err: host.err }).toMatchObject({ code: 0 });
  const window = { maxUnavailable: '25%', maxSurge: 0 };
  const steps = usual.steps.map((step) => ({ ...step, update: { ...step.update, window } }));
  const plan = planIn(files).spec;
  expect(plan).toEqual({ ...usual, steps, digest: planDigest(plan) });
  expect(plan.to.hash).toBe(planIn(base).spec.from[0]?.hash);
  expect(forecastIn(files)).toContain('It keeps to the limits of this plan if it has it.');
  expect(forecastIn(files)).toContain('At most 3 at a time (25% of 10, rounded up; 2 of 5, 5 of 20).');
});

test.each(LIMITED.filter(({ stated }) => 'window' in stated))(
  '$title: each limit that is open',
  async (each) => {
    const next = { ...limited(each, 'nginx:2', each.spec), ...config('batches: [{to: 1}, {to: 100%}]') };
    const { files: base } = await planned(limited(each, 'nginx:1', each.spec), next);
    const head = { ...base, ...limited(each, 'nginx:1', each.spec) };
    const { files } = await planned(base, head, ['--going-back', '1']);
    const { window } = each.stated as { window: object };
    const open = Object.fromEntries(Object.entries(window).map(([field, own]) => [field, own === 0 ? 0 : 1]));
    expect(limitsIn(onlyPlan(files).plan)).toEqual([{ window: open }, { window: open }]);
    expect((await planned(base, files, ['--check'])).code).toBe(0);
  },
);

test('a check accepts it, and a second run leaves it as it is', async () => {
  const { base, head } = await reverted();
  const { files } = await planned(base, head, ['--going-back', '3']);
  expect((await planned(base, files, ['--check'])).code).toBe(0);
  expect((await planned(base, files)).files).toEqual(files);
});

test('what git took back with the manifest is written anew with this limit', async () => {
  const { base } = await reverted();
  const first = { ...manifest({ ...v1, ...half }), ...batches };
  const limit = { window: { maxUnavailable: '25%', maxSurge: 0 } };
  const removed = await planned(base, first, ['--going-back', '25%']);
  expect(limitsIn(planIn(removed.files))).toEqual([limit, limit]);
  const { files: next } = await planned(base, { ...base, ...manifest({ image: 'nginx:3', ...half }) });
  const { files } = await planned(next, base, ['--going-back', '25%']);
  expect(limitsIn(planIn(files))).toEqual([limit, limit]);
  expect((await planned(next, files, ['--check'])).code).toBe(0);
  expect((await planned(next, files)).files).toEqual(files);
  expect((await planned(next, base)).files).toEqual(base);
  expect((await planned(next, base, ['--check', '--going-back', '25%'])).code).toBe(0);
});

test('of two limits that are equal here, the forecast names the one that is lower elsewhere', async () => {
  const own = { spec: '    maxUnavailable: 30%' };
  const { files: base } = await planned(manifest({ ...v1, ...own }), manifest({ ...v2, ...own }));
  for (const [limit, said] of [
    ['25%', 'At most 3 at a time (25% of 10, rounded up; 2 of 5, 5 of 20).'],
    ['3', 'At most 3 at a time.'],
  ] as const) {
    const { files } = await planned(base, manifest({ ...v1, ...own }), ['--going-back', limit]);
    expect(forecastIn(files)).toContain(said);
  }
});

test('a check refuses one that differs in more, and a wider one where nothing goes back', async () => {
  const { base, head } = await reverted();
  const { files } = await planned(base, head, ['--going-back', '3']);
  const plan = planIn(files);
  const steps = plan.spec.steps.slice(1);
  const text = planFile({
    ...plan,
    spec: { ...plan.spec, steps, digest: planDigest({ ...plan.spec, steps }) },
  });
  expect((await planned(base, { ...files, [PLAN]: text }, ['--check'])).code).toBe(20);
  const first = { ...manifest({ ...v2, ...half }), ...batches };
  const wide = planIn((await planned(manifest({ ...v1, ...half }), first)).files);
  const widened = {
    ...wide.spec,
    steps: wide.spec.steps.map((step) => ({
      ...step,
      update: { ...step.update, to: step.update?.to ?? 1, window: { maxUnavailable: 3, maxSurge: 0 } },
    })),
  };
  const planText = planFile({ ...wide, spec: { ...widened, digest: planDigest(widened) } });
  const { code } = await planned(manifest({ ...v1, ...half }), { ...first, [PLAN]: planText }, ['--check']);
  expect(code).toBe(20);
});

test('wider than the manifest is a warning: the lower one applies', async () => {
  const { base, head } = await reverted();
  const { code, host } = await planned(base, head, ['--going-back', '80%']);
  expect({ code, err: host.err }).toEqual({ code: 0, err: expect.stringContaining('warning[KR3006]') });
  expect(host.err).toContain('help: lower the limit of --going-back, or raise the field in the manifest');
});

test('is refused where nothing goes back, and with what is no number of pods', async () => {
  const { base } = await reverted();
  const { code, host } = await planned(base, base, ['--going-back', '25%']);
  expect({ code, err: host.err }).toEqual({ code: 1, err: expect.stringContaining('error[KR3030]') });
  for (const wrong of ['0', '0%', '-1', '25.5%', 'all', '']) {
    const refused = await planned(base, base, [`--going-back=${wrong}`]);
    expect({ code: refused.code, err: refused.host.err }).toEqual({
      code: 1,
      err: expect.stringContaining('--going-back'),
    });
  }
});
