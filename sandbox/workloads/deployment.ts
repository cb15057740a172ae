import { sameValue } from '../../schemas/pods/fields.ts';
import { isFinished } from '../../schemas/pods/pod.ts';
import { ApiError } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { deployments, pods, replicaSets, type Controller, type WorkloadContext } from './context.ts';
import { conditionIn, deadlineOf, deploymentStatus, isComplete, withCondition } from './deploymentStatus.ts';
import type { Deployment, DeploymentStatus, Pod, ReplicaSet } from './kinds.ts';
import {
  byAge,
  currentSet,
  desiredAnnotation,
  maxAnnotation,
  newSet,
  replicasOf,
  revisionAnnotation,
  revisionOf,
  setAnnotations,
} from './replicaSets.ts';
import { grownSize, isScaled, limitsOf, oldSizes, scaledSizes, type Scaling } from './rolling.ts';

interface Sets {
  current: ReplicaSet | undefined;
  old: ReplicaSet[];
}

/** Rolls the ReplicaSets of each Deployment. */
export function createDeploymentController(context: WorkloadContext): Controller {
  const { record } = context;

  function readSets(deployment: Deployment): Sets {
    const all = context.children.of(replicaSets.id, deployment) as ReplicaSet[];
    const current = currentSet(deployment, all);
    return { current, old: byAge(all.filter((set) => set !== current)) };
  }

  function latest(deployment: Deployment): Deployment {
    return context.latest(deployment) ?? deployment;
  }

  /** The sizes that the ReplicaSet was given for. */
  function sizeAnnotations(deployment: Deployment): Record<string, string> {
    const wanted = replicasOf(deployment);
    return {
      [desiredAnnotation]: String(wanted),
      [maxAnnotation]: String(wanted + limitsOf(deployment).surge),
    };
  }

  /** Returns whether any size changed. */
  function scale(deployment: Deployment, scalings: readonly Scaling[]): boolean {
    let changed = false;
    for (const { set, replicas } of scalings) {
      const before = replicasOf(set);
      const annotations = sizeAnnotations(deployment);
      const isMarked = Object.entries(annotations).every(
        ([key, value]) => set.metadata.annotations?.[key] === value,
      );
      if (before === replicas && isMarked) continue;
      context.patch(replicaSets, set, { metadata: { annotations }, spec: { replicas } });
      if (before === replicas) continue;
      changed = true;
      const direction = replicas > before ? 'up' : 'down';
      const message = `Scaled ${direction} replica set ${set.metadata.name} from ${before} to ${replicas}`;
      record(deployment, 'Normal', 'ScalingReplicaSet', message);
    }
    return changed;
  }

  function writeStatus(
    deployment: Deployment,
    status: DeploymentStatus,
    annotations?: Record<string, string>,
  ): void {
    context.writeStatus(deployments, deployment, status, annotations);
  }

  function writeProgress(
    deployment: Deployment,
    status: 'True' | 'Unknown',
    reason: string,
    message: string,
    annotations?: Record<string, string>,
  ): void {
    const now = context.now();
    const { status: old = {} } = latest(deployment);
    const news = { type: 'Progressing', status, reason, message };
    writeStatus(
      deployment,
      { ...old, conditions: withCondition(old.conditions ?? [], news, now) },
      annotations,
    );
  }

  /** Makes the ReplicaSet of the template, or brings its annotations up to date. */
  function ensureCurrent(deployment: Deployment, { current, old }: Sets): void {
    const revision = Math.max(0, ...old.map(revisionOf)) + 1;
    const annotations = setAnnotations(deployment, current, revision);
    const marked = (value: string) => ({
      ...latest(deployment).metadata.annotations,
      [revisionAnnotation]: value,
    });
    const hasDeadline = deployment.spec.progressDeadlineSeconds !== undefined;
    if (current !== undefined) {
      const { minReadySeconds = 0 } = deployment.spec;
      if (
        !sameValue(annotations, current.metadata.annotations) ||
        minReadySeconds !== (current.spec.minReadySeconds ?? 0)
      )
        context.patch(replicaSets, current, { metadata: { annotations }, spec: { minReadySeconds } });
      const own = annotations[revisionAnnotation] ?? '';
      const message = `Found new replica set "${current.metadata.name}"`;
      if (hasDeadline && conditionIn(deployment, 'Progressing') === undefined)
        writeProgress(deployment, 'True', 'FoundNewReplicaSet', message, marked(own));
      else writeStatus(deployment, latest(deployment).status ?? {}, marked(own));
      return;
    }
    const replicas = grownSize(deployment, 0, old);
    const body = newSet(deployment, replicas, { ...annotations, ...sizeAnnotations(deployment) });
    try {
      context.create(replicaSets, body);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status.reason !== 'AlreadyExists') throw error;
      // Another template, or another controller, has this name.
      const status = latest(deployment).status ?? {};
      writeStatus(deployment, { ...status, collisionCount: (status.collisionCount ?? 0) + 1 });
      return;
    }
    const { name } = body.metadata;
    if (replicas > 0)
      record(
        deployment,
        'Normal',
        'ScalingReplicaSet',
        `Scaled up replica set ${name} from 0 to ${replicas}`,
      );
    if (hasDeadline)
      writeProgress(
        deployment,
        'True',
        'NewReplicaSetCreated',
        `Created new replica set "${name}"`,
        marked(String(revision)),
      );
    else writeStatus(deployment, latest(deployment).status ?? {}, marked(String(revision)));
  }

  /** Deletes the oldest empty ReplicaSets beyond the history limit. */
  function cleanUp(deployment: Deployment, { old }: Sets): void {
    const limit = deployment.spec.revisionHistoryLimit ?? 10;
    const alive = old.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    const oldest = [...alive].sort((a, b) => revisionOf(a) - revisionOf(b));
    for (const set of oldest.slice(0, Math.max(0, alive.length - limit))) {
      const { replicas = 0, observedGeneration = 0 } = set.status ?? {};
      if (replicas > 0 || replicasOf(set) > 0 || (set.metadata.generation ?? 0) > observedGeneration)
        continue;
      context.remove(replicaSets, set);
    }
  }

  function hasOldPods({ old }: Sets): boolean {
    return old.some((set) => (context.children.of(pods.id, set) as Pod[]).some((pod) => !isFinished(pod)));
  }

  function recreate(deployment: Deployment): void {
    const before = readSets(deployment);
    const active = before.old.filter((set) => replicasOf(set) > 0);
    if (
      scale(
        deployment,
        active.map((set) => ({ set, replicas: 0 })),
      )
    )
      return;
    if (hasOldPods(before)) return;
    ensureCurrent(deployment, before);
    const { current } = readSets(deployment);
    if (current !== undefined) scale(deployment, [{ set: current, replicas: replicasOf(deployment) }]);
  }

  function roll(deployment: Deployment): void {
    ensureCurrent(deployment, readSets(deployment));
    const { current, old } = readSets(deployment);
    if (current === undefined) return;
    const size = replicasOf(current);
    const wanted = replicasOf(deployment);
    const replicas = size >= wanted ? wanted : grownSize(deployment, size, [...old, current]);
    if (scale(deployment, [{ set: current, replicas }])) return;
    scale(deployment, oldSizes(deployment, current, old));
  }

  /** Reports that a rollout is paused or goes on. */
  function reportPause(deployment: Deployment): void {
    const { progressDeadlineSeconds, paused = false } = deployment.spec;
    const reason = conditionIn(deployment, 'Progressing')?.reason;
    if (progressDeadlineSeconds === undefined || reason === 'ProgressDeadlineExceeded') return;
    if (paused && reason !== 'DeploymentPaused')
      writeProgress(deployment, 'Unknown', 'DeploymentPaused', 'Deployment is paused');
    else if (!paused && reason === 'DeploymentPaused')
      writeProgress(deployment, 'Unknown', 'DeploymentResumed', 'Deployment is resumed');
  }

  function sync(object: KubeObject): number | undefined {
    const deployment = object as Deployment;
    context.claim(replicaSets, deployment, deployment.spec.selector);
    const before = readSets(deployment);
    const all = before.current === undefined ? before.old : [...before.old, before.current];
    const isLeft = deployment.metadata.deletionTimestamp === undefined;
    let rolls = false;
    if (isLeft) {
      reportPause(deployment);
      rolls = deployment.spec.paused !== true && !isScaled(deployment, all);
      if (!rolls) {
        if (before.current !== undefined) ensureCurrent(deployment, before);
        const { current, old } = readSets(deployment);
        const sizes = scaledSizes(deployment, current, old);
        scale(deployment, sizes);
        const rest = readSets(deployment);
        const others = [...rest.old, ...(rest.current === undefined ? [] : [rest.current])];
        // Sizes that stay are marked, too: the change has been seen.
        scale(
          deployment,
          others.filter((set) => replicasOf(set) > 0).map((set) => ({ set, replicas: replicasOf(set) })),
        );
      } else if (deployment.spec.strategy?.type === 'Recreate') recreate(deployment);
      else roll(deployment);
    }
    const seen = latest(deployment);
    const sets = readSets(seen);
    const status = deploymentStatus(seen, sets.current, sets.old, rolls, context.now());
    writeStatus(seen, status);
    if (isLeft && isComplete(seen, status)) cleanUp(seen, sets);
    const deadline = deadlineOf(latest(seen));
    return deadline === undefined ? undefined : deadline + 1000;
  }

  return { resource: deployments, owns: [replicaSets.id], sync };
}
