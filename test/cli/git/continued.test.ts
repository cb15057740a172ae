import { expect, test } from 'vitest';
import { parse } from 'yaml';
import type { RolloutPlan } from '../../../schemas/generated/types/rolloutplan.ts';
import { cloneSet } from '../../compiler/world/manifests.ts';
import { type Clone, repositoryWith } from './clone.ts';
import { typeAll } from './typed.ts';

const PLAN = 'plans/shop/cloneset-web/plan.yaml';
const web = (tag: string, most: number): string =>
  cloneSet({ image: `nginx:${tag}`, spec: `    maxUnavailable: ${most}` });

/** Main has a plan of `before` at a time, and its continuation with `after`; `feature` reverts the continuation. */
async function reverted(before: number, after: number): Promise<Clone> {
  const clone = repositoryWith({ 'web.yaml': web('1', before) });
  clone.write({ 'web.yaml': web('2', before) });
  expect(await clone.kruise(['plan', '--base', 'HEAD'])).toMatchObject({ code: 0 });
  clone.commit('nginx 2');
  clone.write({ 'web.yaml': web('2', after) });
  expect(await clone.kruise(['plan', '--base', 'HEAD', '--continue'])).toMatchObject({ code: 0 });
  clone.commit('other limits');
  clone.git('checkout', '--quiet', '-b', 'feature');
  clone.git('revert', '--no-edit', 'HEAD');
  return clone;
}

function planIn(clone: Clone): RolloutPlan['spec'] {
  return (parse(clone.read(PLAN)) as RolloutPlan).spec;
}

const CONTINUE = /for the limits that it has now, run and commit: (.*?); to keep/;
const KEEP = /; to keep the plan of base: (.*)/;

test.each([
  ['wider', 1, 5],
  ['narrower', 5, 1],
])(
  'git revert of a continuation that was %s: the command of the check continues once more',
  async (_, before, after) => {
    const clone = await reverted(before, after);
    const atBase = parse(clone.git('show', `main:${PLAN}`)) as RolloutPlan;
    const checked = await clone.kruise(['plan', '--check', '--base', 'main']);
    expect(checked).toMatchObject({ code: 20 });
    expect(checked.err).toContain('KR3021');
    expect(checked.err).toContain('the plan at base continues this one');
    await typeAll(clone, CONTINUE.exec(checked.err)?.[1] ?? '');
    clone.commit('continued');
    const [first] = planIn(clone).supersedes ?? [];
    expect(first).toBe(atBase.spec.digest);
    expect(planIn(clone).steps.map(({ update }) => update?.window?.maxUnavailable)).toEqual([before]);
    expect(await clone.kruise(['plan', '--check', '--base', 'main'])).toMatchObject({ code: 0 });
  },
);

test('the other command keeps the plan of base', async () => {
  const clone = await reverted(1, 5);
  const checked = await clone.kruise(['plan', '--check', '--base', 'main']);
  await typeAll(clone, KEEP.exec(checked.err)?.[1] ?? '');
  clone.commit('kept');
  expect(clone.read(PLAN)).toBe(clone.git('show', `main:${PLAN}`));
  expect(await clone.kruise(['plan', '--check', '--base', 'main'])).toMatchObject({ code: 0 });
});

test('where the limits are those of base, there is nothing to continue', async () => {
  const clone = await reverted(1, 5);
  clone.write({ 'web.yaml': web('2', 5) });
  clone.commit('the limits stay');
  const checked = await clone.kruise(['plan', '--check', '--base', 'main']);
  expect(checked.err).toContain('help: run and commit: kruise plan --base main\n');
});
