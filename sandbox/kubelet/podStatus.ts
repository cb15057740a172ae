import { timestamp } from '../api/metadata.ts';
import {
  conditionOf,
  isFinished,
  isSidecar,
  type Container,
  type ContainerStatus,
  type Pod,
  type PodCondition,
  type PodStatus,
  type ResourceRequirements,
} from '../../schemas/pods/pod.ts';
import type { ResizeCondition } from './podResources.ts';

/** The kubelet's knowledge about a pod. */
export interface PodFacts {
  now: number;
  /** The generation that the kubelet acts on. */
  generation: number | undefined;
  hostIP: string;
  startTime: string;
  podIP: string | undefined;
  /** PodReadyToStartContainers: sandbox and network are set up. */
  hasSandbox: boolean;
  /** The init containers have completed once. */
  initialized: boolean;
  initContainers: readonly ContainerStatus[];
  containers: readonly ContainerStatus[];
  /** A stopped container will restart regardless of the restart policy, because its image changed. */
  restarting: boolean;
  /** All containers have stopped because the pod is being deleted or terminates. */
  stopped: boolean;
  /** Why the pod terminates without being deleted. */
  termination: { reason: string; message: string } | undefined;
  resizes: readonly ResizeCondition[];
}

/** The status of one container, with its allocated resources (`resources`) and volume mounts. */
export function shownStatus(
  container: Container,
  status: ContainerStatus,
  resources: ResourceRequirements = {},
): ContainerStatus {
  if (status.containerID === undefined)
    return status.image === '' ? { ...status, image: container.image ?? '' } : status;
  return {
    ...status,
    ...(resources.requests === undefined ? {} : { allocatedResources: resources.requests }),
    resources,
    ...(container.volumeMounts === undefined
      ? {}
      : {
          volumeMounts: container.volumeMounts.map(({ name, mountPath, readOnly }) => ({
            name,
            mountPath,
            ...(readOnly === true ? { readOnly, recursiveReadOnly: 'Disabled' } : {}),
          })),
        }),
  };
}

type Verdict = Pick<PodCondition, 'status' | 'reason' | 'message'>;

const holds: Verdict = { status: 'True' };

function exitCode(status: ContainerStatus): number | undefined {
  return (status.state.terminated ?? status.lastState.terminated)?.exitCode;
}

function sidecarsOf(pod: Pod): ReadonlySet<string> {
  return new Set((pod.spec.initContainers ?? []).filter(isSidecar).map(({ name }) => name));
}

/** Init containers that block others: not succeeded, or sidecars not started. */
function unfinishedInit(pod: Pod, facts: PodFacts): ContainerStatus[] {
  if (facts.initialized) return [];
  const sidecars = sidecarsOf(pod);
  return facts.initContainers.filter((each) =>
    sidecars.has(each.name) ? !each.started : each.state.terminated?.exitCode !== 0,
  );
}

/** The kubelet's phase rules, in order. */
function phaseOf(pod: Pod, facts: PodFacts): string {
  const { containers } = facts;
  const policy = pod.spec.restartPolicy ?? 'Always';
  if (isFinished(pod)) return pod.status?.phase ?? '';
  if (facts.stopped && facts.termination !== undefined) return 'Failed';
  if (facts.stopped) return containers.every((each) => exitCode(each) === 0) ? 'Succeeded' : 'Failed';
  const [unfinished] = unfinishedInit(pod, facts);
  if (unfinished !== undefined)
    return unfinished.state.terminated !== undefined && policy === 'Never' ? 'Failed' : 'Pending';
  const isWaiting = (each: ContainerStatus) =>
    each.state.waiting !== undefined && each.lastState.terminated === undefined;
  if (containers.some(isWaiting)) return 'Pending';
  if (facts.restarting || policy === 'Always') return 'Running';
  // Sidecars stop after the main containers; the pod is not finished before that.
  const all = [...facts.initContainers, ...containers];
  if (all.some((each) => each.state.running !== undefined)) return 'Running';
  if (containers.every((each) => exitCode(each) === 0)) return 'Succeeded';
  return policy === 'Never' ? 'Failed' : 'Running';
}

function names(statuses: readonly ContainerStatus[]): string {
  return statuses.map((each) => each.name).join(' ');
}

