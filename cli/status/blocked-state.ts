import type { Lifecycle } from '../../semantics/lifecycle/hooks.ts';
import { hookWait } from '../../semantics/lifecycle/wait.ts';
import { isStarting, locationOf } from '../../semantics/pod/location.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { manifestOf, type TargetObject, unitCountsOf } from './target-object.ts';
import { MISSED_CONDITION, updateByHand } from '../../semantics/plan/held.ts';
import { byText } from '../../compiler/text/order.ts';

/** What a target waits for: a reason in CamelCase, and a message for users. */
export interface BlockedState {
  waitingOn: string;
  message: string;
}

/** Conditions of a target that report failed writes, and pods that have nothing of it; and the word for each. */
const FAILURES: ReadonlyMap<string, string> = new Map([
  ['FailedScale', 'FailedScale'],
  ['FailedUpdate', 'FailedUpdate'],
  [MISSED_CONDITION, 'PodsMissed'],
]);

/**
 * Why a target without an active plan does not match its manifest: pods that cannot be scheduled, do not run or wait at a hook, and
 * pods that the target's own strategy does not update. Undefined: no known reason.
 *
 * @param pods the known pods that the target controls
 */
export function blockedStateOf(object: TargetObject, pods: readonly Pod[]): BlockedState | undefined {
  const { metadata, status } = object;
  const manifest = manifestOf(object);
  if (manifest === undefined || status?.observedGeneration !== metadata.generation) return undefined;
  const { lifecycle, onDelete, paused } = manifest;
  const { wanted: replicas, updated: updatedReplicas } = unitCountsOf(object);
  const { expectedUpdatedReplicas = replicas } = status ?? {};
  const outdated = replicas - updatedReplicas;
  const reasons: BlockedState[] = [];
  const broken = brokenPods(pods);
  if (broken !== undefined) reasons.push(broken);
  const hooked = hookedPods(pods, lifecycle);
  if (hooked !== undefined) reasons.push(hooked);
  for (const { type, status: is, message = '' } of status?.conditions ?? []) {
    const waitingOn = FAILURES.get(type);
    if (waitingOn !== undefined && is === 'True') reasons.push({ waitingOn, message });
  }
  if (outdated > 0) {
    const rest = `${outdated} of ${replicas} pods`;
    if (paused)
      reasons.push({
        waitingOn: 'TargetPaused',
        message: `paused is true in its manifest: ${rest} are not updated; set it to false in git`,
      });
    else if (onDelete) {
      const { strategy, command } = updateByHand(metadata.namespace ?? '');
      reasons.push({
        waitingOn: 'OnDelete',
        message: `its strategy is ${strategy}: ${rest} are updated when you delete them, ${command}`,
      });
    } else if (expectedUpdatedReplicas < replicas && updatedReplicas >= expectedUpdatedReplicas)
      reasons.push({
        waitingOn: 'Bound',
        message: `its partition retains ${rest} on the old revision; lower it in git to continue`,
      });
  }
  const [first] = reasons;
  if (first === undefined) return undefined;
  return { waitingOn: first.waitingOn, message: reasons.map(({ message }) => message).join('; ') };
}

/** Pods that do not run; those that cannot be scheduled first. */
function brokenPods(pods: readonly Pod[]): BlockedState | undefined {
  const placed = pods
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .sort((a, b) => byText(a.metadata.name, b.metadata.name))
    .map((pod) => ({ pod, ...locationOf(pod) }));
  const lost = placed.filter(({ unschedulable }) => unschedulable !== undefined);
  const [first] = lost;
  if (first !== undefined) {
    const subject = lost.length === 1 ? '' : ` and ${lost.length - 1} more`;
    const reason = (first.unschedulable ?? '').replace(/\.$/, '');
    return {
      waitingOn: 'Unschedulable',
      message: `pod ${first.pod.metadata.name}${subject} cannot be scheduled: ${reason}`,
    };
  }
  const down = placed.filter(({ problem }) => problem !== undefined && !isStarting(problem));
  const [one] = down;
  if (one === undefined) return undefined;
  const subject = down.length === 1 ? 'does' : `and ${down.length - 1} more do`;
  return { waitingOn: 'Pods', message: `pod ${one.pod.metadata.name} ${subject} not run: ${one.problem}` };
}

/** Pods that wait at a hook: the first by name, with the command that ends its wait. */
function hookedPods(pods: readonly Pod[], lifecycle: Lifecycle): BlockedState | undefined {
  const waiting = pods
    .flatMap((pod) => {
      const text = hookWait(lifecycle, pod);
      return text === undefined ? [] : [{ name: pod.metadata.name, text }];
    })
    .sort((a, b) => byText(a.name, b.name));
  const [first, ...more] = waiting;
  if (first === undefined) return undefined;
  const others = more.length === 0 ? '' : `, as ${more.length} more ${more.length === 1 ? 'does' : 'do'}`;
  return { waitingOn: 'Pods', message: `pod ${first.name} ${first.text}${others}` };
}
