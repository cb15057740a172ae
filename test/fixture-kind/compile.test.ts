import { describe, expect, test, vi } from 'vitest';
import { parse, stringify } from 'yaml';
import type { RolloutPlan } from '../../schemas/generated/types/rolloutplan.ts';
import { planDigest } from '../../semantics/plan/digest.ts';
import { templateHash } from '../../semantics/template/canonical.ts';
import { kruise } from '../compiler/world/manifests.ts';
import { planned } from '../compiler/world/history.ts';
import { aisleKind, rackKind } from './kind.ts';
import { target } from './world.ts';

vi.mock('../../semantics/registry/registered.ts', () => import('./registered.ts'));
vi.mock('../../schemas/generated/targets.ts', async (original) => {
  const { withRacks } = await import('./targets.ts');
  return withRacks(await original());
});

const steps = 'steps: [{match: {}, batches: [{to: 1}, {to: 100%}]}]\n';

describe.each([
  [rackKind, 'plans/shop/rack-db', 'RolloutPlan', 'shop'],
  [aisleKind, 'plans/_cluster/aisle-db', 'ClusterRolloutPlan', undefined],
] as const)('$id.kind', (kind, folder, planKind, namespace) => {
  const files = (image: string) => ({ 'db.yaml': stringify(target(kind, image)) });

  test('is planned from git, with a forecast', async () => {
    const { code, files: made } = await planned(files('db:1'), { ...files('db:2'), 'kruise.yaml': steps });
    expect(code).toBe(0);
    const plan = parse(made[`${folder}/plan.yaml`] ?? '') as RolloutPlan;
    expect(plan).toMatchObject({ kind: planKind, metadata: { name: folder.split('/').at(-1) } });
    expect(plan.metadata.namespace).toBe(namespace);
    const { digest, ...content } = plan.spec;
    expect(digest).toBe(planDigest(content));
    const { template } = target(kind, 'db:2')['spec'] as { template: object };
    expect(plan.spec.to.hash).toBe(templateHash(template as Parameters<typeof templateHash>[0]));
    expect(plan.spec.from).toMatchObject([{ mode: 'Recreate' }]);
    expect(plan.spec.steps.map(({ update }) => update?.to)).toEqual([1, '100%']);
    expect(made[`${folder}/forecast.md`]).toContain('db:1');
  });

  test('is validated', async () => {
    const wrong = { ...target(kind, 'db:1'), spec: { slots: 'many', template: {} } };
    const { code, host } = await kruise({ 'head/db.yaml': stringify(wrong) }, { args: ['validate', 'head'] });
    expect(code).toBe(1);
    expect(host.err + host.out).toMatch(/slots/);
  });
});
