import { describe, expect, test } from 'vitest';
import { validateRolloutPlan } from '../../schemas/generated/validate/rolloutplan.js';
import { planDigest } from '../../semantics/plan/digest.ts';
import { below, config, failed, forecastIn, manifest, planIn, planned, v1, v2 } from './world/history.ts';
import type { Files } from './world/history.ts';

describe('plan --again', () => {
  test('the same plan with the next attempt, and its steps from the start', async () => {
    const base = await failed();
    const before = planIn(base).spec;
    const { code, host, files } = await planned(base, { ...base, ...config('timeout: 5m, group: late') }, [
      '--again',
    ]);
    const after = planIn(files);
    expect({ code, err: host.err }).toMatchObject({ code: 0 });
    expect(validateRolloutPlan(after)).toEqual([]);
    expect(after.spec).toEqual({
      ...before,
      supersedes: [before.digest],
      attempt: 2,
      group: 'late',
      steps: [
        {
          id: 'update',
          update: { to: '100%', window: { maxUnavailable: '20%', maxSurge: 0 } },
          timeout: '5m',
        },
      ],
      digest: planDigest(after.spec),
    });
    expect(after.metadata).toEqual(planIn(base).metadata);
  });

  test('the base decides: a second run writes the same plan, and then nothing', async () => {
    const base = await failed();
    const once = (await planned(base, base, ['--again'])).files;
    const { host, files } = await planned(base, once, ['--again']);
    expect(files).toEqual(once);
    expect(host.err).toMatch(/^1 warning\nplans are up to date\n$/m);
  });

  test('a third attempt follows the second', async () => {
    const base = await failed();
    const second = (await planned(base, base, ['--again'])).files;
    const third = planIn((await planned(second, second, ['--again'])).files).spec;
    expect(third.attempt).toBe(3);
    expect(third.supersedes).toEqual([planIn(second).spec.digest, planIn(base).spec.digest]);
    expect(third.from).toEqual(planIn(base).spec.from);
  });

  test('a changed target is planned as usual, and the next change counts its attempts from the start', async () => {
    const base = await failed({ name: 'db' });
    const head = { ...base, ...manifest({ name: 'db', image: 'nginx:3' }, v2) };
    const { files } = await planned(base, head, ['--again']);
    expect(planIn(files).spec.attempt).toBe(2);
    expect(planIn(files, 'db').spec).not.toHaveProperty('attempt');
    const next = await planned(files, {
      ...files,
      ...manifest({ name: 'db', image: 'nginx:3' }, { image: 'nginx:3' }),
    });
    expect(planIn(next.files).spec).not.toHaveProperty('attempt');
  });

  test.each([['CloneSet/web'], ['cloneset/web'], ['web']])(
    '--target %s leaves the other targets unchanged',
    async (target) => {
      const base = await failed({ name: 'db' });
      const { files } = await planned(base, base, ['--again', '--target', target]);
      expect(planIn(files).spec.attempt).toBe(2);
      expect(planIn(files, 'db')).toEqual(planIn(base, 'db'));
    },
  );

  test('is reported on the terminal and to the reviewer', async () => {
    const base = await failed();
    const { host, files } = await planned(base, base, ['--again']);
    expect(forecastIn(files)).toMatchSnapshot('forecast.md');
    expect(host.out).toMatchSnapshot('human');
    const { code } = await planned(base, base, ['--again', '--detailed-exitcode']);
    expect(code).toBe(2);
  });

  test('a continuation is repeated under its own bound', async () => {
    const held = { ...v2, spec: '    partition: 5' };
    const first = (await planned(manifest(v1), manifest(held))).files;
    const second = (await planned(first, { ...first, ...manifest(v2) })).files;
    const again = planIn((await planned(second, second, ['--again'])).files).spec;
    expect(again).toMatchObject({ to: planIn(second).spec.to, from: planIn(second).spec.from, attempt: 2 });
  });
});

describe('nothing to plan again', () => {
  test.each<[string, (base: Files) => [Files, Files], string[], string]>([
    [
      'no plan at base',
      () => [manifest(v2), manifest(v2)],
      [],
      'nothing can be planned again: no plan at base is for a target whose',
    ],
    [
      'no plan at base, with the remedy',
      () => [manifest(v2), manifest(v2)],
      [],
      'help: plan from the state before the commit that changed the manifest (COMMIT): kruise plan MANIFEST --base COMMIT~1',
    ],
    [
      'a target without a plan',
      () => [manifest(v2), manifest(v2)],
      ['--target', 'web'],
      'web cannot be planned again: no plan at base is for it',
    ],
    [
      'a target that changes',
      (base) => [base, { ...base, ...manifest({ image: 'nginx:3' }) }],
      ['--target', 'CloneSet/web'],
      'CloneSet/web cannot be planned again: its manifest changes, which is planned as usual',
    ],
    [
      'a target whose partition changes',
      (base) => [base, { ...base, ...manifest({ ...v2, spec: '    partition: 2' }) }],
      ['--target', 'web'],
      'its manifest changes, which is planned as usual',
    ],
    [
      'a new target',
      (base) => [base, { ...base, ...manifest(v2, { name: 'db' }) }],
      ['--target', 'db'],
      'its manifest is new',
    ],
    [
      'a target that was removed',
      (base) => [{ ...base, ...manifest(v2, { name: 'db' }) }, base],
      ['--target', 'db'],
      'its manifest is removed',
    ],
    ['a target that is not there', (base) => [base, base], ['--target', 'wbe'], "help: did you mean 'web'?"],
  ])('%s', async (_what, states, args, expected) => {
    const [base, head] = states(await failed());
    const { code, host } = await planned(base, head, ['--again', ...args]);
    expect({ code, err: host.err }).toEqual({ code: 1, err: expect.stringContaining(expected) });
    expect(host.err).toContain('error[KR3011]');
    expect(below(host)).toEqual(head);
  });

  test.each([
    [
      ['--target', 'web'],
      '--target needs --again or --continue; add --again or --continue, or name paths instead',
    ],
    [['--again', '--target', 'Web'], "'Web' is not a valid object name"],
    [['--again', '--target', 'Cloneset1/web'], 'did you mean CloneSet/web?'],
  ])('%j', async (args, expected) => {
    const { code, host } = await planned(manifest(v1), manifest(v2), args);
    expect({ code, out: host.out, err: host.err }).toEqual({
      code: 1,
      out: '',
      err: expect.stringContaining(expected),
    });
  });

  test('a plan at base that no cluster executes is none', async () => {
    const base = await failed();
    const broken = { ...base, 'plans/shop/cloneset-web/plan.yaml': 'kind: RolloutPlan' };
    const { host } = await planned(broken, base, ['--again']);
    expect(host.err).toContain('warning[KR3025]');
    expect(host.err).toContain('error[KR3011]');
  });
});
