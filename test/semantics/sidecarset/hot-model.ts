import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { ContainerStatus } from '../../../semantics/pod/types.ts';
import { HOT_UPGRADE_CONDITION } from '../../../semantics/sidecarset/hot-condition.ts';
import { listOf } from '../../../semantics/values/read.ts';
import { sidecar } from './model.ts';
import { type Rolling, rolling } from './rolling.ts';

export const upgradeStrategy = { upgradeType: 'HotUpgrade', hotUpgradeEmptyImage: 'empty:1' };
export const mesh = (image: string, fields: JsonObject = {}): JsonObject =>
  sidecar('mesh', { image, upgradeStrategy, ...fields });

/** Writes a set with these containers, at this resourceVersion. */
export function write(
  world: Rolling,
  containers: readonly JsonObject[],
  version?: string,
  spec: JsonObject = {},
): void {
  world.set('mesh', { containers: [...containers], ...spec });
  const set = world.sets.get('mesh');
  if (set === undefined || version === undefined) return;
  world.sets.set('mesh', { ...set, metadata: { ...set.metadata, resourceVersion: version } });
}

/** A set with the image A, and so many ready pods `p0`, `p1` … */
export function ready(count: number, others: readonly JsonObject[] = [], spec: JsonObject = {}): Rolling {
  const world = rolling();
  write(world, [mesh('A'), ...others], undefined, spec);
  world.reconcile();
  for (let n = 0; n < count; n++) world.create(`p${n}`);
  world.kubelet();
  world.reconcile();
  return world;
}

export function settle(world: Rolling, ...kubelet: Parameters<Rolling['kubelet']>): void {
  for (let turn = 0; turn < 10; turn++) {
    world.reconcile();
    world.kubelet(...kubelet);
  }
  world.reconcile();
}

export const annotation = (world: Rolling, pod: string, key: string): string =>
  world.pods.get(pod)?.metadata.annotations?.[key] ?? '';

/** Both images, the half that works, and the versions as `v1/alt1/v2/alt2`, as in the table of the reference. */
export function halves(world: Rolling, pod = 'p0'): string {
  const images = ['mesh-1', 'mesh-2'].map((half) => world.image(pod, half)).join(' ');
  const working = annotation(world, pod, 'kruise.io/sidecarset-working-hotupgrade-container');
  const versions = ['mesh-1', 'mesh-2'].flatMap((half) => [
    annotation(world, pod, `version.sidecarset.kruise.io/${half}`),
    annotation(world, pod, `versionalt.sidecarset.kruise.io/${half}`),
  ]);
  return `${images}, ${working}, ${versions.join('/')}`;
}

/** Writes the status of one container of `p0`. */
export function report(world: Rolling, name: string, status: Omit<ContainerStatus, 'name'>): void {
  const pod = world.pods.get('p0');
  if (pod === undefined) throw new Error('there is no p0');
  const others = (pod.status?.containerStatuses ?? []).filter((each) => each.name !== name);
  const containerStatuses = [...others, { name, ...status }];
  world.pods.set('p0', { ...pod, status: { ...pod.status, containerStatuses } });
}

export const readyPods = (world: Rolling): unknown => world.status('mesh')['readyPods'];
export const hot = (world: Rolling): unknown =>
  listOf(world.status('mesh')['conditions']).find(({ type }) => type === HOT_UPGRADE_CONDITION);
