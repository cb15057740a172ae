import type { RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { isSnapshot } from '../../semantics/plan/memory.ts';
import { templateHash } from '../../semantics/template/canonical.ts';
import { patchSpec, planOf, type TestCluster } from './stage.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
const NAMESPACE = 'shop';

/** The revision object that plans lead to when they lead to this template, under a bound. */
export function toTemplate(template: JsonObject, partition?: number): RolloutPlanSpec['to'] {
  return { hash: templateHash(template), bound: partition === undefined ? {} : { partition } };
}

/**
 * Replaces the plan object of `web` by one that leads to this template, and the manifest with it, as an engine does with
 * the next commit. `spec` is what else changes in the manifest.
 */
export async function lead(
  stage: TestCluster,
  template: JsonObject,
  parts: Partial<RolloutPlanSpec> = {},
  spec: JsonObject = {},
): Promise<KubeObject> {
  const live = ((await stage.target())['spec'] as { template: JsonObject }).template;
  const plan = planOf('web', '', '', {
    to: toTemplate(template),
    from: [{ hash: templateHash(live), mode: 'Recreate' }],
    ...parts,
  });
  const { items } = await stage.user.list(resources.RolloutPlan, { namespace: NAMESPACE });
  const present = items.find((object) => object.metadata.name === plan.metadata.name);
  const written =
    present === undefined
      ? await stage.user.create(resources.RolloutPlan, plan)
      : await stage.user.replace(resources.RolloutPlan, { ...plan, metadata: present.metadata });
  await patchSpec(stage, 'web', { template, ...spec });
  await stage.clock.settle();
  return written;
}

/** What a plan object shows, short enough to compare. */
export async function shown(stage: TestCluster, name = 'cloneset-web') {
  const plan = await stage.user.get(resources.RolloutPlan, { namespace: NAMESPACE, name });
  const { phase, step, waitingOn, message } = (plan['status'] ?? {}) as Record<string, string | undefined>;
  return { phase, step, waitingOn, message };
}

/** Requests of the runtime so far: writes alone, or all of them. */
export function requests(stage: TestCluster, which: 'all' | 'writes' = 'all'): number {
  return stage.world.log.filter(
    ({ user, verb }) => user === 'kruise' && (which === 'all' || !['list', 'watch', 'get'].includes(verb)),
  ).length;
}

/** The ControllerRevisions there are: accepted plans apart from revisions of pods. */
export async function memoryOf(
  stage: TestCluster,
): Promise<{ snapshots: KubeObject[]; revisions: KubeObject[] }> {
  const { items } = await stage.user.list(resources.ControllerRevision, { namespace: NAMESPACE });
  return {
    snapshots: items.filter((object) => isSnapshot(object)),
    revisions: items.filter((object) => !isSnapshot(object)),
  };
}

/** Deletes one pod that runs this image, as a drain does; the runtime makes up for it. */
export async function losePod(stage: TestCluster, image: string): Promise<void> {
  const pod = (await stage.pods()).find((p) => p.spec.containers[0]?.image === image);
  if (pod === undefined) throw new Error(`no pod runs ${image}`);
  await stage.user.delete(resources.Pod, { namespace: NAMESPACE, name: pod.metadata.name });
  await stage.clock.advance(MINUTE);
}
