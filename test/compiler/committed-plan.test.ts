import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { validateRolloutPlan } from '../../schemas/generated/validate/rolloutplan.js';
import { planDigest } from '../../semantics/plan/digest.ts';
import { committed, failed, forecastIn, manifest, modes, planIn, planned, v1, v2 } from './world/history.ts';
import type { Files } from './world/history.ts';
import type { CloneSetParts } from './world/manifests.ts';

describe('a plan at base that allows less than the current update policy does', () => {
  const reCreate = { ...v2, type: 'ReCreate' };

  test.each<[string, CloneSetParts, string]>([
    ['as written', reCreate, 'updateStrategy.type is ReCreate'],
    ['by default', { ...v2, type: '' }, 'updateStrategy.type is ReCreate, the default'],
    ['with other settings and replicas', { ...reCreate, replicas: 12 }, 'updateStrategy.type is ReCreate'],
  ])('gets a warning, and again lists what is done: %s', async (_what, head, reason) => {
    const base = await failed();
    const { host, files } = await planned(base, { ...base, ...manifest(head) });
    expect(host.err).toContain(
      `the plan of CloneSet shop/web allows InPlace at most, but ${reason} now: clusters`,
    );
    expect(host.err).toContain('kruise plan --again --target CloneSet/web');
    expect(planIn(files)).toEqual(planIn(base));
    // In the same commit, or a later one.
    const at = {
      once: await planned(base, { ...base, ...manifest(head) }, ['--again']),
      after: await planned(files, files, ['--again']),
    };
    for (const run of [at.once, at.after]) {
      expect(run.host.err).not.toContain('KR3012');
      const { from, attempt } = planIn(run.files).spec;
      expect({ from, attempt }).toMatchObject({
        from: [{ mode: 'Recreate', fields: [{ from: 'nginx:1', to: 'nginx:2', effect: 'Recreate' }] }],
        attempt: 2,
      });
      const text = `${head.replicas ?? 10} pods recreated`;
      for (const output of [run.host.out, forecastIn(run.files)]) expect(output).toContain(text);
      expect(run.host.out).toContain(
        `-/+ template.spec.containers[nginx].image: nginx:1 → nginx:2 (${reason})`,
      );
      expect(run.host.out).not.toContain('in place');
    }
  });

  test('every entry counts, and none allows less than before', async () => {
    const first = await committed(manifest(v1), v2);
    const relabeled = { ...v2, pod: '      priorityClassName: high' };
    const second = await committed(first, relabeled);
    expect(modes(second)).toEqual(['Recreate', 'Recreate']);
    const third = await committed(second, { ...relabeled, image: 'nginx:3' });
    expect(modes(third)).toEqual(['InPlace', 'Recreate', 'Recreate']);
    const again = await committed(third, { ...relabeled, image: 'nginx:3' }, ['--again']);
    expect(modes(again)).toEqual(['InPlace', 'Recreate', 'Recreate']);
    const recreated = await committed(third, { ...relabeled, image: 'nginx:3', type: 'ReCreate' }, [
      '--again',
    ]);
    expect(modes(recreated)).toEqual(['Recreate', 'Recreate', 'Recreate']);
  });

  test.each<[string, CloneSetParts, CloneSetParts]>([
    ['the policy stays', reCreate, { ...reCreate, spec: '    maxUnavailable: 1' }],
    ['a milder policy', reCreate, v2],
    [
      'a plan that recreates anyway',
      { ...v2, pod: '      priorityClassName: high' },
      { ...reCreate, pod: '      priorityClassName: high' },
    ],
    ['in place only', v2, { ...v2, type: 'InPlaceOnly' }],
  ])('gets no warning if %s', async (_what, head, after) => {
    const base = await committed(manifest(v1), head);
    const { host } = await planned(base, { ...base, ...manifest(after) });
    expect(host.err).not.toContain('KR3012');
  });

  test('gets it in the commit that changes the policy, and not in every later one', async () => {
    const base = await committed(await failed(), reCreate);
    const { host } = await planned(base, {
      ...base,
      ...manifest({ ...reCreate, spec: '    maxUnavailable: 1' }),
    });
    expect(host.err).toBe('');
  });

  test('a continuation allows what the current policy does', async () => {
    const first = await committed(manifest(v1), { ...v2, spec: '    partition: 5' });
    const second = await committed(first, reCreate);
    expect(planIn(second).spec.to.bound).toEqual({ partition: 0 });
    expect(modes(second)).toEqual(['Recreate']);
    const milder = await committed(first, v2);
    expect(modes(milder)).toEqual(['InPlace']);
    expect(forecastIn(milder)).toContain('at a time (20% of 10; 1 of 5, 4 of 20). ');
    expect(forecastIn(milder)).not.toContain('No container restarts');
  });
});

