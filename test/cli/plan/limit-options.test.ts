import { parse } from 'yaml';
import { describe, expect, test } from 'vitest';
import type { RolloutPlan } from '../../../schemas/generated/types/rolloutplan.ts';
import { type Files, manifest, planIn, planned, v1, v2 } from '../../compiler/world/history.ts';
import { limitsIn } from '../../compiler/world/limited.ts';
import { cloneSet } from '../../compiler/world/manifests.ts';
import { type Clone, repositoryWith } from '../git/clone.ts';

const one = { spec: '    maxUnavailable: 1' };
const five = { spec: '    maxUnavailable: 5' };

/** A plan of 1 at a time is at base. */
async function running(): Promise<Files> {
  return (await planned(manifest({ ...v1, ...one }), manifest({ ...v2, ...one }))).files;
}

describe('a value that is malformed names its option', () => {
  test.each<[args: string[], said: string]>([
    [['--going-back', '250%'], '--going-back needs how many pods change at a time, not 250%'],
    [['--going-back', '101%'], '--going-back needs'],
    [['--going-back', '0%'], '--going-back needs'],
    [['--going-back', '0'], '--going-back needs'],
    [['--going-back', '1e3'], '--going-back needs'],
    [['--going-back', '9999999999'], '--going-back needs'],
    [['--going-back', ' 25%'], '--going-back needs'],
    [['--going-back'], '--going-back needs a value'],
    [['--continue=5'], '--continue takes no value'],
    [['--continue', '--target'], '--target needs a value'],
    [['--continue', '--target', ''], '--target needs a value'],
    [['--continue', '--target', 'a/b/c/d'], "--target: 'a/b/c/d' is not a target"],
    [['--continue', '--target', 'Foo/web'], '--target: '],
    [['--target', 'CloneSet/web'], '--target needs --again or --continue'],
    [['--continue', '--again'], '--again and --continue exclude each other'],
  ])('%j', async (args, said) => {
    const base = await running();
    const { code, host, files } = await planned(base, base, args);
    expect({ code, err: host.err }).toEqual({ code: 1, err: expect.stringContaining(said) });
    expect(files).toEqual(base);
  });

  test.each(['1%', '100%', '1', '999999999'])('--going-back %s is none', async (limit) => {
    const base = await running();
    const { code, files } = await planned(base, { ...base, ...manifest({ ...v1, ...one }) }, [
      `--going-back=${limit}`,
    ]);
    expect(code).toBe(0);
    const maxUnavailable = limit.endsWith('%') ? limit : Number(limit);
    expect(limitsIn(planIn(files))).toEqual([{ window: { maxUnavailable, maxSurge: 0 } }]);
  });
});

describe('with --check', () => {
  test('a continuation that is missing, and the command that writes it', async () => {
    const base = await running();
    const head = { ...base, ...manifest({ ...v2, ...five }) };
    const { code, host } = await planned(base, head, ['--check', '--continue', '--target', 'CloneSet/web']);
    expect(code).toBe(20);
    expect(host.err).toContain('is out of date: it is still the plan at base');
    expect(host.err).toContain('kruise plan head --base-dir base --continue --target CloneSet/web');
    const { files } = await planned(base, head, ['--continue', '--target', 'CloneSet/web']);
    expect((await planned(base, files, ['--check', '--continue'])).code).toBe(0);
  });

  test('a plan of a revert with another limit, and the command that writes it', async () => {
    const base = await running();
    const { files } = await planned(base, { ...base, ...manifest({ ...v1, ...one }) }, ['--going-back', '1']);
    const { code, host } = await planned(base, files, ['--check', '--going-back', '50%']);
    expect(code).toBe(20);
    expect(host.err).toContain('kruise plan head --base-dir base --going-back 50%');
  });
});

test('a target that does not exist is named, with the one that is meant', async () => {
  const base = await running();
  const { code, host } = await planned(base, base, ['--continue', '--target', 'CloneSet/wep']);
  expect(code).toBe(1);
  expect(host.err).toMatch(/KR3029]: CloneSet\/wep cannot be continued: .*\n.*did you mean .*web/);
});

