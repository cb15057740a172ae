import { condition } from '../pod/readiness.ts';
import { isStarting } from '../pod/location.ts';
import { LOST_REASON } from '../pod/failure.ts';
import type { ContainerStatus, Pod } from '../pod/types.ts';

/** What the state of a pod proves about the images that it pulls. */
export type PullVerdict =
  | { is: 'pulling'; problem?: string }
  | { is: 'pulled' }
  /** `isFinal`: another attempt would fail alike. `isThrottled`: a registry, or the kubelet, answers that it is asked too often. */
  | { is: 'failed'; problem: string; isFinal: boolean; isThrottled?: true }
  /** The pod has ended because its node takes none now, before the image was asked for. */
  | { is: 'untried'; problem: string }
  /** The pod has ended, and does not say whether the images were there. */
  | { is: 'lost'; problem: string };

/** Reasons for which a container waits whose image is not on the node, and no attempt can change that. */
const NEVER: ReadonlySet<string> = new Set(['InvalidImageName', 'ErrImageNeverPull']);

/** Reasons for which a container waits whose image is not on the node. */
const FAILED: ReadonlySet<string> = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'RegistryUnavailable',
  'SignatureValidationFailed',
  'ImageInspectError',
  ...NEVER,
]);

/** What kubelet and registries say when they are asked too often. The first one has asked no registry. */
const QUEUE_FULL = 'pull QPS exceeded';
const THROTTLED = ['toomanyrequests', '429 Too Many Requests', 'TOOMANYREQUESTS'];

/**
 * Judges the pod of one attempt. The kubelet looks for the image of a container first: whatever it says later, such as that
 * the command does not exist, proves that the image is there.
 *
 * @param attemptMs milliseconds from the creation of the pod after which its attempt has failed
 */
export function pullVerdict(pod: Pod, attemptMs: number, createdAt: number, now: number): PullVerdict {
  const { phase, containerStatuses = [] } = pod.status ?? {};
  const names = pod.spec.containers.map(({ name }) => name);
  const statuses = names.map((name) => containerStatuses.find((status) => status.name === name));
  for (const [index, status] of statuses.entries()) {
    const reason = waitingReason(status);
    if (reason === undefined || !FAILED.has(reason)) continue;
    const image = pod.spec.containers[index]?.image ?? '';
    // The kubelet alternates between both: one text, so that a status does not change with it.
    const shown = reason === 'ErrImagePull' ? 'ImagePullBackOff' : reason;
    const problem = `${shown} ${image}`;
    const said = waitingMessage(status);
    if (said.includes(QUEUE_FULL)) return { is: 'untried', problem };
    const isThrottled = THROTTLED.some((each) => said.includes(each));
    return { is: 'failed', problem, isFinal: NEVER.has(reason), ...(isThrottled && { isThrottled }) };
  }
  if (
    phase === 'Failed' &&
    !statuses.some((status) => status !== undefined && isEnded(status)) &&
    isTurnedAway(pod)
  )
    return { is: 'untried', problem: 'the pod failed before it pulled' };
  if (statuses.some(isLostContainer))
    return { is: 'lost', problem: 'the pod ended before a container began' };
  if (statuses.every(hasImage)) return { is: 'pulled' };
  if (phase === 'Failed') return { is: 'failed', problem: 'the pod failed before it pulled', isFinal: false };
  const problem = waitsFor(pod, statuses);
  if (now >= createdAt + attemptMs)
    return { is: 'failed', problem: problem ?? 'it took too long', isFinal: false };
  return { is: 'pulling', ...(problem === undefined ? {} : { problem }) };
}

/**
 * Whether the kubelet has ended the pod and knows nothing of the container. It says so of one whose image it was pulling, too, when the
 * pod reaches its deadline or is evicted.
 */
function isLostContainer(status: ContainerStatus | undefined): boolean {
  const { terminated } = (status?.['state'] ?? {}) as { terminated?: { reason?: string } };
  return terminated?.reason === LOST_REASON;
}

/** Whether the kubelet says how a container has ended. */
function isEnded(status: ContainerStatus): boolean {
  const { terminated } = (status['state'] ?? {}) as { terminated?: object };
  return terminated !== undefined && !isLostContainer(status);
}

/** Reasons with which a kubelet refuses or ends a pod that it has no room for now; those that begin with `OutOf` are such, too. */
const NO_ROOM: ReadonlySet<string> = new Set([
  'NodeAffinity',
  'UnexpectedAdmissionError',
  'TopologyAffinityError',
  'NodeShutdown',
  'Preempting',
]);

/**
 * Whether a pod has failed because its node takes none now. Any other reason ends an attempt, an unknown one, too: attempts have a
 * bound. One that is evicted while it pulls does, as its image may be what fills the disk; before that, the kubelet knows no container.
 */
function isTurnedAway({ status }: Pod): boolean {
  const reason = status?.['reason'];
  if (typeof reason !== 'string') return false;
  if (reason === 'Evicted') return (status?.containerStatuses ?? []).length === 0;
  return NO_ROOM.has(reason) || reason.startsWith('OutOf');
}

function hasImage(status: ContainerStatus | undefined): boolean {
  const state = (status?.['state'] ?? {}) as { running?: object; terminated?: object };
  if (state.running !== undefined || state.terminated !== undefined) return true;
  const reason = waitingReason(status);
  return reason !== undefined && !FAILED.has(reason) && !isStarting(`: ${reason}`);
}

function waitingReason(status: ContainerStatus | undefined): string | undefined {
  const { waiting } = (status?.['state'] ?? {}) as { waiting?: { reason?: string } };
  return waiting?.reason;
}

function waitingMessage(status: ContainerStatus | undefined): string {
  const { waiting } = (status?.['state'] ?? {}) as { waiting?: { message?: string } };
  return waiting?.message ?? '';
}

/** Why a pod has not begun to pull; undefined: it has, or nothing says why. */
function waitsFor(pod: Pod, statuses: readonly (ContainerStatus | undefined)[]): string | undefined {
  const scheduled = condition(pod, 'PodScheduled');
  const isWaiting = statuses.every((status) => status === undefined);
  return isWaiting && scheduled?.status === 'False' ? 'the scheduler has not placed the pod' : undefined;
}
