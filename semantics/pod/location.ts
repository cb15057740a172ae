import { lastFailure } from './last-failure.ts';
import { awaitedBy } from './launching.ts';
import { listed } from '../values/listed.ts';
import { condition } from './readiness.ts';
import type { ContainerStatus, Pod } from './types.ts';

/** The node of a pod, or why it has none, and its conditions. */
export interface PodLocation {
  node?: string;
  /** It fits on no node: the message of the scheduler. (Not `spec.unschedulable` of a node, which `kubectl cordon` sets.) */
  unschedulable?: string;
  /** Why a container of it does not run: `nginx: CrashLoopBackOff, 4 restarts`. */
  problem?: string;
  /** How its containers have failed, in their words and those of the kubelet (last-failure.ts): for verdicts. */
  failure?: string;
  /** Status of each condition, by type. */
  readonly conditions: Readonly<Record<string, string>>;
}

/** Part of the scheduler's message for a pod whose volumes are not provisioned yet. That is no lack of cluster capacity. */
const UNBOUND = 'unbound immediate PersistentVolumeClaims';

/**
 * Reads the location of a pod from its spec and status.
 *
 * @param judged the containers whose failures count. Default: all
 */
export function locationOf(pod: Pod, judged?: ReadonlySet<string>): PodLocation {
  const { nodeName } = pod.spec;
  const scheduled = nodeName === undefined ? condition(pod, 'PodScheduled') : undefined;
  const isRefused = scheduled?.status === 'False' && scheduled.reason === 'Unschedulable';
  const waitsForVolumes = isRefused && scheduled.message?.includes(UNBOUND) === true;
  const fitsNowhere = isRefused && !waitsForVolumes;
  const failure = lastFailure(pod, judged);
  return {
    ...(nodeName === undefined ? {} : { node: nodeName }),
    ...(fitsNowhere ? { unschedulable: scheduled.message ?? 'Unschedulable' } : {}),
    ...(waitsForVolumes ? { problem: 'its volume claims are not bound yet' } : problemOf(pod)),
    ...(failure !== undefined && { failure }),
    conditions: conditionsOf(pod.status?.conditions ?? []),
  };
}

/**
 * The problem of the first container that waits. One that waits for its launch priority counts only where no other has a
 * problem, and one that is about to start only where no other waits.
 */
function problemOf(pod: Pod): { problem?: string } {
  let starting: string | undefined;
  let ordered: string | undefined;
  const { initContainerStatuses: init = [], containerStatuses: own = [] } = pod.status ?? {};
  for (const status of [...init, ...own]) {
    const { waiting } = (status['state'] ?? {}) as { waiting?: { reason?: string } };
    if (waiting?.reason === undefined) continue;
    // The kubelet alternates between both: one text, so that a status does not change with each attempt.
    const reason = waiting.reason === 'ErrImagePull' ? 'ImagePullBackOff' : waiting.reason;
    const problem = `${status.name}: ${reason}`;
    const awaited = reason === NOT_CONFIGURED ? awaitedBy(pod, status.name) : undefined;
    if (awaited !== undefined) {
      const are = awaited.length === 1 ? 'is' : 'are';
      ordered ??= `${status.name}: waits until ${listed(awaited, 'and')} ${are} ready, by its launch priority`;
      continue;
    }
    if (!isStarting(problem)) return { problem: `${problem}${detailOf(pod, status, reason)}` };
    starting ??= problem;
  }
  const found = ordered ?? starting;
  return found === undefined ? {} : { problem: found };
}

/** The kubelet lacks a variable of the container, such as that of its launch priority. */
const NOT_CONFIGURED = 'CreateContainerConfigError';

/** Whether the problem of a pod is that a container is about to start, as every new one is. */
export function isStarting(problem: string): boolean {
  return /: (?:ContainerCreating|PodInitializing)$/.test(problem);
}

const PULL_REASONS = new Set(['ImagePullBackOff', 'InvalidImageName', 'ErrImageNeverPull']);

/** The image that cannot be pulled, or how often the container was restarted. */
function detailOf(pod: Pod, { name, restartCount = 0 }: ContainerStatus, reason: string): string {
  if (PULL_REASONS.has(reason)) {
    const { initContainers = [], containers } = pod.spec;
    const image = [...initContainers, ...containers].find((each) => each.name === name)?.image;
    return image === undefined ? '' : ` ${image}`;
  }
  if (reason !== 'CrashLoopBackOff' || restartCount === 0) return '';
  return restartCount === 1 ? ', 1 restart' : `, ${restartCount} restarts`;
}

/** Status of each condition, by type. */
export function conditionsOf(
  conditions: readonly { type: string; status: string }[],
): Readonly<Record<string, string>> {
  return Object.fromEntries(conditions.map(({ type, status }) => [type, status]));
}