describe('a change that was committed without a plan', () => {
  const v3 = { image: 'nginx:3' };
  const bot = async (head: CloneSetParts = v3): Promise<Files> => ({
    ...(await failed()),
    ...manifest(head),
  });

  test.each([
    ['nothing else changes', v3],
    ['it scales', { ...v3, replicas: 12 }],
    ['a setting changes', { ...v3, spec: '    maxSurge: 1' }],
  ])('gets a warning if %s', async (_what, head) => {
    const base = await bot();
    const { host, files } = await planned(base, { ...base, ...manifest(head) });
    expect(host.err).toContain('warning[KR3013]');
    expect(host.err).toContain(
      'the template of CloneSet shop/web was changed without a plan: clusters hold the change',
    );
    expect(planIn(files)).toEqual(planIn(base));
  });

  test('is planned by --again: from all known revisions, recreated at worst', async () => {
    const base = await bot();
    const before = planIn(base).spec;
    const { code, host, files } = await planned(base, base, ['--again']);
    expect(code).toBe(0);
    expect(host.err).not.toContain('KR3013');
    const { spec } = planIn(files);
    expect(validateRolloutPlan(planIn(files))).toEqual([]);
    expect(spec.from).toEqual([
      { hash: before.to.hash, mode: 'Recreate', depart: true },
      { hash: before.from[0]?.hash, mode: 'Recreate', depart: true },
    ]);
    expect(spec.supersedes).toEqual([before.digest]);
    expect(spec).not.toHaveProperty('attempt');
    expect(spec.steps).toEqual(before.steps);
    expect(spec.digest).toBe(planDigest(spec));
    expect(forecastIn(files)).toMatchSnapshot('forecast.md');
    expect(host.out).toMatchSnapshot('human');
    // From here on it is a change like any other.
    expect((await planned(files, files)).host.err).toBe('');
    expect(planIn(await committed(files, v3, ['--again'])).spec).toMatchObject({
      attempt: 2,
      from: spec.from,
    });
    expect((await planned(base, files, ['--again'])).host.err).toContain('plans are up to date');
  });

  test('from which pods may only depart needs its own plan', async () => {
    const base = await bot();
    const again = (await planned(base, base, ['--again'])).files;
    for (const [image, warned] of [
      ['nginx:1', true],
      ['nginx:3', false],
    ] as const) {
      const back = { ...again, ...manifest({ image }) };
      expect((await planned(back, back)).host.err.includes('KR3013')).toBe(warned);
    }
  });

  test('with InPlaceOnly, recreates nothing', async () => {
    const base = await bot({ ...v3, type: 'InPlaceOnly' });
    const { host, files } = await planned(base, base, ['--again']);
    expect(modes(files)).toEqual(['Recreate', 'Recreate']);
    expect(host.out).toContain('10 pods updated in place where that is possible');
    for (const text of [host.out, forecastIn(files)]) expect(text).not.toContain('recreate');
    expect(forecastIn(files)).toContain('10 pods are updated in place where that is possible.');
  });

  test('with the state before it as base, is planned field by field', async () => {
    const { host, files } = await planned(await failed(), await bot());
    expect(host.err).not.toContain('KR3013');
    expect(planIn(files).spec.from[0]).toMatchObject({ mode: 'InPlace', fields: [{ to: 'nginx:3' }] });
  });

  test('a partition that was lowered without a plan', async () => {
    const held = await committed(manifest(v1), { ...v2, spec: '    partition: 5' });
    const base = { ...held, ...manifest({ ...v2, spec: '    partition: 2' }) };
    const { host } = await planned(base, base);
    expect(host.err).toContain(
      'the partition of CloneSet shop/web was lowered without a plan: clusters hold the change',
    );
    const { files } = await planned(base, base, ['--again']);
    expect(planIn(files).spec.to.bound).toEqual({ partition: 2 });
    expect((await planned(files, files)).host.err).toBe('');
  });

  test.each<[string, () => Promise<Files>]>([
    ['there is no plan at base', () => Promise.resolve(manifest(v3))],
    ['it went back to where the plan starts', () => bot(v1)],
    [
      'the partition was tightened',
      async () => ({ ...(await failed()), ...manifest({ ...v2, spec: '    partition: 5' }) }),
    ],
  ])('gets no warning if %s', async (_what, state) => {
    const base = await state();
    expect((await planned(base, base)).host.err).toBe('');
  });
});

