import { markClaims } from '../claims/marks.ts';
import type { Action, Explanation, DeleteAction, EventDraft } from '../decision.ts';
import { oldSideRevisions } from '../plan/partition.ts';
import type { Envelope } from '../plan/envelope.ts';
import { type CreationBackoff, backoffText } from '../plan/creation-backoff.ts';
import type { RefusedPod } from '../plan/rollout-context.ts';
import { deleteThroughHook } from '../lifecycle/transitions.ts';
import { isPreparingDelete } from '../lifecycle/states.ts';
import { earliestOf } from '../pod/next-change.ts';
import { HOSTNAME } from '../pod/nodes.ts';
import { scaleInOrder } from '../pod/order.ts';
import { isAvailable, isUpdateReady } from '../pod/readiness.ts';
import type { Pod } from '../pod/types.ts';
import { deletePod } from '../pod/writes.ts';
import { mostCreated } from '../workload/creation-batch.ts';
import { createPod, isRefusedAt, waitExplanation, withoutDeferred } from '../workload/missing-pod.ts';
import { numberAnnotation } from './counter.ts';
import type { Diff } from './diff.ts';
import { nextPods } from './next-pods.ts';
import { byName, newPod } from './pods.ts';
import type { CloneSetView } from './view.ts';

export interface ScaleInput {
  view: CloneSetView;
  envelope: Envelope;
  diff: Diff;
  /** Pods whose creation is deferred. */
  creationBackoff?: CreationBackoff | undefined;
  /** Writes of pods that the server refuses. */
  refusals?: readonly RefusedPod[] | undefined;
  available: (pod: Pod) => boolean;
  marked: (pod: Pod) => boolean;
  /** The pod counts as one of the goal revision. */
  isNew: (pod: Pod) => boolean;
  /** The pod is marked because of an earlier scale-in. */
  scalesIn: (pod: Pod) => boolean;
  /** An update has marked the pod to be recreated. */
  recreated: (pod: Pod) => boolean;
  now: number;
}

export interface Scaled {
  actions: Action[];
  explanations: Explanation[];
  events?: EventDraft[];
  /** When to reconcile again even if nothing changes, milliseconds since 1970. */
  requeueAt?: number | undefined;
  /** Uids of the pods that are deleted, in this reconcile or once the claims to delete with them are marked. */
  leaving: ReadonlySet<string>;
}

/**
 * Creates and deletes pods and their claims (OpenKruise cloneset, rule 6.4). Missing pods come first; marked pods are
 * deleted only if none is missing, and scale-in happens only without marked pods. A plan limits updates alone: only pods that
 * an update recreates have its lower limits. A pod that its hook holds becomes
 * PreparingDelete within the limit, and is deleted when the hook lets it go. A pod with claims is then deleted in two
 * reconciles: the first one marks the claims to be deleted with it.
 */
export function scale(input: ScaleInput): Scaled {
  const { diff, view } = input;
  if (diff.scaleUp > 0) return create(input);

  const ready = (pod: Pod): boolean => isUpdateReady(pod, 0, input.now);
  // The limit does not count marked pods as unavailable. One that is not ready uses up the budget all the same.
  const marked = view.active.filter(input.marked);
  // Those in PreparingDelete have used up the limit when they became so, and count as unavailable.
  const brokenMarked = marked.filter((pod) => !ready(pod) && !isPreparingDelete(pod)).length;
  const budget = {
    all: diff.deleteReadyLimit - brokenMarked,
    recreate: diff.recreateReadyLimit - brokenMarked,
  };
  const explanations: Explanation[] = [];
  const mayDelete = (pod: Pod): boolean => {
    if (!ready(pod) || isPreparingDelete(pod)) return true;
    // A pod that scales in is not replaced. One that is not available yet has used up the limit, and its end frees that.
    if (marked.length === 0 && !isAvailable(pod, view.spec.minReadySeconds, input.now)) return true;
    if ((input.recreated(pod) ? budget.recreate : budget.all) <= 0) {
      const reason = 'stays: deleting it would leave too few pods ready';
      explanations.push({ about: pod.metadata.name, reason });
      return false;
    }
    budget.all--;
    budget.recreate--;
    return true;
  };

  if (
    marked.length === 0 &&
    diff.scaleDown > 0 &&
    view.spec.spreadOver.length > 0 &&
    view.nodes.state === 'pending'
  ) {
    const reason = 'scales in when the nodes are known that its pods are spread over';
    return { actions: [], explanations: [{ about: view.target.metadata.name, reason }], leaving: new Set() };
  }
  const [candidates, why] =
    marked.length > 0
      ? [[...marked].sort(byName), 'marked for deletion']
      : [
          scaleInCandidates(input),
          `has ${view.active.length}, wants ${view.spec.replicas}${forbiddenNodesNote(view)}`,
        ];
  const actions: Action[] = [];
  const leaving = new Set<string>();
  for (const pod of candidates.filter(mayDelete)) {
    const isScaleIn = marked.length === 0 || input.scalesIn(pod);
    const deletion = { ...remove(pod, why), scalesIn: isScaleIn };
    const change = deleteThroughHook(view.spec.lifecycle, pod, deletion, input.now);
    if (change === deletion) {
      // Marks are taken off the claims of all pods but these.
      leaving.add(pod.metadata.uid ?? '');
      const marks = markClaims(view, pod, { why, isScaleIn });
      actions.push(...(marks.length > 0 ? marks : [deletion]));
    } else if ('do' in change) actions.push(change);
    else explanations.push({ about: pod.metadata.name, ...change });
  }
  return { actions, explanations, leaving };
}

