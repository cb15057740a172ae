import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { RolloutPlan } from '../../schemas/generated/types/rolloutplan.ts';
import { validateRolloutPlan } from '../../schemas/generated/validate/rolloutplan.js';
import { planDigest } from '../../semantics/plan/digest.ts';
import { cloneSet, kruise } from './world/manifests.ts';
import type { MemoryHost } from '../cli/world/memory-host.ts';

const planPath = '/repo/head/plans/shop/cloneset-web/plan.yaml';

function planIn(host: MemoryHost, path = planPath): RolloutPlan {
  return parse(String(host.files.get(path))) as RolloutPlan;
}

/** Plans one step of a history. The base has the files that the previous step wrote. */
async function commit(before: MemoryHost | undefined, base: string, head: string): Promise<MemoryHost> {
  const plans = [...(before?.files ?? [])].filter(([path]) => path.startsWith('/repo/head/plans/'));
  const carried = plans.flatMap(([path, text]) => [
    [path.replace('/repo/head', '/repo/base'), text] as const,
    [path, text] as const,
  ]);
  const { host, code } = await kruise({
    'base/web.yaml': base,
    'head/web.yaml': head,
    ...Object.fromEntries(carried),
  });
  expect(host.err).not.toContain('error');
  expect(code).toBe(0);
  return host;
}

const v1 = cloneSet({ image: 'nginx:1' });
const v2 = cloneSet({ image: 'nginx:2' });
const v3 = cloneSet({ image: 'nginx:3' });

test.each([
  ['v1alpha1', 'ReCreate'],
  ['v1beta1', 'RollingUpdate'],
])('a default of %s that is written explicitly gives the same plan', async (version, type) => {
  const apiVersion = `apps.kruise.io/${version}`;
  const [absent, written] = ['', type].map((each) =>
    ['nginx:1', 'nginx:2'].map((image) => cloneSet({ apiVersion, type: each, image })),
  ) as [[string, string], [string, string]];
  const plan = planIn(await commit(undefined, ...absent));
  expect(planIn(await commit(undefined, ...written))).toEqual(plan);
  const filled = await commit(undefined, absent[0], written[0]);
  expect([...filled.files.keys()].filter((path) => path.includes('/plans/'))).toEqual([]);
});

