import type { Condition } from '../../schemas/wire/object.ts';
import { timestamp } from '../api/metadata.ts';
import type { Deployment, DeploymentStatus, ReplicaSet } from './kinds.ts';
import { replicasOf, sumOf } from './replicaSets.ts';
import { limitsOf } from './rolling.ts';

type News = Pick<Condition, 'type' | 'status'> & { reason: string; message: string };

export function conditionIn({ status }: Pick<Deployment, 'status'>, type: string): Condition | undefined {
  return status?.conditions?.find((each) => each.type === type);
}

/** Sets a condition; one with the same status and reason stays as it is. */
export function withCondition(conditions: readonly Condition[], news: News, now: number): Condition[] {
  const old = conditions.find(({ type }) => type === news.type);
  if (old?.status === news.status && old.reason === news.reason) return [...conditions];
  const at = timestamp(now);
  const since = old?.status === news.status ? old.lastTransitionTime : at;
  const next = { ...news, lastUpdateTime: at, lastTransitionTime: since ?? at };
  return [...conditions.filter((each) => each !== old), next];
}

function counts(deployment: Deployment, current: ReplicaSet | undefined, all: readonly ReplicaSet[]) {
  const { generation } = deployment.metadata;
  const available = sumOf(all, ({ status }) => status?.availableReplicas);
  const collisions = deployment.status?.collisionCount;
  return {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    replicas: sumOf(all, ({ status }) => status?.replicas),
    updatedReplicas: current?.status?.replicas ?? 0,
    readyReplicas: sumOf(all, ({ status }) => status?.readyReplicas),
    availableReplicas: available,
    unavailableReplicas: Math.max(0, sumOf(all, replicasOf) - available),
    terminatingReplicas: sumOf(all, ({ status }) => status?.terminatingReplicas),
    ...(collisions === undefined ? {} : { collisionCount: collisions }),
  };
}

export function isComplete(deployment: Deployment, status: DeploymentStatus): boolean {
  const wanted = replicasOf(deployment);
  return (
    status.updatedReplicas === wanted &&
    (status.replicas ?? 0) === wanted &&
    status.availableReplicas === wanted &&
    (status.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  );
}

function hasProgressed(old: DeploymentStatus, next: DeploymentStatus): boolean {
  const grew = (field: 'updatedReplicas' | 'readyReplicas' | 'availableReplicas') =>
    (next[field] ?? 0) > (old[field] ?? 0);
  const outdated = ({ replicas = 0, updatedReplicas = 0 }: DeploymentStatus) => replicas - updatedReplicas;
  return (
    grew('updatedReplicas') ||
    grew('readyReplicas') ||
    grew('availableReplicas') ||
    outdated(next) < outdated(old)
  );
}

/** When a rollout without progress has exceeded its deadline, milliseconds since 1970. */
export function deadlineOf(deployment: Deployment): number | undefined {
  const seconds = deployment.spec.progressDeadlineSeconds;
  const progressing = conditionIn(deployment, 'Progressing');
  if (seconds === undefined || progressing === undefined || deployment.spec.paused === true) return undefined;
  if (['NewReplicaSetAvailable', 'ProgressDeadlineExceeded'].includes(progressing.reason ?? ''))
    return undefined;
  return Date.parse(progressing.lastUpdateTime ?? '') + seconds * 1000;
}

/** The Progressing condition of a rollout, if it changes. */
function progress(
  deployment: Deployment,
  name: string,
  next: DeploymentStatus,
  now: number,
): News | undefined {
  const news = (status: 'True' | 'False', reason: string, text: string): News => ({
    type: 'Progressing',
    status,
    reason,
    message: `${name} ${text}`,
  });
  const old = conditionIn(deployment, 'Progressing');
  if (next.replicas === next.updatedReplicas && old?.reason === 'NewReplicaSetAvailable') return undefined;
  if (isComplete(deployment, next))
    return news('True', 'NewReplicaSetAvailable', 'has successfully progressed.');
  if (hasProgressed(deployment.status ?? {}, next))
    return news('True', 'ReplicaSetUpdated', 'is progressing.');
  return (deadlineOf(deployment) ?? Infinity) < now
    ? news('False', 'ProgressDeadlineExceeded', 'has timed out progressing.')
    : undefined;
}

/** The status of a Deployment with these ReplicaSets. `rolling`: not while it is paused or scaled. */
export function deploymentStatus(
  deployment: Deployment,
  current: ReplicaSet | undefined,
  old: readonly ReplicaSet[],
  rolling: boolean,
  now: number,
): DeploymentStatus {
  const all = current === undefined ? old : [...old, current];
  const next = counts(deployment, current, all);
  let conditions = deployment.status?.conditions ?? [];
  const isEnough = next.availableReplicas >= replicasOf(deployment) - limitsOf(deployment).unavailable;
  conditions = withCondition(
    conditions,
    {
      type: 'Available',
      status: isEnough ? 'True' : 'False',
      reason: isEnough ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
      message: `Deployment ${isEnough ? 'has' : 'does not have'} minimum availability.`,
    },
    now,
  );
  if (!rolling) return { ...next, conditions };
  if (deployment.spec.progressDeadlineSeconds === undefined)
    conditions = conditions.filter(({ type }) => type !== 'Progressing');
  else {
    const name =
      current === undefined
        ? `Deployment "${deployment.metadata.name}"`
        : `ReplicaSet "${current.metadata.name}"`;
    const news = progress(deployment, name, next, now);
    // Each progress restarts the deadline, also where status and reason stay.
    if (news?.reason === 'ReplicaSetUpdated') {
      const before = conditions.find(({ type }) => type === 'Progressing');
      conditions = withCondition(
        conditions.filter((each) => each !== before),
        news,
        now,
      );
      const since = before?.status === 'True' ? before.lastTransitionTime : undefined;
      if (since !== undefined)
        conditions = conditions.map((each) =>
          each.type === 'Progressing' ? { ...each, lastTransitionTime: since } : each,
        );
    } else if (news !== undefined) conditions = withCondition(conditions, news, now);
  }
  const failures = all.flatMap(
    (set) => set.status?.conditions?.filter(({ type }) => type === 'ReplicaFailure') ?? [],
  );
  const [failure] = failures;
  conditions = conditions.filter(({ type }) => type !== 'ReplicaFailure');
  if (failure !== undefined) {
    const { reason = '', message = '' } = failure;
    conditions = withCondition(conditions, { type: 'ReplicaFailure', status: 'True', reason, message }, now);
    const before = conditionIn(deployment, 'ReplicaFailure');
    if (before?.reason === reason)
      conditions = conditions.map((each) => (each.type === 'ReplicaFailure' ? before : each));
  }
  return { ...next, conditions };
}
