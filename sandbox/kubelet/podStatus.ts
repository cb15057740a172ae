import { timestamp } from '../api/metadata.ts';
import type { ContainerStatus, Pod, PodCondition, PodStatus } from '../kinds/pod.ts';

/** What a kubelet knows about a pod it runs. */
export interface PodFacts {
  now: number;
  hostIP: string;
  startTime: string;
  podIP: string | undefined;
  initContainers: readonly ContainerStatus[];
  containers: readonly ContainerStatus[];
  /** A container that stopped will start again, whatever the restart policy: its image was changed. */
  restarting: boolean;
  /** All containers have stopped because the pod is being deleted. */
  stopped: boolean;
}

type Verdict = Pick<PodCondition, 'status' | 'reason' | 'message'>;

const holds: Verdict = { status: 'True' };

function exitCode(status: ContainerStatus): number | undefined {
  return (status.state.terminated ?? status.lastState.terminated)?.exitCode;
}

/** The kubelet's phase rules, in their order. */
function phaseOf(pod: Pod, facts: PodFacts): string {
  const { initContainers, containers } = facts;
  const policy = pod.spec.restartPolicy ?? 'Always';
  if (facts.stopped) return containers.every((each) => exitCode(each) === 0) ? 'Succeeded' : 'Failed';
  for (const status of initContainers) {
    if (status.state.terminated?.exitCode === 0) continue;
    return status.state.terminated !== undefined && policy === 'Never' ? 'Failed' : 'Pending';
  }
  const isWaiting = (each: ContainerStatus) =>
    each.state.waiting !== undefined && each.lastState.terminated === undefined;
  if (containers.some(isWaiting)) return 'Pending';
  if (facts.restarting || policy === 'Always') return 'Running';
  if (containers.some((each) => each.state.running !== undefined)) return 'Running';
  if (containers.every((each) => exitCode(each) === 0)) return 'Succeeded';
  return policy === 'Never' ? 'Failed' : 'Running';
}

function names(statuses: readonly ContainerStatus[]): string {
  return statuses.map((each) => each.name).join(' ');
}

function initialized(phase: string, facts: PodFacts): Verdict {
  const unfinished = facts.initContainers.filter((each) => each.state.terminated?.exitCode !== 0);
  if (unfinished.length === 0)
    return phase === 'Succeeded' ? { status: 'True', reason: 'PodCompleted' } : holds;
  return {
    status: 'False',
    reason: 'ContainersNotInitialized',
    message: `containers with incomplete status: [${names(unfinished)}]`,
  };
}

function containersReady(phase: string, facts: PodFacts): Verdict {
  if (phase === 'Succeeded') return { status: 'False', reason: 'PodCompleted' };
  if (phase === 'Failed') return { status: 'False', reason: 'PodFailed' };
  const unready = facts.containers.filter((each) => !each.ready);
  if (unready.length === 0) return holds;
  return {
    status: 'False',
    reason: 'ContainersNotReady',
    message: `containers with unready status: [${names(unready)}]`,
  };
}

/** Ready: the containers, then every readiness gate, whoever writes its condition. */
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

function asCondition(
  type: string,
  verdict: Verdict,
  old: PodCondition | undefined,
  now: number,
): PodCondition {
  return {
    type,
    ...verdict,
    lastProbeTime: null,
    lastTransitionTime:
      old?.status === verdict.status && old.lastTransitionTime !== undefined
        ? old.lastTransitionTime
        : timestamp(now),
  };
}

/**
 * The status a kubelet writes: what it owns by its facts, and everything else (conditions of other writers, fields it
 * does not know) as the pod has it.
 */
export function podStatus(pod: Pod, facts: PodFacts): PodStatus {
  const old = pod.status ?? {};
  const phase = phaseOf(pod, facts);
  const ofContainers = containersReady(phase, facts);
  const owned: readonly (readonly [string, Verdict])[] = [
    ['Initialized', initialized(phase, facts)],
    ['Ready', ready(pod, ofContainers)],
    ['ContainersReady', ofContainers],
    ['PodScheduled', holds],
  ];
  const conditions = [...(old.conditions ?? [])];
  for (const [type, verdict] of owned) {
    const index = conditions.findIndex((each) => each.type === type);
    const condition = asCondition(type, verdict, conditions[index], facts.now);
    if (index < 0) conditions.push(condition);
    else conditions[index] = condition;
  }
  return {
    ...old,
    phase,
    conditions,
    hostIP: facts.hostIP,
    hostIPs: [{ ip: facts.hostIP }],
    ...(facts.podIP === undefined ? {} : { podIP: facts.podIP, podIPs: [{ ip: facts.podIP }] }),
    startTime: facts.startTime,
    ...(facts.initContainers.length === 0 ? {} : { initContainerStatuses: [...facts.initContainers] }),
    containerStatuses: [...facts.containers],
  };
}