describe('a history', () => {
  test('first plan, next change, revert', async () => {
    const first = await commit(undefined, v1, v2);
    const one = planIn(first);
    expect(validateRolloutPlan(one)).toEqual([]);
    expect(one.spec.digest).toBe(planDigest(one.spec));
    expect(one.metadata).toEqual({
      name: 'cloneset-web',
      namespace: 'shop',
      annotations: { 'kustomize.toolkit.fluxcd.io/substitute': 'disabled' },
    });
    expect(one.spec.target).toEqual({ apiVersion: 'apps.kruise.io/v1alpha1', kind: 'CloneSet', name: 'web' });
    expect(one.spec).not.toHaveProperty('supersedes');

    const second = await commit(first, v2, v3);
    const two = planIn(second);
    expect(two.spec.from.map(({ hash }) => hash)).toEqual([one.spec.to.hash, one.spec.from[0]?.hash]);
    expect(two.spec.from[1]).not.toHaveProperty('fields');
    expect(two.spec.supersedes).toEqual([one.spec.digest]);

    const back = planIn(await commit(second, v3, v2));
    expect(back.spec.to.hash).toBe(one.spec.to.hash);
    expect(back.spec.from.map(({ hash }) => hash)).toEqual([two.spec.to.hash, one.spec.from[0]?.hash]);
    expect(back.spec.supersedes).toEqual([two.spec.digest, one.spec.digest]);
  });

  test('a change without a plan gets the mode Recreate', async () => {
    const first = await commit(undefined, v1, v2);
    const bot = planIn(await commit(first, v3, cloneSet({ image: 'nginx:4' })));
    expect(bot.spec.from.map(({ mode, depart }) => [mode, depart])).toEqual([
      ['InPlace', undefined],
      ['Recreate', true],
      ['Recreate', true],
    ]);
  });

  test('a lower partition continues: same target revision, new bound, steps from the start', async () => {
    const held = cloneSet({ image: 'nginx:2', spec: '    partition: 5' });
    const first = await commit(undefined, v1, held);
    const next = planIn(await commit(first, held, v2));
    const one = planIn(first);
    expect(one.spec.to.bound).toEqual({ partition: 5 });
    expect(next.spec.to).toEqual({ hash: one.spec.to.hash, bound: { partition: 0 } });
    expect(next.spec.from.map(({ hash, mode }) => ({ hash, mode }))).toEqual([
      { hash: one.spec.from[0]?.hash, mode: 'InPlace' },
    ]);
    expect(next.spec.supersedes).toEqual([one.spec.digest]);
  });

  test('planning twice changes nothing', async () => {
    const first = await commit(undefined, v1, v2);
    const before = new Map(first.files);
    const files = Object.fromEntries(first.files);
    const again = await kruise(files);
    expect(again.host.files).toEqual(before);
    expect(again.host.err).not.toContain('wrote');
  });

  test('a reverted draft leaves the plan of base', async () => {
    const first = await commit(undefined, v1, v2);
    const committed = String(first.files.get(planPath));
    const draft = await commit(first, v2, v3);
    const { host } = await kruise({
      ...Object.fromEntries(draft.files),
      'head/web.yaml': v2,
      'base/plans/shop/cloneset-web/plan.yaml': committed,
    });
    expect(host.files.get(planPath)).toBe(committed);
  });

  test('a deleted target has no plan', async () => {
    const first = await commit(undefined, v1, v2);
    const files = { ...Object.fromEntries(first.files), '/repo/base/web.yaml': v2 };
    const { ['/repo/head/web.yaml']: _gone, ...rest } = files as Record<string, string>;
    const { host } = await kruise({ ...rest, 'head/other.yaml': cloneSet({ name: 'other' }) });
    expect([...host.files.keys()].filter((path) => path.includes('/plans/'))).toEqual([
      '/repo/head/plans/shop/cloneset-web/forecast.md',
    ]);
    expect(host.out).toMatch(/- .*CloneSet shop\/web: removed with 10 pods/);
  });
});