describe('a plan that was written again', () => {
  const CI = { env: { CI: 'true' } };
  const bot = async (): Promise<Files> => ({ ...(await failed()), ...manifest({ image: 'nginx:3' }) });

  const PLAN = 'plans/shop/cloneset-web/plan.yaml';
  const FORECAST = 'plans/shop/cloneset-web/forecast.md';
  const plannedAgain = async (): Promise<{ base: Files; head: Files }> => {
    const base = await failed();
    return { base, head: (await planned(base, base, ['--again'])).files };
  };
  const withTheStateBefore = async (): Promise<{ base: Files; head: Files }> => ({
    base: await bot(),
    head: (await planned(await failed(), await bot())).files,
  });

  test.each<[string, () => Promise<{ base: Files; head: Files }>]>([
    ['with --again', plannedAgain],
    [
      'with --again, one of many',
      async () => {
        const base = await failed(...Array.from({ length: 21 }, (_, n) => ({ name: `other-${n}` })));
        return { base, head: (await planned(base, base, ['--again'])).files };
      },
    ],
    [
      'because the change was not planned',
      async () => {
        const base = await bot();
        return { base, head: (await planned(base, base, ['--again'])).files };
      },
    ],
    ['with the state before as its base', withTheStateBefore],
    [
      'with the policy that it is for',
      async () => {
        const base = await failed();
        const head = { ...base, ...manifest({ ...v2, type: 'ReCreate' }) };
        return { base, head: (await planned(base, head, ['--again'])).files };
      },
    ],
  ])('is left unchanged in a run without --again: %s', async (_what, states) => {
    const { base, head } = await states();
    expect(planIn(head)).not.toEqual(planIn(base));
    const { code, host, files } = await planned(base, head, [], CI);
    expect(code, host.err).toBe(0);
    expect(host.err).toContain('the committed plans are those of this change\n');
    expect(files).toEqual(head);
    expect((await planned(base, head)).files).toEqual(head);
  });

  test('of an older base is not compared, and a check says so', async () => {
    const { base, head } = await withTheStateBefore();
    const { host } = await planned(base, head, ['--check']);
    expect(host.err).toContain(`KR3027]: head/${PLAN} was made against an older base for CloneSet shop/web`);
    const others = await plannedAgain();
    expect((await planned(others.base, others.head, ['--check'])).host.err).not.toContain('KR3027');
    // The way out that the message names.
    expect((await planned(await failed(), head, ['--check'])).code).toBe(0);
    const edited = { ...head, [FORECAST]: forecastIn(head).replace('10 pods', '1 pod') };
    expect((await planned(await failed(), edited, ['--check'])).code).toBe(20);
  });

  test.each<[string, (head: Files) => Files, string]>([
    [
      'whose forecast was edited',
      (head) => ({ ...head, [FORECAST]: forecastIn(head).replace('10 pods', '1 pod') }),
      `${FORECAST} is out of date: it is not the forecast of the plan of CloneSet shop/web`,
    ],
    [
      'whose forecast was removed',
      ({ [FORECAST]: _forecast, ...head }) => head,
      `${FORECAST} is missing: it is the forecast of the plan of CloneSet shop/web`,
    ],
    [
      'with steps that nobody configured, and their digest',
      (head) => {
        const whole = planIn(head);
        const spec = { ...whole.spec, steps: whole.spec.steps.slice(-1) };
        return { ...head, [PLAN]: stringify({ ...whole, spec: { ...spec, digest: planDigest(spec) } }) };
      },
      `${PLAN} is out of date: its steps are not what the manifests and kruise.yaml give now`,
    ],
  ])('with --again fails the check, and a run mends it: %s', async (_what, edit, message) => {
    const { base, head } = await plannedAgain();
    const edited = edit(head);
    expect(edited).not.toEqual(head);
    const { code, host } = await planned(base, edited, ['--check']);
    expect({ code, err: host.err }).toEqual({ code: 20, err: expect.stringContaining(message) as string });
    expect((await planned(base, edited)).files).toEqual(head);
  });

  test.each<[string, (base: Files, again: Files) => Files]>([
    ['of another manifest', (_base, again) => ({ ...again, ...manifest(v1) })],
    [
      'that was edited',
      (_base, again) => ({
        ...again,
        'plans/shop/cloneset-web/plan.yaml': (again['plans/shop/cloneset-web/plan.yaml'] ?? '').replace(
          'attempt: 2',
          'attempt: 3',
        ),
      }),
    ],
  ])('one %s is restored', async (_what, edit) => {
    const before = await failed();
    const again = (await planned(before, before, ['--again'])).files;
    const head = edit(before, again);
    const base = { ...before, 'web.yaml': head['web.yaml'] ?? '' };
    const { files } = await planned(base, head);
    expect(planIn(files)).toEqual(planIn(before));
  });

  test('a partition that was restored leaves the plan of base', async () => {
    const held = { ...v2, spec: '    partition: 5' };
    const base = (await planned(manifest(v1), manifest(held))).files;
    const draft = (await planned(base, { ...base, ...manifest(v2) })).files;
    const { files } = await planned(base, { ...draft, ...manifest(held) });
    expect(planIn(files)).toEqual(planIn(base));
  });
});
