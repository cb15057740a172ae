import { ApiError } from '../../schemas/wire/cluster.ts';
import { resources as kinds } from '../../schemas/wire/resources.ts';
import { timestamp } from '../api/metadata.ts';
import {
  conditionOf,
  isFinished,
  isSidecar,
  type Container,
  type ContainerStatus,
  type Pod,
} from '../../schemas/pods/pod.ts';
import { sameValue } from '../../schemas/pods/fields.ts';
import { advanceContainer } from './container.ts';
import { statusOf } from './containerRecord.ts';
import {
  cancelTimers,
  isBeingReplaced,
  isOver,
  isRestarting,
  isRunning,
  isStarted,
  isStuck,
} from './containerRun.ts';
import { watchDeadline } from './deadline.ts';
import { newPodAllocation } from './allocation.ts';
import { demandOf, resizeConditions, resourcesOf, syncResources } from './podResources.ts';
import { graceOf, present, runOf, type Termination, type PodHost, type PodRun } from './podRun.ts';
import { podStatus, shownStatus } from './podStatus.ts';
import { admissionRejection, type Demand } from './resources.ts';
import { stopInOrder } from './stopOrder.ts';

/** The record of a new pod, or of one taken over from an earlier kubelet. */
export function newPodRun(pod: Pod): PodRun {
  const { uid = '', name, namespace = '' } = pod.metadata;
  const { status } = pod;
  const known = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  return {
    uid,
    name,
    namespace,
    podIP: status?.podIP,
    containers: [],
    allocation: newPodAllocation(known),
    known,
    startTime: status?.startTime,
    initialized: conditionOf(pod, 'Initialized')?.status === 'True',
    generation: status?.observedGeneration,
    termination: undefined,
    deadline: undefined,
    stopping: false,
    stopped: false,
    dropped: false,
  };
}

function statusesOf(
  host: PodHost,
  run: PodRun,
  pod: Pod,
  containers: readonly Container[],
): ContainerStatus[] {
  return containers.map((container) =>
    shownStatus(
      container,
      statusOf(runOf(host, run, pod, container).record, container.name),
      resourcesOf(run, container.name),
    ),
  );
}

function report(host: PodHost, run: PodRun, pod: Pod): void {
  const { stopped, initialized, termination, generation } = run;
  // The network is set up before the first container and does not depend on images.
  if (run.podIP === undefined && !stopped && run.containers.some((each) => isRunning(each) || isStuck(each)))
    run.podIP = pod.spec['hostNetwork'] === true ? host.hostIP : host.newPodIP();
  run.startTime ??= timestamp(host.now());
  const status = podStatus(pod, {
    now: host.now(),
    generation,
    hostIP: host.hostIP,
    startTime: run.startTime,
    podIP: run.podIP,
    hasSandbox: run.podIP !== undefined && !stopped,
    initialized,
    initContainers: statusesOf(host, run, pod, pod.spec.initContainers ?? []),
    containers: statusesOf(host, run, pod, pod.spec.containers),
    restarting: pod.spec.containers.some((container) => isRestarting(runOf(host, run, pod, container))),
    stopped,
    termination,
    resizes: resizeConditions(run),
  });
  if (sameValue(status, pod.status)) return;
  attempt(() => host.server.replace(host.user, kinds.Pod, { ...pod, status }, { subresource: 'status' }));
}

/** The pod may have been removed in between; the watch will report it. */
function attempt(write: () => unknown): void {
  try {
    write();
  } catch (error) {
    if (!(error instanceof ApiError) || ![404, 409].includes(error.status.code)) throw error;
  }
}

/** Runs init containers in sequence; true once all have completed and sidecars are running. */
function advanceInit(host: PodHost, run: PodRun, pod: Pod): boolean {
  // Init containers are restarted on failure, unless the restart policy is Never.
  const policy = pod.spec.restartPolicy === 'Never' ? 'Never' : 'OnFailure';
  for (const container of pod.spec.initContainers ?? []) {
    const each = runOf(host, run, pod, container);
    if (isSidecar(container)) {
      advanceContainer(host, each, container, 'Always', graceOf(pod));
      if (!run.initialized && !isStarted(each)) return false;
    } else if (!run.initialized && each.record.state.terminated?.exitCode !== 0) {
      advanceContainer(host, each, container, policy, graceOf(pod));
      return false;
    }
  }
  run.initialized = true;
  return true;
}

