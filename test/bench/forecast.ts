import { simulatePlan } from '../../compiler/forecast/simulate.ts';
import type { RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { templateHash } from '../../semantics/template/canonical.ts';
import { web } from '../stories/manifests.ts';
import { parse } from 'yaml';
import type { Print } from './print.ts';

/** Forecasts of rollouts of three sizes: the time should grow in proportion to the pods. */
export function bench(print: Print): void {
  let small: { name: string; ms: number } | undefined;
  for (const replicas of [100, 1_000, 10_000]) {
    const target = parse(web({ replicas, image: 'nginx:1.27', maxUnavailable: '20%' })) as KubeObject;
    const before = parse(web({ replicas })) as { spec: { template: never } };
    const after = target['spec'] as { template: never };
    const plan: RolloutPlanSpec = {
      format: '1',
      semantics: '1',
      target: { apiVersion: target.apiVersion, kind: 'CloneSet', name: 'web' },
      to: { hash: templateHash(after.template), bound: { partition: 0 } },
      from: [{ hash: templateHash(before.spec.template), mode: 'InPlace' }],
      steps: [{ id: 'update', update: { to: '100%' } }],
      digest: 'h1:0',
    };
    const start = performance.now();
    simulatePlan({ target, plan, from: before.spec.template, retainedBefore: 0, replicas });
    const ms = performance.now() - start;
    print(`forecast of a rollout of ${replicas} pods`, ms, small);
    small ??= { name: 'that of 100 pods', ms };
  }
}