describe('a cluster that skipped a state', () => {
  const env = (image: string, type?: string): string =>
    cloneSet({
      image,
      container: '        env: [{name: A, value: b}]',
      ...(type === undefined ? {} : { type }),
    });
  const relabeled = v2.replace('labels: {app: web}', 'labels: {app: web, tier: front}');
  const who = 'A cluster that has not applied the previous state yet \\(still at h1:[0-9a-f]{8}\\)';
  test.each<[string, string, string, string | undefined]>([
    ['recreates where the state before did', env('nginx:1'), env('nginx:2'), `${who} recreates its pods\\.`],
    [
      'cannot recreate in place only',
      env('nginx:1'),
      env('nginx:2', 'InPlaceOnly'),
      `${who} would have to recreate its pods, which InPlaceOnly does not allow\\.`,
    ],
    ['restarts containers', v2, relabeled, `${who} restarts containers in place\\.`],
    ['does the same', v2, v3, undefined],
    ['does no more than all do', v2, env('nginx:2'), undefined],
    [
      'stays where a partition holds all pods back',
      env('nginx:1'),
      env('nginx:2').replace('  template:', '    partition: 100%\n  template:'),
      undefined,
    ],
  ])('%s', async (_what, second, third, expected) => {
    const first = await commit(undefined, v1, second);
    const host = await commit(first, second, third);
    const page = String(host.files.get(planPath.replace('plan.yaml', 'forecast.md')));
    for (const text of [host.out, page.split('\n')[2] ?? '']) {
      if (expected === undefined) expect(text).not.toContain('A cluster');
      else expect(text).toMatch(new RegExp(expected));
    }
    const files = { ...Object.fromEntries(host.files), '/repo/base/web.yaml': second };
    const summary = await kruise(files, {
      args: ['plan', 'head', '--base-dir', 'base', '-o', 'markdown'],
    });
    const line = '; recreated where a cluster skipped the previous state |';
    if (expected?.includes('recreate') === true) expect(summary.host.out).toContain(line);
    else expect(summary.host.out).not.toContain(line);
  });

  test('if it recreates pods with claims, their data is deleted', async () => {
    const spec =
      '  volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]';
    const container = '        env: [{name: A, value: b}]';
    const middle = cloneSet({ spec, container });
    const first = await commit(undefined, cloneSet({ spec }), middle);
    const second = await commit(first, middle, cloneSet({ spec, container, image: 'nginx:2' }));
    expect(second.out).toMatch(/recreates its pods, and their volume claims are deleted with their data\./);
  });

  test('pods that the partition releases later lose their claims then, which is reported then', async () => {
    const held = (partition: number, type: string): string =>
      cloneSet({
        type,
        spec: `    partition: ${partition}\n  volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]`,
      });
    const [before, after] = [held(3, 'ReCreate'), held(1, 'ReCreate')];
    const first = await commit(undefined, before.replace('nginx:1', 'nginx:0'), before);
    const second = await commit(first, before, after);
    expect(second.err).toContain('warning[KR2140]: 2 pods are recreated, and 2 volume claims are deleted');
    const third = await commit(second, after, before);
    expect(third.err).not.toContain('KR2140');
  });

  test('every earlier state is named', async () => {
    const first = await commit(undefined, v1, v2);
    const second = await commit(first, v2, env('nginx:2'));
    const third = await commit(second, env('nginx:2'), env('nginx:3'));
    const hashes = planIn(third)
      .spec.from.slice(1)
      .map(({ hash }) => hash.slice(0, 11));
    expect(third.out).toContain(`(still at ${hashes.join(', ')}) recreates its pods.`);
    expect(hashes).toHaveLength(2);
  });
});

describe('what a commit does to a target', () => {
  const other = cloneSet({ name: 'other' });
  test.each([
    ['nothing', v1, v1, 'Unchanged'],
    ['only comments and spelling', v1, `# hello\n${v1.replace('nginx:1', '"nginx:1"')}`, 'Unchanged'],
    [
      'a default written out',
      v1,
      cloneSet({ image: 'nginx:1', pod: '      restartPolicy: Always' }),
      'Unchanged',
    ],
    ['another API version', v1, v1.replace('v1alpha1', 'v1beta1'), 'Unchanged'],
    ['replicas', v1, cloneSet({ image: 'nginx:1', replicas: 12 }), 'Scale'],
    ['settings', v1, cloneSet({ image: 'nginx:1', spec: '    maxUnavailable: 3' }), 'Settings'],
    ['partition', v1, cloneSet({ image: 'nginx:1', spec: '    partition: 3' }), 'Bound'],
    ['image', v1, v2, 'Update'],
    ['image and replicas', v1, cloneSet({ image: 'nginx:2', replicas: 12 }), 'Update'],
    ['a new object', other, `${other}---\n${v1}`, 'Create'],
    ['a removed object', `${other}---\n${v1}`, other, 'Delete'],
  ])('%s', async (_what, base, head, action) => {
    const { host } = await kruise(
      { 'base/web.yaml': base, 'head/web.yaml': head },
      { args: ['plan', 'head', '--base-dir', 'base', '-o', 'json'] },
    );
    const { changes } = JSON.parse(host.out) as {
      changes: { name: string; action: string; plan?: object }[];
    };
    const web = changes.find(({ name }) => name === 'web');
    expect(web?.action).toBe(action);
    expect(web?.plan !== undefined).toBe(action === 'Update' || action === 'Bound');
  });
});

