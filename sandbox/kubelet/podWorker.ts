import { ApiError } from '../../schemas/wire/cluster.ts';
import { resources as kinds } from '../../schemas/wire/resources.ts';
import { timestamp } from '../api/metadata.ts';
import type { ApiServer } from '../api/server.ts';
import type { RecordEvent } from '../controllers/eventRecorder.ts';
import {
  conditionOf,
  isFinished,
  isSidecar,
  type Container,
  type ContainerStatus,
  type Pod,
  type ResourceRequirements,
} from '../kinds/pod.ts';
import type { Store } from '../store/store.ts';
import { sameValue } from '../store/value.ts';
import { createContainerRun } from './container.ts';
import type { ContainerHost, ContainerRun } from './containerRun.ts';
import { createPodResources } from './podResources.ts';
import { createDeadline } from './deadline.ts';
import { podStatus, shownStatus } from './podStatus.ts';
import { rejection, type Demand, type Room } from './resources.ts';
import { stopInOrder } from './stopOrder.ts';

/** What a kubelet lends to the worker of one pod. */
export interface PodHost extends ContainerHost {
  user: string;
  server: ApiServer;
  store: Store;
  hostIP: string;
  newPodIP(): string;
  isUp(): boolean;
  /** The node as this pod finds it. */
  room(uid: string): Room;
  record: RecordEvent;
}

/** Why a pod ends though nobody deletes it. */
export interface Ending {
  reason: string;
  message: string;
}

/** Runs one pod of a node. */
export interface PodWorker {
  /** Compares what runs with what is wanted, goes on from there, and reports. */
  sync(): void;
  /** The pod is gone from the API: its containers go without a word. */
  drop(): void;
  /** Stops the containers for good; the pod is Failed then. */
  end(ending: Ending): void;
  /** What it occupies; undefined when it does not any more. */
  demand(): Demand | undefined;
  /** Waits for others to give up resources. */
  isDeferred(): boolean;
}

function knownStatuses(pod: Pod | undefined): Map<string, ContainerStatus> {
  const statuses = [...(pod?.status?.initContainerStatuses ?? []), ...(pod?.status?.containerStatuses ?? [])];
  return new Map(statuses.map((status) => [status.name, status]));
}