describe('of two roots', () => {
  const both = (tag: string, prod: number, staging: number) => ({
    'apps/prod/web.yaml': cloneSet({ image: `nginx:${tag}`, spec: `    maxUnavailable: ${prod}` }),
    'apps/staging/web.yaml': cloneSet({ image: `nginx:${tag}`, spec: `    maxUnavailable: ${staging}` }),
  });
  const of = (clone: Clone, root: string): unknown =>
    limitsIn(parse(clone.read(`plans/${root}/shop/cloneset-web/plan.yaml`)) as RolloutPlan);
  const at = (maxUnavailable: number | string): unknown => [{ window: { maxUnavailable, maxSurge: 0 } }];

  async function twoRoots(): Promise<Clone> {
    const roots = 'roots:\n- {name: prod, path: apps/prod}\n- {name: staging, path: apps/staging}\n';
    const clone = repositoryWith({ 'kruise.yaml': roots, ...both('1', 1, 1) });
    clone.write(both('2', 1, 1));
    expect(await clone.kruise(['plan', '--base', 'HEAD'])).toMatchObject({ code: 0 });
    clone.commit('nginx 2');
    return clone;
  }

  test('the one with other limits is continued, and the other one is left as it is', async () => {
    const clone = await twoRoots();
    clone.write(both('2', 5, 1));
    const ran = await clone.kruise(['plan', '--base', 'HEAD', '--continue', '--target', 'CloneSet/web']);
    expect({ code: ran.code, err: ran.err }).toEqual({ code: 0, err: expect.not.stringContaining('KR3029') });
    expect([of(clone, 'prod'), of(clone, 'staging')]).toEqual([at(5), at(1)]);
    const checked = await clone.kruise(['plan', '--base', 'HEAD', '--check', '--continue']);
    expect(checked).toMatchObject({ code: 0 });
  });

  test('the one that goes back gets the limit; where none does, both say so, and nothing is written', async () => {
    const clone = await twoRoots();
    const none = await clone.kruise(['plan', '--base', 'HEAD', '--going-back', '25%']);
    expect(none.code).toBe(1);
    expect(none.err.match(/KR3030/g)).toHaveLength(2);
    clone.write({ 'apps/prod/web.yaml': both('1', 1, 1)['apps/prod/web.yaml'] });
    expect(await clone.kruise(['plan', '--base', 'HEAD', '--going-back', '25%'])).toMatchObject({ code: 0 });
    expect([of(clone, 'prod'), of(clone, 'staging')]).toEqual([at('25%'), at(1)]);
  });
});

test('what a continuation prints', async () => {
  const base = await running();
  const { host } = await planned(base, { ...base, ...manifest({ ...v2, ...five }) }, ['--continue']);
  expect(host.out).toMatchInlineSnapshot(`
    "  ~ CloneSet shop/web: the plan continues with other limits
          ~ template.spec.containers[nginx].image: nginx:1 → nginx:2
          > update  update to 100%, 5 at a time, in 2 rounds  10/10 pods
          This is the plan at base with other limits. A rollout goes on at the step that it has reached, and pods on the new revision stay as they are.
          At most 5 at a time. The update itself keeps at least 5 of 10 available.
          Changed containers restart. The pods keep their names and IPs.
          No approval is needed.
          There is no soak. An update step fails when no pod becomes available for 10m.
          If a step fails, the rollout halts there.
          Reverting this commit moves no pod back. Restoring the previous template does, without gates.
          Also changed: maxUnavailable from 1 to 5.
          Steps: one, there is no kruise.yaml.

    Plan: 0 to roll out, 1 to continue with other limits.
    "
  `);
});

test('what a plan of a revert prints', async () => {
  const base = await running();
  const { host } = await planned(base, { ...base, ...manifest({ ...v1, ...five }) }, ['--going-back', '25%']);
  expect(host.out).toMatchInlineSnapshot(`
    "  ~ CloneSet shop/web: 10 pods updated in place
          ~ template.spec.containers[nginx].image: nginx:2 → nginx:1
          > update  update to 100%, 3 at a time, in 4 rounds  10/10 pods
          This goes back to where the plan at base starts. A cluster that accepted that plan, and was complete there before, goes back without gates and soaks, and needs no plan. It keeps to the limits of this plan if it has it. Others follow these steps.
          At most 3 at a time (25% of 10, rounded up; 2 of 5, 5 of 20). The update itself keeps at least 7 of 10 available.
          Changed containers restart. The pods keep their names and IPs.
          No approval is needed.
          There is no soak. An update step fails when no pod becomes available for 10m.
          If a step fails, the rollout halts there.
          Reversible: revert the commit, and the pods go back without gates.
          Also changed: maxUnavailable from 1 to 5.
          Steps: one, there is no kruise.yaml.

    Plan: 1 to roll out.
    "
  `);
});