function initialized(pod: Pod, phase: string, facts: PodFacts): Verdict {
  const unfinished = unfinishedInit(pod, facts);
  if (unfinished.length === 0)
    return phase === 'Succeeded' ? { status: 'True', reason: 'PodCompleted' } : holds;
  return {
    status: 'False',
    reason: 'ContainersNotInitialized',
    message: `containers with incomplete status: [${names(unfinished)}]`,
  };
}

function containersReady(pod: Pod, phase: string, facts: PodFacts): Verdict {
  if (phase === 'Succeeded') return { status: 'False', reason: 'PodCompleted' };
  if (phase === 'Failed') return { status: 'False', reason: 'PodFailed' };
  const sidecars = sidecarsOf(pod);
  const counted = [...facts.initContainers.filter(({ name }) => sidecars.has(name)), ...facts.containers];
  const unready = counted.filter((each) => !each.ready);
  if (unready.length === 0) return holds;
  return {
    status: 'False',
    reason: 'ContainersNotReady',
    message: `containers with unready status: [${names(unready)}]`,
  };
}

/** The Ready condition: the containers and every readiness gate. */
function ready(pod: Pod, ofContainers: Verdict): Verdict {
  if (ofContainers.status !== 'True') return ofContainers;
  const messages: string[] = [];
  for (const { conditionType } of pod.spec.readinessGates ?? []) {
    const gate = pod.status?.conditions?.find((each) => each.type === conditionType);
    if (gate === undefined)
      messages.push(`corresponding condition of pod readiness gate "${conditionType}" does not exist.`);
    else if (gate.status !== 'True')
      messages.push(`the status of pod readiness gate "${conditionType}" is not "True", but ${gate.status}`);
  }
  if (messages.length === 0) return holds;
  return { status: 'False', reason: 'ReadinessGatesNotReady', message: messages.join(', ') };
}

/** The condition types that the kubelet writes. */
export const kubeletConditionTypes: ReadonlySet<string> = new Set([
  'PodResizePending',
  'PodResizeInProgress',
  'PodReadyToStartContainers',
  'Initialized',
  'Ready',
  'ContainersReady',
  'PodScheduled',
]);

function asCondition(type: string, verdict: Verdict, pod: Pod, facts: PodFacts): PodCondition {
  const old = conditionOf(pod, type);
  return {
    type,
    ...(facts.generation === undefined ? {} : { observedGeneration: facts.generation }),
    ...verdict,
    lastProbeTime: null,
    lastTransitionTime:
      old?.status === verdict.status && old.lastTransitionTime !== undefined
        ? old.lastTransitionTime
        : timestamp(facts.now),
  };
}

/**
 * The pod status: the kubelet's fields from its facts, all other fields (conditions of other writers, unknown
 * fields) from the pod. Other conditions come first, then the kubelet's in its order.
 */
export function podStatus(pod: Pod, facts: PodFacts): PodStatus {
  const old = pod.status ?? {};
  const phase = phaseOf(pod, facts);
  const ofContainers = containersReady(pod, phase, facts);
  const owned: readonly (readonly [string, Verdict])[] = [
    ...facts.resizes.map(({ type, ...verdict }) => [type, verdict] as const),
    ['PodReadyToStartContainers', facts.hasSandbox && !isEnd(phase) ? holds : { status: 'False' }],
    ['Initialized', initialized(pod, phase, facts)],
    ['Ready', ready(pod, ofContainers)],
    ['ContainersReady', ofContainers],
    ['PodScheduled', holds],
  ];
  const conditions = [
    ...(old.conditions ?? []).filter(({ type }) => !kubeletConditionTypes.has(type)),
    ...owned.map(([type, verdict]) => asCondition(type, verdict, pod, facts)),
  ];
  return {
    ...old,
    ...(facts.generation === undefined ? {} : { observedGeneration: facts.generation }),
    phase,
    ...(facts.stopped && facts.termination !== undefined ? facts.termination : {}),
    conditions,
    hostIP: facts.hostIP,
    hostIPs: [{ ip: facts.hostIP }],
    ...(facts.podIP === undefined ? {} : { podIP: facts.podIP, podIPs: [{ ip: facts.podIP }] }),
    startTime: facts.startTime,
    ...(facts.initContainers.length === 0 ? {} : { initContainerStatuses: [...facts.initContainers] }),
    containerStatuses: [...facts.containers],
  };
}

function isEnd(phase: string): boolean {
  return phase === 'Succeeded' || phase === 'Failed';
}
