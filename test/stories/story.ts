import type { ExpectStatic } from 'vitest';
import type { Policy } from '../../semantics/policy.ts';
import type { RolloutPlanStatus } from '../../schemas/generated/types/rolloutplan.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { StoryCluster, StageOptions } from './stage.ts';
import { isActive, isReady } from '../../semantics/pod/readiness.ts';
import type { Pod } from '../../semantics/pod/types.ts';

export interface Story extends Pick<StageOptions, 'runtime' | 'prepare' | 'sidecars' | 'controllers'> {
  file: string;
  title: string;
  /** What the story shows, for a reader who knows Kubernetes and not this project. */
  summary: string;
  files: Record<string, string>;
  policy?: Policy;
  play(stage: StoryCluster, expect: ExpectStatic): Promise<void>;
}

/** The path of CloneSet `web` in every story. */
export const MANIFEST = 'manifests/web.yaml';

/** A `kruise.yaml`: one pod first, a soak and an approval, half of them, another soak, the rest. */
export const batches = `steps:
- match: {kind: CloneSet, namespace: shop}
  batches:
  - {to: 5%}
  - {to: 50%}
  - {to: 100%}
  between: {soak: 10m}
  approve: [1]
`;

/** Applies the first commit, and waits until its pods are ready. */
export async function settled(stage: StoryCluster): Promise<void> {
  await stage.sync();
  await stage.run(20_000);
}

/** How many pods run each image. */
export async function images(stage: StoryCluster): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const pod of await stage.pods()) {
    const image = pod.spec.containers[0]?.image ?? '';
    counts[image] = (counts[image] ?? 0) + 1;
  }
  return Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Collects every image, with the log level, that a container runs from now on. */
export function imagesEverRun(stage: StoryCluster): Set<string> {
  const ran = new Set<string>();
  stage.world.onCommit(({ resource, object }) => {
    if (resource !== 'pods') return;
    const { containers } = object['spec'] as { containers: { image: string; env?: { value: string }[] }[] };
    for (const { image, env } of containers) ran.add([image, ...(env ?? []).map((e) => e.value)].join(' '));
  });
  return ran;
}

/** Deletes one pod that runs this image, as the removal of a node does; returns its name. */
export async function lose(stage: StoryCluster, image: string): Promise<string> {
  const pod = (await stage.pods()).find((p) => p.spec.containers[0]?.image === image);
  if (pod === undefined) throw new Error(`no pod runs ${image}`);
  const { name } = pod.metadata;
  stage.transcript.note(`pod ${name}, which runs ${image}, is lost`);
  await stage.user.delete(resources.Pod, { namespace: 'shop', name });
  return name;
}

/** Reason and message of the Held condition of the target; '' if it is not held. */
export async function held(stage: StoryCluster, name?: string): Promise<string> {
  const status = (await stage.target(name))['status'] as
    | { conditions?: { type: string; reason: string; message: string }[] }
    | undefined;
  const found = status?.conditions?.find((c) => c.type === 'plan.kruise.io/Held');
  return found === undefined ? '' : `${found.reason}: ${found.message}`;
}

/** The status of a plan object; default: that of `web`. */
export async function shown(stage: StoryCluster, name?: string): Promise<RolloutPlanStatus> {
  return (await stage.plan(name))?.['status'] ?? {};
}

/** Records the lowest number of ready pods from now on. */
export async function watchReady(stage: StoryCluster): Promise<{ lowest: number }> {
  const pods = new Map((await stage.pods()).map((pod) => [pod.metadata.uid, pod]));
  const count = (): number => [...pods.values()].filter((pod) => isActive(pod) && isReady(pod)).length;
  const ready = { lowest: count() };
  stage.world.onCommit(({ resource, type, object }) => {
    if (resource !== 'pods') return;
    if (type === 'DELETED') pods.delete(object.metadata.uid);
    else pods.set(object.metadata.uid, object as Pod);
    ready.lowest = Math.min(ready.lowest, count());
  });
  return ready;
}
