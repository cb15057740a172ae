import { controllerOf } from '../owner.ts';
import { isInPlaceUpdateComplete } from '../pod/in-place.ts';
import { isActive, isAvailable } from '../pod/readiness.ts';
import type { Pod } from '../pod/types.ts';
import type { DisruptionLimit } from './disruption.ts';

/** How many pods of a workload may be unavailable, as its own rules count them. */
export interface OwnerBudget {
  replicas: number;
  maxUnavailable: number;
  /** Seconds for which a pod must be ready to be available. */
  minReadySeconds: number;
}

/** A workload of which another target selects pods. */
export interface PodOwner extends OwnerBudget {
  uid: string;
  /** Its kind, namespace and name, for explanations. */
  name: string;
  /** All pods that it controls, selected or not. */
  pods: readonly Pod[];
}

/** What a pod is counted with. */
export interface PodCounting {
  /** Uids of pods that another updater has decided to write, which is not observed yet. */
  reserved: ReadonlySet<string>;
  /** Milliseconds since 1970. */
  now: number;
}

/** Whether a pod receives traffic, and no updater is about to end that. */
export function isUndisturbed(pod: Pod, seconds: number, { reserved, now }: PodCounting): boolean {
  if (reserved.has(pod.metadata.uid ?? '')) return false;
  return isActive(pod) && isAvailable(pod, seconds, now) && isInPlaceUpdateComplete(pod, now);
}

/** The limit of a workload that this runtime manages. Missing pods are unavailable, and extra ones make up for others. */
export function limitOfOwner(
  { name, replicas, maxUnavailable, minReadySeconds, pods }: PodOwner,
  counting: PodCounting,
): DisruptionLimit {
  const isThere = (pod: Pod): boolean => isUndisturbed(pod, minReadySeconds, counting);
  const available = pods.filter(isThere).length;
  return {
    name,
    most: maxUnavailable,
    unavailable: namesOf(pods.filter((pod) => isActive(pod) && !isThere(pod))),
    present: `${available} of ${replicas} ${available === 1 ? 'is' : 'are'} available`,
    left: available - (replicas - maxUnavailable),
  };
}

/** The part of the pods of any other controller that may be unavailable: the default of a Deployment. */
const SHARE = 0.25;
const SHARE_TEXT = 'a quarter of the pods that are asked for to be unavailable, and at least one';

/**
 * The limit of any other controller, whose rules this runtime does not know: a quarter of its pods, rounded down as a
 * Deployment rounds it, and at least one. An update in place has no surge that could make up for a single pod.
 *
 * @param pods those of the controller that are observed
 */
export function limitOfController(pods: readonly Pod[], counting: PodCounting): DisruptionLimit {
  const [first] = pods;
  const reference = first && controllerOf(first);
  const { namespace = '' } = first?.metadata ?? {};
  const active = pods.filter(isActive);
  const unavailable = active.filter((pod) => !isUndisturbed(pod, 0, counting));
  const most = Math.max(1, Math.floor(active.length * SHARE));
  return {
    name: `${reference?.kind ?? ''} ${namespace}/${reference?.name ?? ''}`,
    most,
    lasting: SHARE_TEXT,
    unavailable: namesOf(unavailable),
    left: most - unavailable.length,
  };
}

/** Names of pods, the first one by name first. */
export function namesOf(pods: readonly Pod[]): string[] {
  return pods.map(({ metadata }) => metadata.name).sort();
}