test('each of more than twenty plans has its forecast, and they share no file', async () => {
  const many = (image: string): string =>
    Array.from({ length: 21 }, (_, i) => cloneSet({ name: `w${i}`, image })).join('---\n');
  const { host } = await kruise({
    'base/web.yaml': many('nginx:1'),
    'head/web.yaml': many('nginx:2'),
    'head/plans/shop/cloneset-w0/forecast.md': 'old',
    'head/kruise.yaml':
      'steps: [{match: {name: w1}, after: [{kind: CloneSet, name: w0}, {kind: CloneSet, name: w2}]}]',
  });
  const written = [...host.files.keys()].filter((path) => path.startsWith('/repo/head/plans/'));
  expect(written.filter((path) => path.endsWith('/plan.yaml'))).toHaveLength(21);
  expect(written.filter((path) => path.endsWith('/forecast.md'))).toHaveLength(21);
  expect(written).toHaveLength(42);
  expect(host.files.get('/repo/head/plans/shop/cloneset-w0/forecast.md')).not.toBe('old');
  expect(host.files.get('/repo/head/plans/shop/cloneset-w1/forecast.md')).toContain(
    'It starts only after CloneSet w0 and CloneSet w2 are settled.',
  );
});

describe('forecast.md', () => {
  const forecastIn = (host: MemoryHost): string =>
    String(host.files.get(planPath.replace('plan.yaml', 'forecast.md')));

  test('a step plan, in full', async () => {
    const { host } = await kruise({
      'base/web.yaml': v1,
      'head/web.yaml': cloneSet({
        image: 'nginx:2',
        pod: '      hostNetwork: true',
        container: '        imge: x',
      }),
      'head/kruise.yaml':
        'steps: [{match: {}, batches: [{to: 5%}, {to: 3}, {to: 100%}], between: {soak: 10m}, approve: [2], onFailure: Revert}]',
    });
    expect(forecastIn(host)).toMatchSnapshot();
  });

  test.each([
    ['a tag that moves', { image: 'nginx' }, 'Not reproducible'],
    ['replicas left out', { image: 'nginx:2', replicas: '' }, 'leaves replicas to an autoscaler'],
    ['a partition', { image: 'nginx:2', spec: '    partition: 4' }, '6 of 10 pods are updated in place'],
    ['a partition that holds all', { image: 'nginx:2', spec: '    partition: 10' }, 'No pod changes'],
    [
      'a readiness gate of its own',
      { image: 'nginx:2', pod: '      readinessGates: [{conditionType: example.com/warm}]' },
      'The update itself keeps at least 8 of 10 available. No approval is needed. There is no soak. An update step fails when no pod becomes available for 10m. If a step fails, the rollout halts there. Reversible: revert the commit, and the pods go back without gates. Assumed: readiness gate example.com/warm becomes True as soon as the containers are ready.',
    ],
    [
      'a probe',
      { image: 'nginx:2', container: '        readinessProbe: {tcpSocket: {port: 80}}' },
      'The update itself keeps at least 8 of 10 available. No approval',
    ],
    [
      'time until a pod counts',
      { image: 'nginx:2', spec: '  minReadySeconds: 10' },
      'keep their names and IPs. The updates take at least 50s',
    ],
    ['surge', { image: 'nginx:2', spec: '    maxSurge: 2' }, 'with up to 2 extra'],
    ['a comment alone', { image: 'nginx:1', pod: '  # no change' }, undefined],
  ])('%s', async (_what, parts, expected) => {
    const { host } = await kruise({ 'base/web.yaml': v1, 'head/web.yaml': cloneSet(parts) });
    if (expected === undefined) expect(host.files.has(planPath)).toBe(false);
    else expect(forecastIn(host)).toContain(expected);
  });

  test('the steps of a plan that may still run are named', async () => {
    const first = await commit(undefined, v1, v2);
    expect(forecastIn(first)).not.toContain('takes over');
    expect(forecastIn(await commit(first, v2, v3))).toContain('The steps of that plan are: `update`.');
  });
});