function advance(host: PodHost, run: PodRun, pod: Pod): void {
  const policy = pod.spec.restartPolicy ?? 'Always';
  const { containers, initContainers = [] } = pod.spec;
  const runFor = (container: Container) => runOf(host, run, pod, container);
  if (run.initialized && containers.every((container) => isOver(runFor(container), container, policy))) {
    const sidecars = initContainers.filter(isSidecar).map(runFor);
    for (const sidecar of sidecars) if (!isRunning(sidecar)) cancelTimers(sidecar);
    const groups = sidecars.filter(isRunning).map((sidecar) => [sidecar]);
    if (groups.length > 0) stopInOrder(host, groups.reverse(), graceOf(pod), () => syncPod(host, run));
    return;
  }
  if (!advanceInit(host, run, pod)) return;
  for (const container of containers)
    if (advanceContainer(host, runFor(container), container, policy, graceOf(pod))) return;
}

/** The main containers together, then the sidecars in reverse order. */
function stopAll(host: PodHost, run: PodRun, pod: Pod): void {
  const { containers, initContainers = [] } = pod.spec;
  const first = [...containers, ...initContainers.filter((each) => !isSidecar(each))];
  const sidecars = initContainers.filter(isSidecar).reverse();
  const all = [first, ...sidecars.map((each) => [each])].map((group) =>
    group.map((each) => runOf(host, run, pod, each)),
  );
  if (!run.stopping)
    for (const { name } of all.flat().filter(isRunning))
      host.recordEvent(
        run.uid,
        'Normal',
        'Killing',
        `Stopping container ${name}`,
        `spec.containers{${name}}`,
      );
  run.stopping = true;
  run.generation = pod.metadata.generation;
  stopInOrder(host, all, graceOf(pod), () => finish(host, run));
}

function finish(host: PodHost, run: PodRun): void {
  if (run.dropped || run.stopped || run.containers.some(isRunning)) return;
  run.stopped = true;
  const pod = present(host, run);
  if (pod === undefined) return;
  report(host, run, pod);
  if (pod.metadata.deletionTimestamp === undefined) return;
  const { uid, name, namespace } = run;
  attempt(() =>
    host.server.delete(host.user, kinds.Pod, { name, namespace }, { uid, gracePeriodSeconds: 0 }),
  );
}

/** Stops the containers for good; the phase becomes Failed. */
export function endPod(host: PodHost, run: PodRun, why: Termination): void {
  const pod = present(host, run);
  if (pod === undefined || isFinished(pod) || run.stopping) return;
  run.termination = why;
  stopAll(host, run, pod);
}

/** Syncs a pod: compares spec and state, acts, and reports the status. */
export function syncPod(host: PodHost, run: PodRun): void {
  if (run.dropped || !host.isUp()) return;
  const pod = present(host, run);
  if (pod === undefined) return;
  if (pod.metadata.deletionTimestamp !== undefined) {
    if (run.stopped) report(host, run, pod);
    else stopAll(host, run, pod);
    return;
  }
  if (isFinished(pod) || run.stopping) return;
  const rejected = run.startTime === undefined ? admissionRejection(pod, host.capacity(run.uid)) : undefined;
  if (rejected !== undefined) {
    const { reason, message } = rejected;
    host.recordEvent(run.uid, 'Warning', reason, message.replace('Pod was rejected: ', ''), undefined);
    return endPod(host, run, rejected);
  }
  // A spec change during the stop of a container is processed and observed afterwards.
  if (!run.containers.some(isBeingReplaced)) run.generation = pod.metadata.generation;
  syncResources(host, run, pod);
  advance(host, run, pod);
  // Uses the status written while containers advanced.
  const latest = present(host, run);
  if (latest !== undefined) report(host, run, latest);
  const { activeDeadlineSeconds } = pod.spec;
  run.deadline = watchDeadline(host, run.deadline, activeDeadlineSeconds, run.startTime, () =>
    endPod(host, run, {
      reason: 'DeadlineExceeded',
      message: 'Pod was active on the node longer than the specified deadline',
    }),
  );
}

/** The pod was removed from the API: stops its containers without reporting. */
export function dropPod(run: PodRun): void {
  run.dropped = true;
  run.deadline?.cancel();
  for (const each of run.containers) cancelTimers(each);
}

/** The resources that the pod uses; undefined once it is finished. */
export function demandOfPod(host: PodHost, run: PodRun): Demand | undefined {
  const pod = present(host, run);
  return pod === undefined || run.stopped || isFinished(pod) ? undefined : demandOf(run, pod);
}