/** The worker of a pod; one that another kubelet ran before goes on from what its status says. */
export function createPodWorker(host: PodHost, uid: string): PodWorker {
  const runs = new Map<string, ContainerRun>();
  const taken = host.store.byUid(uid) as Pod | undefined;
  const known = knownStatuses(taken);
  let startTime = taken?.status?.startTime;
  let podIP = taken?.status?.podIP;
  let initialized = taken !== undefined && conditionOf(taken, 'Initialized')?.status === 'True';
  let generation = taken?.status?.observedGeneration;
  let ending: Ending | undefined;
  let stopping = false;
  let stopped = false;
  let dropped = false;

  const deadline = createDeadline(host, () =>
    end({
      reason: 'DeadlineExceeded',
      message: 'Pod was active on the node longer than the specified deadline',
    }),
  );
  const given = createPodResources(
    {
      room: () => host.room(uid),
      later: host.later,
      resizeMs: host.timings.startMs,
      restarts: (name) => runs.get(name)?.status().restartCount ?? 0,
      isRunning: (name) => runs.get(name)?.isRunning() === true,
      restart(name, why) {
        const pod = present();
        if (pod !== undefined) runs.get(name)?.restart(graceOf(pod), why);
      },
      say: (type, reason, message) => say(type, reason, message),
      changed: sync,
    },
    new Map(
      [...known].flatMap(([name, { resources }]): [string, ResourceRequirements][] =>
        resources === undefined ? [] : [[name, resources]],
      ),
    ),
  );

  function present(): Pod | undefined {
    return host.store.byUid(uid) as Pod | undefined;
  }

  function say(type: 'Normal' | 'Warning', reason: string, message: string, fieldPath?: string): void {
    const pod = present();
    if (pod !== undefined) host.record(pod, type, reason, message, fieldPath);
  }

  function graceOf({ metadata, spec }: Pod): number {
    return (metadata.deletionGracePeriodSeconds ?? spec.terminationGracePeriodSeconds ?? 30) * 1000;
  }

  function runOf(pod: Pod, container: Container): ContainerRun {
    let run = runs.get(container.name);
    if (run === undefined) {
      const { name, namespace } = pod.metadata;
      const list = pod.spec.containers.includes(container) ? 'containers' : 'initContainers';
      run = createContainerRun(
        {
          container,
          podTitle: `${name}_${namespace}(${uid})`,
          podIP: () => podIP ?? '',
          changed: sync,
          say: (type, reason, message) => say(type, reason, message, `spec.${list}{${container.name}}`),
        },
        host,
        known.get(container.name),
      );
      runs.set(container.name, run);
    }
    return run;
  }

  function statusesOf(pod: Pod, containers: readonly Container[]): ContainerStatus[] {
    return containers.map((container) =>
      shownStatus(container, runOf(pod, container).status(), given.of(container.name)),
    );
  }

  function report(pod: Pod): void {
    // Its network is there before its first container, and does not wait for an image that cannot be had.
    if (podIP === undefined && !stopped && [...runs.values()].some((run) => run.isRunning() || run.isStuck()))
      podIP = pod.spec['hostNetwork'] === true ? host.hostIP : host.newPodIP();
    startTime ??= timestamp(host.now());
    const status = podStatus(pod, {
      now: host.now(),
      generation,
      hostIP: host.hostIP,
      startTime,
      podIP,
      hasSandbox: podIP !== undefined && !stopped,
      initialized,
      initContainers: statusesOf(pod, pod.spec.initContainers ?? []),
      containers: statusesOf(pod, pod.spec.containers),
      restarting: pod.spec.containers.some((container) => runOf(pod, container).isRestarting()),
      stopped,
      ending,
      resizes: given.conditions(),
    });
    if (sameValue(status, pod.status)) return;
    attempt(() => host.server.replace(host.user, kinds.Pod, { ...pod, status }, { subresource: 'status' }));
  }

  /** The pod may have gone in between; whoever took it will be noticed. */
  function attempt(run: () => unknown): void {
    try {
      run();
    } catch (error) {
      if (!(error instanceof ApiError) || ![404, 409].includes(error.status.code)) throw error;
    }
  }

  /** Init containers one after the other; true once all have done their work, and the sidecars among them run. */
  function advanceInit(pod: Pod): boolean {
    // An init container is run again when it fails, unless nothing in the pod is.
    const policy = pod.spec.restartPolicy === 'Never' ? 'Never' : 'OnFailure';
    for (const container of pod.spec.initContainers ?? []) {
      const run = runOf(pod, container);
      if (isSidecar(container)) {
        run.advance(container, 'Always', graceOf(pod));
        if (!initialized && !run.isStarted()) return false;
      } else if (!initialized && run.status().state.terminated?.exitCode !== 0) {
        run.advance(container, policy, graceOf(pod));
        return false;
      }
    }
    initialized = true;
    return true;
  }

  function advance(pod: Pod): void {
    const policy = pod.spec.restartPolicy ?? 'Always';
    const { containers, initContainers = [] } = pod.spec;
    if (initialized && containers.every((container) => runOf(pod, container).isOver(container, policy))) {
      const sidecars = initContainers.filter(isSidecar).map((container) => runOf(pod, container));
      for (const run of sidecars) if (!run.isRunning()) run.discard();
      const groups = sidecars.filter((run) => run.isRunning()).map((run) => [run]);
      if (groups.length > 0) stopInOrder(groups.reverse(), graceOf(pod), host.now, sync);
      return;
    }
    if (!advanceInit(pod)) return;
    for (const container of containers)
      if (runOf(pod, container).advance(container, policy, graceOf(pod))) return;
  }

  /** Containers together, then sidecars, the last one first. */
  function stopAll(pod: Pod, done: () => void): void {
    const { containers, initContainers = [] } = pod.spec;
    const first = [...containers, ...initContainers.filter((each) => !isSidecar(each))];
    const sidecars = initContainers.filter(isSidecar).reverse();
    const all = [first, ...sidecars.map((each) => [each])].map((group) =>
      group.map((each) => runOf(pod, each)),
    );
    if (!stopping)
      for (const run of all.flat())
        if (run.isRunning())
          say('Normal', 'Killing', `Stopping container ${run.name}`, `spec.containers{${run.name}}`);
    stopping = true;
    generation = pod.metadata.generation;
    stopInOrder(all, graceOf(pod), host.now, done);
  }

  function finish(): void {
    if (dropped || stopped || [...runs.values()].some((run) => run.isRunning())) return;
    stopped = true;
    const pod = present();
    if (pod === undefined) return;
    report(pod);
    if (pod.metadata.deletionTimestamp === undefined) return;
    const { name, namespace = '' } = pod.metadata;
    attempt(() =>
      host.server.delete(host.user, kinds.Pod, { name, namespace }, { uid, gracePeriodSeconds: 0 }),
    );
  }

  function end(why: Ending): void {
    const pod = present();
    if (pod === undefined || isFinished(pod) || stopping) return;
    ending = why;
    stopAll(pod, finish);
  }

  function sync(): void {
    if (dropped || !host.isUp()) return;
    const pod = present();
    if (pod === undefined) return;
    if (pod.metadata.deletionTimestamp !== undefined) {
      if (stopped) report(pod);
      else stopAll(pod, finish);
      return;
    }
    if (isFinished(pod) || stopping) return;
    const rejected = startTime === undefined ? rejection(pod, host.room(uid)) : undefined;
    if (rejected !== undefined) {
      say('Warning', rejected.reason, rejected.message.replace('Pod was rejected: ', ''));
      return end(rejected);
    }
    // A change that comes while a container still stops for the one before is not acted on, and not observed, yet.
    if (![...runs.values()].some((run) => run.isGivingWay())) generation = pod.metadata.generation;
    given.sync(pod);
    advance(pod);
    // What advancing wrote in between is the base of this report.
    const latest = present();
    if (latest !== undefined) report(latest);
    deadline.watch(pod.spec.activeDeadlineSeconds, startTime);
  }

  return {
    sync,
    end,
    drop() {
      dropped = true;
      deadline.cancel();
      for (const run of runs.values()) run.discard();
    },
    demand() {
      const pod = present();
      return pod === undefined || stopped || isFinished(pod) ? undefined : given.demand(pod);
    },
    isDeferred: () => given.isDeferred(),
  };
}
