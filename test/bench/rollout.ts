import { parse } from 'yaml';
import { createRuntime } from '../../runtime/runtime.ts';
import { createVirtualClock, createWorld } from 'kruise-sandbox';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { web } from '../stories/manifests.ts';

const cloneSets = { group: 'apps.kruise.io', version: 'v1alpha1', plural: 'clonesets' };

/** The CPU time of an in-place rollout by the runtime, in process and on a virtual clock. */
export async function rolloutBench(
  print: (what: string, ms: number, baseline: { name: string; ms: number } | undefined) => void,
): Promise<void> {
  const replicas = 500;
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  const manifest = (image: string) =>
    parse(web({ replicas, maxUnavailable: '20%', image })) as KubeObject & { spec: never };
  const { metadata } = manifest('nginx:1.25');
  const at = { name: metadata.name, namespace: metadata.namespace ?? 'default' };
  const world = createWorld({ clock, nodes: 5, namespaces: [at.namespace], logSize: 1_000 });
  const runtime = createRuntime({ cluster: world.cluster('kruise'), clock, policy: 'Auto' });
  runtime.start();
  const updated = () => {
    const { status } = world.server.get('bench', cloneSets, at) as { status?: Record<string, unknown> };
    return status?.['updatedAvailableReplicas'] === replicas && status['observedGeneration'] !== undefined;
  };
  const creation = performance.now();
  world.server.create('bench', cloneSets, { ...manifest('nginx:1.25'), metadata: { ...metadata, ...at } });
  await clock.runUntil(updated, { what: 'all pods' });
  const created = { name: 'their creation', ms: performance.now() - creation };
  print(`runtime and sandbox: ${replicas} pods created, in process`, created.ms, undefined);
  const begun = performance.now();
  const { spec } = manifest('nginx:1.27');
  world.server.patch('bench', cloneSets, at, { type: 'merge', body: { spec } });
  await clock.runUntil(() => !updated(), { what: 'the beginning' });
  await clock.runUntil(updated, { what: 'the rollout' });
  print(`runtime and sandbox: ${replicas} pods updated in place`, performance.now() - begun, created);
  await runtime.stop();
  world.stop();
}
