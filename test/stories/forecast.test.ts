import { parse } from 'yaml';
import { describe, expect, test } from 'vitest';
import { simulatePlan } from '../../compiler/forecast/simulate.ts';
import type { RolloutPlan } from '../../schemas/generated/types/rolloutplan.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { isActive, isAvailable } from '../../semantics/pod/readiness.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { sampled } from '../lanes.ts';
import { type Web, web } from './manifests.ts';
import { createStoryCluster } from './stage.ts';

const MANIFEST = 'manifests/web.yaml';
const config = `steps:
- match: {kind: CloneSet}
  batches: [{to: 5%}, {to: 50%}, {to: 100%}]
  between: {soak: 1m}
`;
/** Another controller opens the gate once the containers are ready, as the forecast assumes. */
const gate = 'example.com/warm';
const next = { image: 'nginx:1.27-alpine' };

/** The forecast, and what then happens in the sandbox: the same rules, so the same numbers. */
const changes: { name: string; before: Web; after: Web; batches?: boolean }[] = [
  { name: 'in place', before: {}, after: next },
  { name: 'in place, one at a time', before: { maxUnavailable: 1 }, after: { maxUnavailable: 1, ...next } },
  { name: 'recreated', before: {}, after: { env: 'debug' } },
  {
    name: 'recreated with surge',
    before: { maxUnavailable: 0, maxSurge: 2 },
    after: { maxUnavailable: 0, maxSurge: 2, env: 'debug' },
  },
  {
    name: 'in place with surge',
    before: { maxUnavailable: 0, maxSurge: 1 },
    after: { maxUnavailable: 0, maxSurge: 1, ...next },
  },
  { name: 'metadata only', before: {}, after: { labels: { track: 'blue' } } },
  { name: 'under a partition', before: {}, after: { ...next, partition: '40%' } },
  { name: 'in batches', before: { replicas: 10 }, after: { replicas: 10, ...next }, batches: true },
  {
    name: 'in batches, recreated',
    before: { replicas: 7 },
    after: { replicas: 7, env: 'debug' },
    batches: true,
  },
  { name: 'behind a gate of its own', before: { gate }, after: { gate, ...next } },
  { name: 'recreated behind it', before: { gate }, after: { gate, env: 'debug' } },
  { name: 'one replica', before: { replicas: 1 }, after: { replicas: 1, ...next } },
];

describe('the forecast is what happens', () => {
  test.each(sampled('forecast', changes, 4))('$name', async ({ before, after, batches }) => {
    const stage = await createStoryCluster({
      files: { [MANIFEST]: web(before), ...(batches === true ? { 'kruise.yaml': config } : {}) },
    });
    stage.world.onCommit(({ resource, object }) => {
      const { spec, status } = object as Pod;
      const is = (type: string): boolean =>
        status?.conditions?.some((c) => c.type === type && c.status === 'True') === true;
      if (resource !== 'pods' || spec.readinessGates === undefined || !is('ContainersReady') || is(gate))
        return;
      const { namespace = '', name } = object.metadata;
      const body = { status: { conditions: [{ type: gate, status: 'True' }] } };
      void stage.user
        .patch(resources.Pod, { namespace, name }, { type: 'strategic', body }, { subresource: 'status' })
        .catch(() => {});
    });
    await stage.sync();
    await stage.run(20_000);
    await stage.commit('change', { [MANIFEST]: web(after) });
    const { spec } = parse(stage.files().get('plans/shop/cloneset-web/plan.yaml') ?? '') as RolloutPlan;
    const target = parse(web(after)) as KubeObject;
    const replicas = before.replicas ?? 5;
    const from = (parse(web(before)) as { spec: { template: JsonObject } }).spec.template;
    const forecast = simulatePlan({ target, plan: spec, from, retainedBefore: 0, replicas });

    const pods = new Map((await stage.pods()).map((pod) => [pod.metadata.name, pod]));
    let lowest = replicas;
    let most = replicas;
    stage.world.onCommit(({ resource, type, object }) => {
      if (resource !== 'pods') return;
      if (type === 'DELETED') pods.delete(object.metadata.name);
      else pods.set(object.metadata.name, object as Pod);
      const active = [...pods.values()].filter(isActive);
      most = Math.max(most, active.length);
      lowest = Math.min(lowest, active.filter((pod) => isAvailable(pod, 0, stage.clock.now())).length);
    });
    await stage.sync();
    await stage.until('Succeeded');
    await stage.stop();
    expect(forecast).toMatchObject({ finished: true, lowestAvailable: lowest, mostPods: most });
    expect(forecast?.steps.at(-1)?.updatedPods).toBe(
      [...pods.values()].filter((pod) => isActive(pod) && isNew(pod, target)).length,
    );
  });
});

/** Whether the pod runs what the manifest requests now. */
function isNew(pod: Pod, target: KubeObject): boolean {
  const template = (
    target['spec'] as {
      template: { metadata: { labels: Record<string, string> }; spec: { containers: object[] } };
    }
  ).template;
  const { labels } = template.metadata;
  const [wanted] = template.spec.containers as { image: string; env?: object }[];
  const [container] = pod.spec.containers;
  return (
    container?.image === wanted?.image &&
    JSON.stringify(container?.['env']) === JSON.stringify(wanted?.env) &&
    Object.entries(labels).every(([key, value]) => pod.metadata.labels?.[key] === value)
  );
}
