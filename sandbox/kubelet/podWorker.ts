import { ApiError } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { timestamp } from '../api/metadata.ts';
import type { ApiServer } from '../api/server.ts';
import { isFinished, type Container, type ContainerStatus, type Pod } from '../kinds/pod.ts';
import type { Store } from '../store/store.ts';
import { sameValue } from '../store/value.ts';
import { createContainerRun, type ContainerHost, type ContainerRun } from './container.ts';
import { podStatus } from './podStatus.ts';

/** What a kubelet lends to the worker of one pod. */
export interface PodHost extends ContainerHost {
  user: string;
  server: ApiServer;
  store: Store;
  hostIP: string;
  newPodIP(): string;
  isUp(): boolean;
}

/** Runs one pod of a node. */
export interface PodWorker {
  /** Compares what runs with what is wanted, goes on from there, and reports. */
  sync(): void;
  /** The pod is gone from the API: its containers go without a word. */
  drop(): void;
}

export function createPodWorker(host: PodHost, uid: string): PodWorker {
  const runs = new Map<string, ContainerRun>();
  let startTime: string | undefined;
  let podIP: string | undefined;
  let stopping = false;
  let stopped = false;
  let dropped = false;

  function runOf(pod: Pod, container: Container): ContainerRun {
    let run = runs.get(container.name);
    if (run === undefined) {
      const { name, namespace } = pod.metadata;
      run = createContainerRun(container.name, `${name}_${namespace}(${uid})`, host, sync);
      runs.set(container.name, run);
    }
    return run;
  }

  function statusesOf(pod: Pod, containers: readonly Container[]): ContainerStatus[] {
    return containers.map((container) => {
      const status = runOf(pod, container).status();
      return status.image === '' ? { ...status, image: container.image ?? '' } : status;
    });
  }

  function report(pod: Pod): void {
    if (podIP === undefined && [...runs.values()].some((run) => run.isRunning())) podIP = host.newPodIP();
    startTime ??= timestamp(host.now());
    const status = podStatus(pod, {
      now: host.now(),
      hostIP: host.hostIP,
      startTime,
      podIP,
      initContainers: statusesOf(pod, pod.spec.initContainers ?? []),
      containers: statusesOf(pod, pod.spec.containers),
      restarting: pod.spec.containers.some((container) => runOf(pod, container).isRestarting()),
      stopped,
    });
    if (sameValue(status, pod.status)) return;
    attempt(() =>
      host.server.replace(host.user, resources.Pod, { ...pod, status }, { subresource: 'status' }),
    );
  }

  /** The pod may have gone in between; whoever took it will be noticed. */
  function attempt(run: () => unknown): void {
    try {
      run();
    } catch (error) {
      if (!(error instanceof ApiError) || ![404, 409].includes(error.status.code)) throw error;
    }
  }

  /** Init containers one after the other; true once all have done their work. */
  function advanceInit(pod: Pod): boolean {
    // An init container is run again when it fails, unless nothing in the pod is.
    const policy = pod.spec.restartPolicy === 'Never' ? 'Never' : 'OnFailure';
    for (const container of pod.spec.initContainers ?? []) {
      const run = runOf(pod, container);
      if (run.status().state.terminated?.exitCode === 0) continue;
      run.advance(container, policy);
      return false;
    }
    return true;
  }

  function advance(pod: Pod): void {
    if (!advanceInit(pod)) return;
    const policy = pod.spec.restartPolicy ?? 'Always';
    for (const container of pod.spec.containers) if (runOf(pod, container).advance(container, policy)) return;
  }

  function finish(): void {
    if (dropped || stopped || [...runs.values()].some((run) => run.isRunning())) return;
    stopped = true;
    const pod = host.store.byUid(uid) as Pod | undefined;
    if (pod !== undefined) report(pod);
    if (pod === undefined) return;
    const { name, namespace = '' } = pod.metadata;
    attempt(() =>
      host.server.delete(host.user, resources.Pod, { name, namespace }, { uid, gracePeriodSeconds: 0 }),
    );
  }

  function terminate(pod: Pod): void {
    if (stopped) return report(pod);
    const graceMs = (pod.metadata.deletionGracePeriodSeconds ?? 0) * 1000;
    if (!stopping) for (const run of runs.values()) run.stop(graceMs, finish);
    stopping = true;
    finish();
  }

  function sync(): void {
    if (dropped || !host.isUp()) return;
    const pod = host.store.byUid(uid) as Pod | undefined;
    if (pod === undefined) return;
    if (pod.metadata.deletionTimestamp !== undefined) return terminate(pod);
    if (isFinished(pod)) return;
    advance(pod);
    // What advancing wrote in between is the base of this report.
    const latest = host.store.byUid(uid) as Pod | undefined;
    if (latest !== undefined) report(latest);
  }

  return {
    sync,
    drop() {
      dropped = true;
      for (const run of runs.values()) run.discard();
    },
  };
}
