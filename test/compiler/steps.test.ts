import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { StepRule } from '../../schemas/generated/types/config.ts';
import { stepsOf } from '../../compiler/plan/steps.ts';
import type { RolloutPlan, Step } from '../../schemas/generated/types/rolloutplan.ts';
import { validateRolloutPlan } from '../../schemas/generated/validate/rolloutplan.js';
import { planDigest } from '../../semantics/plan/digest.ts';
import { cloneSet, kruise } from './world/manifests.ts';
import type { MemoryHost } from '../cli/world/memory-host.ts';

const v1 = cloneSet({ image: 'nginx:1' });
const v2 = cloneSet({ image: 'nginx:2' });

function planIn(host: MemoryHost): RolloutPlan {
  return parse(String(host.files.get('/repo/head/plans/shop/cloneset-web/plan.yaml'))) as RolloutPlan;
}

const rolloutSteps = (rule: StepRule): readonly Step[] => stepsOf(rule, 'Rollout');

describe('steps', () => {
  test('without a rule, one step to 100%', () => {
    expect(stepsOf(undefined, 'Rollout')).toEqual([{ id: 'update', update: { to: '100%' } }]);
  });

  test('a run has waves instead of updates, and no way back', () => {
    expect(stepsOf(undefined, 'Run')).toEqual([{ id: 'run', run: { to: '100%' } }]);
    const rule: StepRule = {
      match: {},
      batches: [{ to: 1 }, { to: '10%', parallelism: '5%', spread: 'zone' }, { to: '100%', timeout: '5m' }],
      between: { soak: '10m' },
      approve: [2],
      onFailure: 'Revert',
      timeout: '20m',
    };
    expect(stepsOf(rule, 'Run')).toEqual([
      { id: 'batch-1', run: { to: 1 }, timeout: '20m' },
      { id: 'soak-1', soak: { for: '10m' } },
      { id: 'batch-2', run: { to: '10%', atLeast: 1, parallelism: '5%', spread: 'zone' }, timeout: '20m' },
      { id: 'soak-2', soak: { for: '10m' } },
      { id: 'approve-2', approve: {} },
      { id: 'batch-3', run: { to: '100%' }, timeout: '5m' },
    ]);
    // The steps of one rule differ by the shape of the kind.
    expect(stepsOf(rule, 'Rollout')[0]).toEqual({
      id: 'batch-1',
      update: { to: 1 },
      timeout: '20m',
      onFailure: 'Revert',
    });
    expect(stepsOf({ ...rule, onFailure: 'Halt' }, 'Run')[0]).toMatchObject({ onFailure: 'Halt' });
  });

  test('soak, checks and approval after a batch; nothing after the last', () => {
    const steps = rolloutSteps({
      match: {},
      batches: [{ to: '5%' }, { to: 3, window: { maxUnavailable: 1 } }, { to: '100%', timeout: '5m' }],
      between: { soak: '10m', check: ['Error Rate', 'latency'] },
      approve: [1],
      onFailure: 'Revert',
      timeout: '20m',
    });
    expect(steps.map(({ id }) => id)).toEqual([
      'batch-1',
      'soak-1',
      'check-1-error-rate',
      'check-1-latency',
      'approve-1',
      'batch-2',
      'soak-2',
      'check-2-error-rate',
      'check-2-latency',
      'batch-3',
    ]);
    expect(steps[0]).toEqual({
      id: 'batch-1',
      update: { to: '5%', atLeast: 1 },
      timeout: '20m',
      onFailure: 'Revert',
    });
    expect(steps[5]?.update).toEqual({ to: 3, window: { maxUnavailable: 1 } });
    expect(steps[9]).toEqual({ id: 'batch-3', update: { to: '100%' }, timeout: '5m', onFailure: 'Revert' });
    expect(steps[1]).not.toHaveProperty('onFailure');
  });

  test('a check is a name, or a name with its fields; arguments are sorted', () => {
    const use = { use: 'pods', args: { restarts: '1', available: '80%' }, for: '5m' };
    const steps = rolloutSteps({
      match: {},
      batches: [{ to: 1 }, { to: '100%' }],
      between: { check: ['nodes', use, { use: 'rate', args: {} }] },
    });
    expect(steps.slice(1, -1)).toEqual([
      { id: 'check-1-nodes', check: { use: 'nodes' } },
      { id: 'check-1-pods', check: use },
      { id: 'check-1-rate', check: { use: 'rate' } },
    ]);
    expect(Object.keys(steps[2]?.check?.args ?? {})).toEqual(['available', 'restarts']);
  });

  test.each([
    [
      ['pods', 'pods', 'pods'],
      ['pods', 'pods-2', 'pods-3'],
    ],
    [
      ['pods-2', 'pods', 'pods'],
      ['pods-2', 'pods', 'pods-3'],
    ],
    [
      ['Error Rate', 'error_rate'],
      ['error-rate', 'error-rate-2'],
    ],
    [
      ['€', '%'],
      ['x', 'x-2'],
    ],
    [
      ['a'.repeat(63), 'a'.repeat(63)],
      ['a'.repeat(55), `${'a'.repeat(53)}-2`],
    ],
    [[`${'a'.repeat(54)}-b`], ['a'.repeat(54)]],
  ])('ids of the checks %j', (names, expected) => {
    const steps = rolloutSteps({
      match: {},
      batches: [{ to: 1 }, { to: '100%' }],
      between: { check: names },
    });
    const ids = steps.slice(1, -1).map(({ id }) => id);
    expect(ids).toEqual(expected.map((part) => `check-1-${part}`));
    for (const id of ids) expect(id).toMatch(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/);
  });

  test('the plan has group and after, sorted, once, without the target itself, under its digest', async () => {
    const names = ['web', 'db', 'cache'];
    const all = (image: string): string => names.map((name) => cloneSet({ name, image })).join('---\n');
    const planned = async (after: string): Promise<RolloutPlan> => {
      const { host, code } = await kruise({
        'base/web.yaml': all('nginx:1'),
        'head/web.yaml': all('nginx:2'),
        'head/kruise.yaml': `steps: [{match: {name: cache}}, {match: {name: db}, after: []}, {match: {}, group: "01", after: [${after}]}]`,
      });
      expect({ code, err: host.err }).toMatchObject({ code: 0 });
      return planIn(host);
    };
    const [web, db, cache] = names.map((name) => `{kind: CloneSet, name: ${name}}`);
    const plan = await planned(`${web}, ${db}, ${cache}, ${db}`);
    expect(validateRolloutPlan(plan)).toEqual([]);
    expect(plan.spec).toMatchObject({ group: '01' });
    expect(plan.spec.after).toEqual([
      { kind: 'CloneSet', name: 'cache' },
      { kind: 'CloneSet', name: 'db' },
    ]);
    expect(plan.spec.digest).toBe(planDigest(plan.spec));
    expect((await planned(`${cache}, ${db}`)).spec).toEqual(plan.spec);
    const alone = await planned(`${web}`);
    expect(alone.spec).not.toHaveProperty('after');
    expect(alone.spec.digest).not.toBe(plan.spec.digest);
  });

  test('the first rule that matches decides', async () => {
    const { host } = await kruise({
      'base/web.yaml': v1,
      'head/web.yaml': v2,
      'head/kruise.yaml':
        'steps:\n- {match: {namespace: other}, batches: [{to: 100%}]}\n- {match: {name: web}, batches: [{to: 1}, {to: 100%}]}\n- {match: {}}\n',
    });
    expect(planIn(host).spec.steps.map(({ id }) => id)).toEqual(['batch-1', 'batch-2']);
  });
});