/** Explains a scale-in that could not spread pods over zones because nodes may not be listed; '' otherwise. */
function forbiddenNodesNote({ spec: { spreadOver }, nodes }: CloneSetView): string {
  const zones = spreadOver.filter((key) => key !== HOSTNAME);
  if (zones.length === 0 || nodes.state !== 'unreadable') return '';
  return `; by node alone, not by ${zones.join(', ')}: nodes may not be listed`;
}

/**
 * The revisions of the pods to create now, old ones first, but last those that the server refuses: what a limit leaves must not be
 * spent on these alone.
 */
function revisionsOfNew({ view, envelope, diff, refusals }: ScaleInput): string[] {
  const atStable = (): number => view.active.filter((pod) => view.hashOf(pod) === envelope.stable).length;
  const old = oldSideRevisions(view.spec, envelope, Math.min(diff.scaleUp, diff.scaleUpOld), atStable);
  const wanted = [...old, ...Array<string>(diff.scaleUp - old.length).fill(envelope.goal)];
  const refused = new Set([...new Set(wanted)].filter((hash) => isRefusedAt(view, hash, refusals)));
  const inOrder =
    refused.size === 0
      ? wanted
      : [...wanted.filter((hash) => !refused.has(hash)), ...wanted.filter((hash) => refused.has(hash))];
  return inOrder.slice(0, diff.scaleUpLimit);
}

function create(input: ScaleInput): Scaled {
  const { view, envelope, diff, creationBackoff, now } = input;
  const explanations: Explanation[] = [];
  const events: EventDraft[] = [];
  if (diff.scaleUp > diff.scaleUpLimit) {
    const reason = `creates ${diff.scaleUpLimit} of ${diff.scaleUp} missing pods now: scaleStrategy.maxUnavailable`;
    explanations.push({ about: view.target.metadata.name, reason });
    events.push({ type: 'Warning', reason: 'ScaleUpLimited', message: reason });
  }
  const wanted = revisionsOfNew(input);
  const hashes = withoutDeferred(view, wanted, creationBackoff);
  const most = mostCreated(view, hashes);
  const pods = nextPods(view, hashes.length, most);
  const actions: Action[] = [];
  let creations = 0;
  let requeueAt: number | undefined;
  if (creationBackoff !== undefined && hashes.length < wanted.length) {
    const { name, namespace = '' } = view.target.metadata;
    const delay = backoffText(creationBackoff, namespace);
    explanations.push({
      about: name,
      reason: `creates ${hashes.length} of ${wanted.length} missing pods now: ${delay}`,
      delay: delay,
    });
    requeueAt = creationBackoff.nextAt;
  }
  hashes.forEach((hash, index) => {
    const next = pods[index];
    if (next === undefined || creations === most) return;
    if (next.waits !== undefined) {
      const waiting = waitExplanation(view, next, now);
      explanations.push(waiting.explanation);
      requeueAt = earliestOf([requeueAt, waiting.requeueAt]);
      if (next.ended !== undefined)
        actions.push(remove(next.ended, 'has ended; its successor takes its name and claims'));
      return;
    }
    const side = hash === envelope.goal ? '' : ', because no more pods on the new revision are allowed now';
    const reused = next.takesOver.length === 0 ? '' : `; reuses ${next.takesOver.join(', ')}`;
    const has = `has ${view.active.length}, wants ${view.spec.replicas + diff.useSurge}`;
    const created = createPod(view, hash, {
      id: next.identity.id,
      podOf: (revision) => newPod(view, revision, next.identity, now),
      claimAnnotations: numberAnnotation(next.identity.n),
      reason: ({ name }) => `${has}; at ${name}${side}${reused}`,
      event: (name) => ({
        type: 'Normal',
        reason: 'SuccessfulCreate',
        message: `succeed to create pod ${name}`,
      }),
    });
    if ('do' in created) {
      actions.push(created);
      creations += 1;
    } else explanations.push(created);
  });
  if (creations === most && most < hashes.length) {
    const reason = `creates ${most} of ${hashes.length} missing pods now: the others follow`;
    explanations.push({ about: view.target.metadata.name, reason });
  }
  return { actions, explanations, events, requeueAt, leaving: new Set() };
}

/** The pods that a scale-in deletes: first the share of old pods; each side in its own order. */
function scaleInCandidates({ view, diff, available, isNew }: ScaleInput): Pod[] {
  if (diff.scaleDown === 0) return [];
  const inOrder = (pods: readonly Pod[]): Pod[] =>
    scaleInOrder(pods, available, view.spec.spreadOver, view.nodes, view.deletionCost);
  const old = inOrder(view.active.filter((pod) => !isNew(pod)));
  const fresh = inOrder(view.active.filter(isNew));
  const fromOld = Math.min(diff.scaleDown, diff.scaleDownOld, old.length);
  return [...old.slice(0, fromOld), ...fresh.slice(0, diff.scaleDown - fromOld)];
}

function remove(pod: Pod, why: string): DeleteAction {
  const message = `succeed to delete pod ${pod.metadata.name}`;
  return deletePod(pod, why, { type: 'Normal', reason: 'SuccessfulDelete', message });
}
