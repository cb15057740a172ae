import { describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import type { RolloutPlan } from '../../schemas/generated/types/rolloutplan.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { podTemplate, united, type Web, zones } from '../runtime/united-world.ts';
import { type Files, planned } from './world/history.ts';
import { kruise } from './world/manifests.ts';

const steps = { 'kruise.yaml': 'steps: [{match: {}, batches: [{to: 20%}, {to: 50%}, {to: 100%}]}]\n' };
const files = (web: Web = {}): Files => ({ 'web.yaml': stringify(united(web)) });
const plansIn = (made: Files): string[] => Object.keys(made).filter((path) => path.startsWith('plans/'));

describe('a UnitedDeployment in git', () => {
  test('is planned and forecast by the pods of its subsets', async () => {
    const { code, files: made } = await planned(files(), { ...files({ image: 'web:2' }), ...steps });
    expect(code).toBe(0);
    const folder = 'plans/shop/uniteddeployment-web';
    const { spec } = parse(made[`${folder}/plan.yaml`] ?? '') as RolloutPlan;
    expect(spec.target).toMatchObject({ kind: 'UnitedDeployment', name: 'web' });
    expect(spec.steps.map(({ update }) => update?.to)).toEqual(['20%', '50%', '100%']);
    const forecast = made[`${folder}/forecast.md`] ?? '';
    expect(forecast).toContain('10 pods recreated');
    expect(forecast).toContain('subset by subset: a (3), b (3), c (4)');
  });

  test('is updated in place where its children are', async () => {
    const child = { updateStrategy: { type: 'InPlaceIfPossible' } };
    const { files: made } = await planned(files({ child }), files({ child, image: 'web:2' }));
    const { spec } = parse(made['plans/shop/uniteddeployment-web/plan.yaml'] ?? '') as RolloutPlan;
    expect(spec.from).toMatchObject([{ mode: 'InPlace' }]);
  });

  test.each<[string, Web, Web, string]>([
    [
      'another number of pods',
      {},
      { spec: { replicas: 12 } },
      'replicas 10 to 12: a 3 → 4, b 3 → 4; scaling needs no plan',
    ],
    [
      'the same pods in other subsets',
      { subsets: [...zones('a', { replicas: 5 }), ...zones('bc')] },
      { subsets: [...zones('a', { replicas: 4 }), ...zones('bc')] },
      'the same 10 in other subsets: a 5 → 4, b 2 → 3',
    ],
    ['another subset', {}, { subsets: zones('abd') }, 'the same 10 in other subsets: d none → 4, c 4 → none'],
  ])('shows which subset gets how many, and needs no plan: %s', async (_what, before, after, expected) => {
    const { code, host, files: made } = await planned(files(before), files(after));
    expect([code, plansIn(made)]).toEqual([0, []]);
    expect(host.out).toContain(expected);
  });

  test('gets a plan for another patch, beside the template of all', async () => {
    const patched = (tier: string): Web => ({
      subsets: [...zones('ab'), ...zones('c', { patch: { metadata: { labels: { tier } } } })],
    });
    const { code, host, files: made } = await planned(files(patched('silver')), files(patched('gold')));
    expect([code, plansIn(made).length > 0]).toEqual([0, true]);
    expect(host.out).toContain('10 pods recreated');
  });

  test.each<[string, JsonObject, string]>([
    [
      'more pods than there are',
      { topology: { subsets: [...zones('a', { replicas: 11 }), ...zones('b')] } },
      'error[KR2005]: spec.topology.subsets must not have more replicas than spec.replicas: they have 11, and it is 10',
    ],
    [
      'what is not executed',
      { template: { deploymentTemplate: { spec: { template: podTemplate('web:1') } } } },
      'spec.template.deploymentTemplate',
    ],
  ])('is refused, with the line: %s', async (_what, spec, expected) => {
    const { code, host } = await kruise(files({ spec }), { args: ['validate'] });
    expect(host.err + host.out).toContain(expected);
    expect(host.err + host.out).toMatch(/--> web\.yaml:[0-9]+:[0-9]+/);
    expect(code).toBe(expected.startsWith('error') ? 1 : code);
  });
});
