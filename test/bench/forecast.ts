import { simulatePlan } from '../../compiler/forecast/simulate.ts';
import type { RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { templateHash } from '../../semantics/template/canonical.ts';
import { web } from '../stories/manifests.ts';
import { parse } from 'yaml';
import type { Print } from './print.ts';

/** Forecasts of rollouts of three sizes: the time should grow in proportion to the units. */
export function bench(print: Print): void {
  compare(print, 'pods', (replicas, image) =>
    parse(web({ replicas, maxUnavailable: '20%', ...(image === 2 && { image: 'nginx:1.27' }) })),
  );
  compare(print, 'nodes', (_, image) => daemonSet(image));
}

function compare(print: Print, units: string, targetOf: (count: number, image: 1 | 2) => KubeObject): void {
  let small: { name: string; ms: number } | undefined;
  for (const count of [100, 1_000, 10_000]) {
    const [before, target] = [targetOf(count, 1), targetOf(count, 2)].map((object) => object as Templated);
    if (before === undefined || target === undefined) continue;
    const plan: RolloutPlanSpec = {
      format: '1',
      semantics: '1',
      target: { apiVersion: target.apiVersion, kind: target.kind, name: 'web' },
      to: { hash: templateHash(target.spec.template), bound: { partition: 0 } },
      from: [{ hash: templateHash(before.spec.template), mode: 'InPlace' }],
      steps: [{ id: 'update', update: { to: '100%' } }],
      digest: 'h1:0',
    };
    const start = performance.now();
    simulatePlan({ target, plan, from: before.spec.template, retainedBefore: 0, replicas: count });
    const ms = performance.now() - start;
    print(`forecast of a rollout of ${count} ${units}`, ms, small);
    small ??= { name: `that of 100 ${units}`, ms };
  }
}

interface Templated extends KubeObject {
  spec: { template: never };
}

function daemonSet(image: 1 | 2): KubeObject {
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'DaemonSet',
    metadata: { name: 'web', namespace: 'shop' },
    spec: {
      selector: { matchLabels: { app: 'web' } },
      updateStrategy: { rollingUpdate: { rollingUpdateType: 'InPlaceIfPossible', maxUnavailable: '20%' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'main', image: `nginx:${image}` }] },
      },
    },
  };
}
