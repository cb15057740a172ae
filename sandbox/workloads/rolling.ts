import type { Deployment, ReplicaSet } from './kinds.ts';
import { byAge, desiredAnnotation, maxAnnotation, replicasOf, sumOf } from './replicaSets.ts';

/** The next size of one ReplicaSet. */
export interface Scaling {
  set: ReplicaSet;
  replicas: number;
}

/** An absolute number, or a percentage of `total`. */
export function resolved(value: number | string | undefined, total: number, up: boolean): number {
  if (typeof value !== 'string') return value ?? 0;
  const exact = (Number.parseInt(value, 10) * total) / 100;
  return up ? Math.ceil(exact) : Math.floor(exact);
}

/** How many pods may be added and be missing during an update; never both zero. */
export function limitsOf(deployment: Deployment): { surge: number; unavailable: number } {
  const { type, rollingUpdate } = deployment.spec.strategy ?? {};
  if (type !== 'RollingUpdate') return { surge: 0, unavailable: 0 };
  const replicas = replicasOf(deployment);
  const surge = resolved(rollingUpdate?.maxSurge, replicas, true);
  const unavailable = resolved(rollingUpdate?.maxUnavailable, replicas, false);
  if (surge === 0 && unavailable === 0) return { surge, unavailable: 1 };
  return { surge, unavailable: Math.min(unavailable, replicas) };
}

/** The size that the current ReplicaSet may grow to. */
export function grownSize(deployment: Deployment, size: number, all: readonly ReplicaSet[]): number {
  const wanted = replicasOf(deployment);
  if (deployment.spec.strategy?.type !== 'RollingUpdate') return wanted;
  const room = wanted + limitsOf(deployment).surge - sumOf(all, replicasOf);
  return room <= 0 ? size : size + Math.min(room, wanted - size);
}

/** Takes from the oldest sets first, until `most` pods are taken away. */
function shrunk(old: readonly ReplicaSet[], most: number, spare: (set: ReplicaSet) => number): Scaling[] {
  let left = most;
  return byAge(old).flatMap((set) => {
    const count = Math.min(left, spare(set));
    if (count <= 0) return [];
    left -= count;
    return [{ set, replicas: replicasOf(set) - count }];
  });
}

/** What the ReplicaSets of former templates give up in this step of a rolling update: unavailable pods first. */
export function oldSizes(deployment: Deployment, current: ReplicaSet, old: readonly ReplicaSet[]): Scaling[] {
  const active = old.filter((set) => replicasOf(set) > 0);
  const all = [...active, current];
  const least = replicasOf(deployment) - limitsOf(deployment).unavailable;
  const missing = replicasOf(current) - (current.status?.availableReplicas ?? 0);
  const room = sumOf(all, replicasOf) - least - missing;
  if (active.length === 0 || room <= 0) return [];
  const broken = shrunk(active, room, (set) => replicasOf(set) - (set.status?.availableReplicas ?? 0));
  const sizes = new Map(broken.map(({ set, replicas }) => [set, replicas]));
  const sizeOf = (set: ReplicaSet) => sizes.get(set) ?? replicasOf(set);
  const available = sumOf(all, ({ status }) => status?.availableReplicas);
  for (const { set, replicas } of shrunk(active, available - least, sizeOf))
    sizes.set(set, Math.max(0, replicas - (replicasOf(set) - sizeOf(set))));
  return [...sizes].map(([set, replicas]) => ({ set, replicas }));
}

/** Whether the Deployment was scaled since its ReplicaSets were sized. */
export function isScaled(deployment: Deployment, sets: readonly ReplicaSet[]): boolean {
  return sets.some((set) => {
    const desired = set.metadata.annotations?.[desiredAnnotation];
    return replicasOf(set) > 0 && desired !== undefined && Number(desired) !== replicasOf(deployment);
  });
}

/** The share of one ReplicaSet in a change of the size during an update. */
function shareOf(deployment: Deployment, set: ReplicaSet, total: number, given: number): number {
  const size = replicasOf(set);
  if (size === 0) return 0;
  const limit = replicasOf(deployment) + limitsOf(deployment).surge;
  const before = Number(set.metadata.annotations?.[maxAnnotation]) || replicasOf(deployment);
  const share = Math.round((size * limit) / before) - size;
  return total > 0 ? Math.min(share, total - given) : Math.max(share, total - given);
}

/** The sizes after a change of `replicas`: one active ReplicaSet gets all, several get their shares. */
export function scaledSizes(
  deployment: Deployment,
  current: ReplicaSet | undefined,
  old: readonly ReplicaSet[],
): Scaling[] {
  const wanted = replicasOf(deployment);
  const all = current === undefined ? [...old] : [...old, current];
  const active = all.filter((set) => replicasOf(set) > 0);
  if (active.length <= 1) {
    const set = active[0] ?? current ?? byAge(old).at(-1);
    return set === undefined || replicasOf(set) === wanted ? [] : [{ set, replicas: wanted }];
  }
  if (current !== undefined && replicasOf(current) === wanted && current.status?.availableReplicas === wanted)
    return old.filter((set) => replicasOf(set) > 0).map((set) => ({ set, replicas: 0 }));
  if (deployment.spec.strategy?.type !== 'RollingUpdate') return [];
  const limit = wanted > 0 ? wanted + limitsOf(deployment).surge : 0;
  const total = limit - sumOf(active, replicasOf);
  const aged = byAge(active);
  const ordered = (total > 0 ? aged.reverse() : aged).sort((a, b) => replicasOf(b) - replicasOf(a));
  let given = 0;
  const sizes = ordered.map((set) => {
    const share = total === 0 ? 0 : shareOf(deployment, set, total, given);
    given += share;
    return { set, replicas: replicasOf(set) + share };
  });
  const [largest] = sizes;
  if (largest !== undefined) largest.replicas = Math.max(0, largest.replicas + total - given);
  return sizes;
}
