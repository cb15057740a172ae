import { expect, test } from 'vitest';
import { validateRolloutPlan } from '../../schemas/generated/validate/rolloutplan.js';
import { plannedKinds } from '../../semantics/registry/registry.ts';
import { planDigest } from '../../semantics/plan/digest.ts';
import { toYaml } from '../../compiler/render/yaml.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { RolloutPlan } from '../../schemas/generated/types/rolloutplan.ts';
import { config, forecastIn, manifest, planIn, planned, v1, v2 } from './world/history.ts';
import { LIMITED, limited, limitsIn, onlyPlan } from './world/limited.ts';

const batches = config('batches: [{to: 1}, {to: 100%}]');

test('every kind with plans is in the matrix', () => {
  const kinds = new Set(LIMITED.map(({ kind }) => kind));
  expect([...kinds].sort()).toEqual(plannedKinds.map(({ id }) => `${id.group}/${id.kind}`).sort());
});

test.each(LIMITED)('$title: each step states every limit, and the digest covers it', async (each) => {
  const head = { ...limited(each, 'nginx:2', each.spec), ...batches };
  const { code, host, files } = await planned(limited(each, 'nginx:1', each.spec), head);
  expect({ code, err: host.err }).toMatchObject({ code: 0 });
  const { plan } = onlyPlan(files);
  expect(limitsIn(plan)).toEqual([each.stated, each.stated]);
  expect(validateRolloutPlan(plan)).toEqual([]);
  expect(plan.spec.digest).toBe(planDigest(plan.spec));
});

test('a field that kruise.yaml gives comes first, and the others are those of the manifest', async () => {
  const rule = 'batches: [{to: 1, window: {maxUnavailable: 1}}, {to: 100%, window: {maxSurge: 2}}]';
  const own = { spec: '    maxUnavailable: 3\n    maxSurge: 4' };
  const { files } = await planned(manifest({ ...v1, ...own }), {
    ...manifest({ ...v2, ...own }),
    ...config(rule),
  });
  expect(limitsIn(planIn(files))).toEqual([
    { window: { maxUnavailable: 1, maxSurge: 4 } },
    { window: { maxUnavailable: 3, maxSurge: 2 } },
  ]);
});

test('a step that pulls images states how many nodes do so at a time', async () => {
  const { files } = await planned(manifest(v1), { ...manifest(v2), ...config('pull: {}') });
  expect(planIn(files).spec.steps[0]?.pull).toEqual({ images: ['nginx:2'], parallelism: 1 });
});

test('a percentage is shown at the lowest and the highest number of replicas, too', async () => {
  const { files } = await planned(manifest(v1), { ...manifest(v2), ...batches });
  expect(forecastIn(files)).toContain('At most 2 at a time (20% of 10; 1 of 5, 4 of 20).');
});

/** A plan as an older kruise wrote it: with what kruise.yaml gives alone. */
function without(plan: RolloutPlan, keep: (index: number) => object): string {
  const steps = plan.spec.steps.map((step, index) =>
    step.update === undefined
      ? step
      : { ...step, update: { ...step.update, window: undefined, ...keep(index) } },
  );
  const spec = JSON.parse(JSON.stringify({ ...plan.spec, steps })) as RolloutPlan['spec'];
  return toYaml({ ...plan, spec: { ...spec, digest: planDigest(spec) } } as unknown as JsonObject);
}

const PLAN = 'plans/shop/cloneset-web/plan.yaml';

test('a check warns of a committed plan that lacks limits alone, and kruise plan writes them', async () => {
  const [base, head] = [manifest(v1), { ...manifest(v2), ...batches }];
  const { files } = await planned(base, head);
  const old = { ...files, [PLAN]: without(planIn(files), () => ({})) };
  const { code, host } = await planned(base, old, ['--check']);
  expect({ code, err: host.err }).toEqual({ code: 0, err: expect.stringContaining('warning[KR3028]') });
  expect(host.err).toContain('the committed plans are those of this change\n');
  expect((await planned(base, old)).files).toEqual(files);
  // Once it is merged, nothing but a change of its target writes it anew.
  const merged = await planned(old, old);
  expect(merged.files).toEqual(old);
  expect((await planned(old, old, ['--check'])).host.err).not.toContain('KR3028');
});

test('a check refuses a plan that lacks a limit of kruise.yaml, or that differs in more', async () => {
  const narrow = config('batches: [{to: 1, window: {maxUnavailable: 1}}, {to: 100%}]');
  const [base, head] = [manifest(v1), { ...manifest(v2), ...narrow }];
  const { files } = await planned(base, head);
  const codeOf = async (plan: string): Promise<number> =>
    (await planned(base, { ...files, [PLAN]: plan }, ['--check'])).code;
  const kept = { window: { maxUnavailable: 1 } };
  expect(await codeOf(without(planIn(files), (index) => (index === 0 ? kept : {})))).toBe(0);
  expect(await codeOf(without(planIn(files), () => ({})))).toBe(20);
  expect(await codeOf(without(planIn(files), (index) => (index === 0 ? kept : { to: '99%' })))).toBe(20);
  expect(await codeOf(without(planIn(files), () => ({ window: { maxUnavailable: 2 } })))).toBe(20);
});
