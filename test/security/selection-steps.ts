import type { JsonObject } from '../../schemas/wire/json.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { textOf } from '../../semantics/values/read.ts';
import type { SidecarWorld } from '../runtime/sidecar-world.ts';

/** Creates a pod, and returns its image of the sidecar after a while. */
export async function podIn(
  cluster: SidecarWorld,
  name: string,
  namespace = 'shop',
  app = 'web',
): Promise<string> {
  await cluster.user.create(resources.Pod, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, labels: { app } },
    spec: { containers: [{ name: 'main', image: 'main:1' }] },
  });
  await cluster.clock.advance(15_000);
  return imageOf(cluster, name);
}

/** The image of the sidecar in a pod. */
export async function imageOf(cluster: SidecarWorld, name: string): Promise<string> {
  const found = (await cluster.pods()).find(({ metadata }) => metadata.name === name);
  return found?.spec.containers.find(({ name: each }) => each === 'log')?.image ?? 'none';
}

/** Sends a command about the present plan, of which there is one in a test. */
export async function command(cluster: SidecarWorld, what: JsonObject): Promise<void> {
  await cluster.user.create(resources.ClusterRolloutCommand, {
    apiVersion: 'plan.kruise.io/v1alpha1',
    kind: 'ClusterRolloutCommand',
    metadata: { name: 'yes' },
    spec: {
      target: { kind: 'SidecarSet', name: 'log' },
      digest: textOf((await cluster.plan())['digest']),
      by: 'mona',
      ...what,
    },
  });
}

/** Approves the step `agree` of the present plan. */
export function approve(cluster: SidecarWorld): Promise<void> {
  return command(cluster, { action: 'Approve', step: 'agree' });
}
