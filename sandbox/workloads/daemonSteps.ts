import { isFinished } from '../../schemas/pods/pod.ts';
import type { DaemonSet, Pod } from './kinds.ts';
import { isAvailable, isReady } from './pods.ts';
import { resolved } from './rolling.ts';
import { revisionLabel } from './revisions.ts';

/** The daemon pods of one node, the oldest first. */
export interface NodePods {
  node: string;
  pods: Pod[];
  shouldRun: boolean;
  mayStay: boolean;
}

export interface DaemonStep {
  create: string[];
  remove: Pod[];
}

export function isOutdated({ metadata }: Pod, hash: string): boolean {
  return metadata.labels?.[revisionLabel] !== hash;
}

function isLeft({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp === undefined;
}

/** The oldest pod of the present template, the oldest of a former one, and the rest. */
function byRevision(pods: readonly Pod[], hash: string): { fresh?: Pod; old?: Pod; rest: Pod[] } {
  const [fresh, ...moreFresh] = pods.filter((pod) => !isOutdated(pod, hash));
  const [old, ...moreOld] = pods.filter((pod) => isOutdated(pod, hash));
  return { ...(fresh && { fresh }), ...(old && { old }), rest: [...moreFresh, ...moreOld] };
}

function surgeOf({ spec }: DaemonSet, wanted: number): number {
  const { type, rollingUpdate } = spec.updateStrategy ?? {};
  return type === 'RollingUpdate' ? resolved(rollingUpdate?.maxSurge, wanted, true) : 0;
}

/**
 * One daemon pod for each node that should have one: missing ones are made, ended and surplus ones deleted. A node has two
 * running pods only with a surge, while the old one is ready and the new one is not available.
 *
 * @param mayRemove whether an ended pod may be deleted now
 */
export function placementStep(
  set: DaemonSet,
  nodes: readonly NodePods[],
  hash: string,
  now: number,
  mayRemove: (ended: Pod) => boolean,
): DaemonStep {
  const step: DaemonStep = { create: [], remove: [] };
  const surge = surgeOf(set, nodes.length);
  for (const { node, pods, shouldRun, mayStay } of nodes) {
    const left = pods.filter(isLeft);
    if (!mayStay) {
      step.remove.push(...left);
      continue;
    }
    step.remove.push(...left.filter((pod) => isFinished(pod) && mayRemove(pod)));
    const running = left.filter((pod) => !isFinished(pod));
    if (shouldRun && (surge > 0 ? running : pods).length === 0) step.create.push(node);
    if (surge === 0) {
      step.remove.push(...running.slice(1));
      continue;
    }
    const { fresh, old, rest } = byRevision(running, hash);
    step.remove.push(...rest);
    if (fresh === undefined || old === undefined) continue;
    if (!isReady(old) || isAvailable(fresh, set.spec.minReadySeconds, now)) step.remove.push(old);
  }
  return step;
}

interface Pair {
  node: string;
  shouldRun: boolean;
  fresh?: Pod;
  old?: Pod;
  /** The node has several pods of one template: it counts as unavailable, and nothing is done about it here. */
  isCrowded: boolean;
}

/** Deletes outdated pods as far as others are available; the next step makes their successors. */
function replaced(pairs: readonly Pair[], most: number, isUp: (pod: Pod) => boolean): DaemonStep {
  let unavailable = 0;
  const broken: Pod[] = [];
  const candidates: Pod[] = [];
  for (const { fresh, old, isCrowded } of pairs) {
    const [only, second] = [fresh, old].filter((pod) => pod !== undefined);
    const isBroken = isCrowded || second !== undefined || only === undefined || !isUp(only);
    if (isBroken) unavailable += 1;
    if (isCrowded || fresh !== undefined || old === undefined) continue;
    (isBroken ? broken : candidates).push(old);
  }
  return { create: [], remove: [...broken, ...candidates.slice(0, Math.max(0, most - unavailable))] };
}

/** Makes successors next to outdated pods, which are deleted once their successor is available. */
function surged(
  pairs: readonly Pair[],
  surge: number,
  wanted: number,
  isUp: (pod: Pod) => boolean,
): DaemonStep {
  const step: DaemonStep = { create: [], remove: [] };
  const candidates: string[] = [];
  const leaving: Pod[] = [];
  let surging = 0;
  let available = 0;
  for (const { node, shouldRun, fresh, old, isCrowded } of pairs) {
    const counted = old ?? fresh;
    if (!isCrowded && counted !== undefined && isUp(counted)) available += 1;
    if (isCrowded || (old !== undefined && fresh !== undefined && !isUp(fresh))) surging += 1;
    else if (old === undefined) continue;
    else if (fresh !== undefined) step.remove.push(old);
    else if (!shouldRun) (isUp(old) ? leaving : step.remove).push(old);
    else (isUp(old) ? candidates : step.create).push(node);
  }
  step.create.push(...candidates.slice(0, Math.max(0, surge - surging)));
  // A pod leaves a node that is no longer wanted only when enough others are available.
  step.remove.push(...leaving.slice(0, Math.max(0, available - wanted)));
  return step;
}

/** How outdated pods are replaced within the limits, once every node has its pod. */
export function updateStep(
  set: DaemonSet,
  nodes: readonly NodePods[],
  hash: string,
  now: number,
): DaemonStep {
  const { type, rollingUpdate } = set.spec.updateStrategy ?? {};
  if (type !== 'RollingUpdate') return { create: [], remove: [] };
  const wanted = nodes.filter(({ shouldRun }) => shouldRun).length;
  // A node that is no longer wanted counts as long as it has a pod: its pod is updated away.
  const pairs = nodes
    .filter(({ shouldRun, pods }) => shouldRun || pods.length > 0)
    .map(({ node, shouldRun, pods }): Pair => {
      const { rest, ...both } = byRevision(pods.filter(isLeft), hash);
      return { node, shouldRun, ...both, isCrowded: rest.length > 0 };
    });
  const isUp = (pod: Pod) => isAvailable(pod, set.spec.minReadySeconds, now);
  const surge = surgeOf(set, wanted);
  if (surge > 0) return surged(pairs, surge, wanted, isUp);
  return replaced(pairs, Math.max(1, resolved(rollingUpdate?.maxUnavailable ?? 1, wanted, true)), isUp);
}
