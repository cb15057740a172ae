import { locationOf } from '../../semantics/pod/location.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { manifestOf, type TargetObject } from './target-object.ts';
import { byText } from '../../compiler/text/order.ts';

/** A word for what a target waits for, and what a person should know of it. */
export interface BlockedState {
  waitingOn: string;
  message: string;
}

/** Conditions in which a target says what it cannot do. */
const FAILURES: ReadonlySet<string> = new Set(['FailedScale', 'FailedUpdate']);

/** What a container says that is about to run. */
const STARTING = /: (?:ContainerCreating|PodInitializing)$/;

/**
 * Why a target that no plan holds back is not where its manifest says: pods that fit nowhere or do not run, in their own
 * words, and what the target's own strategy keeps back. Undefined: nothing is in its way that can be told.
 *
 * @param pods those that the target controls, as far as they are known
 */
export function blockedStateOf(object: TargetObject, pods: readonly Pod[]): BlockedState | undefined {
  const { metadata, status } = object;
  const manifest = manifestOf(object);
  if (manifest === undefined || status?.observedGeneration !== metadata.generation) return undefined;
  const { replicas, onDelete, paused } = manifest;
  const { updatedReplicas = 0, expectedUpdatedReplicas = replicas } = status ?? {};
  const left = replicas - updatedReplicas;
  const reasons: BlockedState[] = [];
  const broken = brokenPods(pods);
  if (broken !== undefined) reasons.push(broken);
  for (const { type: waitingOn, status: is, message = '' } of status?.conditions ?? [])
    if (FAILURES.has(waitingOn) && is === 'True') reasons.push({ waitingOn, message });
  if (left > 0) {
    const rest = `${left} of ${replicas} pods`;
    const of = `-n ${metadata.namespace ?? ''}`;
    if (paused)
      reasons.push({
        waitingOn: 'TargetPaused',
        message: `its own paused is true, ${rest} stay as they are; set it to false in git`,
      });
    else if (onDelete)
      reasons.push({
        waitingOn: 'OnDelete',
        message: `its strategy is OnDelete: ${rest} get the change when somebody deletes them, kubectl delete pod ${of} NAME`,
      });
    else if (expectedUpdatedReplicas < replicas && updatedReplicas >= expectedUpdatedReplicas)
      reasons.push({
        waitingOn: 'Partition',
        message: `its partition keeps ${rest} as they are; lower it in git to go on`,
      });
  }
  const [first] = reasons;
  if (first === undefined) return undefined;
  return { waitingOn: first.waitingOn, message: reasons.map(({ message }) => message).join('; ') };
}

/** Pods that do not get to run; those that fit nowhere first. */
function brokenPods(pods: readonly Pod[]): BlockedState | undefined {
  const placed = pods
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .sort((a, b) => byText(a.metadata.name, b.metadata.name))
    .map((pod) => ({ pod, ...locationOf(pod) }));
  const lost = placed.filter(({ unschedulable }) => unschedulable !== undefined);
  const [first] = lost;
  if (first !== undefined) {
    const what = lost.length === 1 ? 'fits' : `and ${lost.length - 1} more fit`;
    const said = (first.unschedulable ?? '').replace(/\.$/, '');
    return {
      waitingOn: 'Unschedulable',
      message: `pod ${first.pod.metadata.name} ${what} on no node: ${said}`,
    };
  }
  const down = placed.filter(({ problem }) => problem !== undefined && !STARTING.test(problem));
  const [one] = down;
  if (one === undefined) return undefined;
  const what = down.length === 1 ? 'does' : `and ${down.length - 1} more do`;
  return { waitingOn: 'Pods', message: `pod ${one.pod.metadata.name} ${what} not run: ${one.problem}` };
}
