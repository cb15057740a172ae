import type { Cluster, Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { createReflector } from '../../runtime/observe/reflector.ts';
import { createHostClock } from '../../runtime/host-clock.ts';
import { condition, isUpdateReady } from '../../semantics/pod/readiness.ts';
import { IN_PLACE_READY, type Pod } from '../../semantics/pod/types.ts';

/** As the manifests name it. */
export const cloneSets: Resource = { ...resources.CloneSet, version: 'v1alpha1' };

/** As the manifests name it. */
export const statefulSets: Resource = { ...resources.StatefulSet, version: 'v1beta1' };

/** As the manifests name it. */
export const unitedDeployments: Resource = { ...resources.UnitedDeployment, version: 'v1beta1' };

/** As the manifests name it. */
export const daemonSets: Resource = { ...resources.DaemonSet, version: 'v1beta1' };

/** Observes the pods of each CloneSet, StatefulSet and DaemonSet by a watch; times are milliseconds by one monotonic clock. */
export interface Watcher {
  /** Resets the observations; from now on pods are updated to this image. */
  expect(image: string): void;
  /** When the update of each pod of a target to the image was first observed. */
  begun(target: string): number[];
  /** When each pod of a target was first observed ready with the image, including the readiness gate. */
  ready(target: string): number[];
  /** How many times pods changed. */
  readonly changes: number;
  /** Resolves once this many pods are ready with the image and the status of each target agrees. */
  until(count: number): Promise<void>;
  stop(): void;
}

interface Track {
  owner: string;
  begun: number | undefined;
  ready: number | undefined;
}

const PATIENCE_MS = 120_000;

export async function watchPods(cluster: Cluster, namespace: string): Promise<Watcher> {
  const clock = createHostClock();
  const tracks = new Map<string, Track>();
  const targets = new Map<string, KubeObject>();
  let wanted = '';
  let changes = 0;
  let readyCount = 0;
  let check = (): void => {};

  function seePod(object: KubeObject, gone: boolean): void {
    const pod = object as Pod;
    changes += 1;
    const uid = pod.metadata.uid ?? '';
    if (gone) {
      if (tracks.get(uid)?.ready !== undefined) readyCount -= 1;
      tracks.delete(uid);
      return;
    }
    const now = performance.now();
    const owner = pod.metadata.ownerReferences?.[0]?.name ?? '';
    const track = tracks.get(uid) ?? { owner, begun: undefined, ready: undefined };
    tracks.set(uid, track);
    const isNew = pod.spec.containers[0]?.image === wanted;
    const isDrained = condition(pod, IN_PLACE_READY)?.status === 'False';
    if (track.begun === undefined && (isNew || isDrained)) track.begun = now;
    if (track.ready === undefined && isNew && isUpdateReady(pod, 0, Date.now())) {
      track.ready = now;
      readyCount += 1;
    }
    check();
  }

  function areReported(): boolean {
    return [...targets.values()].every((target) => {
      const status = (target['status'] ?? {}) as Record<string, unknown>;
      const isReported = target.kind === 'DaemonSet' ? isReportedOnNodes : isReportedOfReplicas;
      return status['observedGeneration'] === target.metadata.generation && isReported(target, status);
    });
  }

  const follow = async (resource: Resource, onChange: (object: KubeObject, gone: boolean) => void) =>
    new Promise<() => void>((resolve) => {
      const reflector = createReflector({
        cluster,
        clock,
        resource,
        namespace,
        onChange,
        onSync: () => resolve(() => reflector.stop()),
      });
      reflector.start();
    });

  const stops = await Promise.all([
    follow(resources.Pod, seePod),
    ...[cloneSets, statefulSets, daemonSets, unitedDeployments].map((resource) =>
      follow(resource, (target, gone) => {
        const uid = target.metadata.uid ?? '';
        if (gone) targets.delete(uid);
        else targets.set(uid, target);
        check();
      }),
    ),
  ]);
  const times = (target: string, which: 'begun' | 'ready'): number[] =>
    [...tracks.values()]
      .flatMap((track) => (track.owner === target && track[which] !== undefined ? [track[which]] : []))
      .sort((a, b) => a - b);

  return {
    expect(image) {
      wanted = image;
      changes = 0;
      readyCount = 0;
      for (const track of tracks.values()) {
        track.begun = undefined;
        track.ready = undefined;
      }
    },
    begun: (target) => times(target, 'begun'),
    ready: (target) => times(target, 'ready'),
    get changes() {
      return changes;
    },
    async until(count) {
      await new Promise<void>((resolve, reject) => {
        const late = setTimeout(
          () => reject(new Error(`${readyCount} of ${count} pods after ${PATIENCE_MS / 1000} s`)),
          PATIENCE_MS,
        );
        check = () => {
          if (readyCount < count || !areReported()) return;
          clearTimeout(late);
          resolve();
        };
        check();
      });
      check = () => {};
    },
    stop: () => stops.forEach((stop) => stop()),
  };
}

/** As many as are to be updated, of a target, or of a child that has its part of the partitions. Before there is an update, all are. */
function isReportedOfReplicas({ spec }: KubeObject, status: Record<string, unknown>): boolean {
  const { replicas, updateStrategy = {} } = spec as { replicas: number; updateStrategy?: Strategy };
  const { partition = 0, rollingUpdate, manualUpdate } = updateStrategy;
  const parts = [partition, rollingUpdate?.partition ?? 0, ...Object.values(manualUpdate?.partitions ?? {})];
  const retained = parts.reduce((sum, count) => sum + count, 0);
  const { updatedReadyReplicas: ready, updatedAvailableReplicas: available = ready } = status;
  return Number(ready) >= replicas - retained && Number(available) >= replicas - retained;
}

/** Where each layout has what stays on the old revision. */
interface Strategy {
  partition?: number;
  rollingUpdate?: { partition?: number };
  manualUpdate?: { partitions?: Record<string, number> };
}

function isReportedOnNodes(_target: KubeObject, status: Record<string, unknown>): boolean {
  const { desiredNumberScheduled: nodes, updatedNumberScheduled, numberAvailable } = status;
  return updatedNumberScheduled === nodes && numberAvailable === nodes;
}
