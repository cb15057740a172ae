import type { Action, EventDraft, Explanation } from '../decision.ts';
import { backoffText } from '../plan/creation-backoff.ts';
import { factsOf } from '../pod/facts.ts';
import { deleteThroughHook } from '../lifecycle/transitions.ts';
import { earliestOf } from '../pod/next-change.ts';
import type { Pod } from '../pod/types.ts';
import { deletePod } from '../pod/writes.ts';
import { mostCreated } from '../workload/creation-batch.ts';
import { createPod, waitExplanation, waitingFor, withoutDeferred } from '../workload/missing-pod.ts';
import { creationBudget } from './budgets.ts';
import { claimOfEarlierPod } from './claim-owners.ts';
import { newPod, podEvent } from './pods.ts';
import { isWhole, type DecisionInput } from './decision-input.ts';
import type { Slot } from './slots.ts';

/** What the creation of missing pods results in. */
export interface Filled {
  actions: Action[];
  explanations: Explanation[];
  events: EventDraft[];
  /** The slots whose pods are created or deleted now. */
  busy: ReadonlySet<Slot>;
  /** With OrderedReady: what the slots above wait for, as a sentence; undefined: nothing. */
  blocked: string | undefined;
  /** With OrderedReady: the lowest slot that is not whole, as a sentence, also where no slot above waits for it. */
  unwhole: string | undefined;
  requeueAt: number | undefined;
}

/**
 * Creates the missing pods in ascending order (OpenKruise advanced-statefulset, rules 6.3 and 6.5). With OrderedReady a slot
 * waits until all below it are available; with Parallel `scaleStrategy.maxUnavailable` limits how many are missing at a time.
 *
 * One deviation: a pod that has ended is deleted whatever that limit is, as it can never become available.
 */
export function fill(input: DecisionInput): Filled {
  const { view, layout } = input;
  const { isOrdered } = view.spec;
  const missing: Slot[] = [];
  const leaving: Slot[] = [];
  const ended: { slot: Slot; pod: Pod }[] = [];
  let blocked: string | undefined;
  let unwhole: string | undefined;
  let budget = creationBudget(view.spec);
  const most = budget;
  let isLimited = false;
  for (const slot of layout.slots) {
    const faults = faultsOf(input, slot);
    if (slot.ended !== undefined) ended.push({ slot, pod: slot.ended });
    else if (slot.terminating !== undefined) leaving.push(slot);
    else if (slot.pod === undefined) missing.push(slot);
    if (faults.length === 0) continue;
    if (isOrdered) unwhole ??= `${slot.name} ${faults.join(' and ')}`;
    if (input.breaksAlone(slot)) continue;
    if (isOrdered) {
      blocked = `${slot.name} ${faults.join(' and ')}`;
      break;
    }
    budget -= faults.length;
    if (budget <= 0) {
      isLimited = true;
      break;
    }
  }
  const created = create(input, missing);
  created.requeueAt = earliestOf([created.requeueAt, ...waitForNames(input, leaving, created.explanations)]);
  if (isLimited && created.busy.size < layout.slots.filter(isEmpty).length) {
    const reason = `creates ${created.busy.size} of ${layout.slots.filter(isEmpty).length} missing pods now: scaleStrategy.maxUnavailable is ${most}`;
    created.explanations.push({ about: view.target.metadata.name, reason });
  }
  if (blocked !== undefined && layout.slots.some(isEmpty) && missing.length === 0) {
    const reason = `creates no further pod now: ${blocked}, and podManagementPolicy is OrderedReady`;
    created.explanations.push({ about: view.target.metadata.name, reason });
  }
  const removed = ended.flatMap(({ pod }) => {
    const { name } = pod.metadata;
    const why = 'has ended; its successor takes its name';
    const deletion = deletePod(pod, why, podEvent(view, 'delete', name));
    const change = deleteThroughHook(view.spec.lifecycle, pod, deletion, input.now);
    if ('do' in change) return [change];
    created.explanations.push({ about: name, ...change });
    return [];
  });
  return {
    ...created,
    actions: [...removed, ...created.actions],
    busy: new Set([...created.busy, ...ended.map(({ slot }) => slot)]),
    blocked,
    unwhole,
  };
}

/** What a slot lacks, one entry for each unit of the budget that it uses up: none if it is whole. */
function faultsOf(input: DecisionInput, slot: Slot): string[] {
  const { pod, ended, terminating } = slot;
  if (ended !== undefined) return ['has ended'];
  if (terminating !== undefined)
    return factsOf(terminating).ready ? ['is being deleted'] : ['is being deleted', 'is not available'];
  if (pod === undefined) return ['is missing'];
  return isWhole(input, slot) ? [] : ['is not available'];
}

function isEmpty({ pod, ended, terminating }: Slot): boolean {
  return pod === undefined && ended === undefined && terminating === undefined;
}

/**
 * Explains the slots whose pods are being deleted: each name is free only when its pod is gone, which is never forced.
 *
 * @returns when to look again, milliseconds since 1970
 */
function waitForNames(
  { view, now }: DecisionInput,
  leaving: readonly Slot[],
  explanations: Explanation[],
): (number | undefined)[] {
  return leaving.map(({ ordinal }) => {
    const waits = waitingFor(view, String(ordinal));
    if (waits === undefined) return undefined;
    const { explanation, requeueAt } = waitExplanation(view, waits, now);
    explanations.push(explanation);
    return requeueAt;
  });
}

/** Creates the pods of these slots, without those whose creation is deferred. */
function create(
  { view, placement, creationBackoff, now }: DecisionInput,
  missing: readonly Slot[],
): Omit<Filled, 'blocked' | 'unwhole'> {
  const explanations: Explanation[] = [];
  const actions: Action[] = [];
  const busy = new Set<Slot>();
  let requeueAt: number | undefined;
  const wanted = missing.map((slot) => placement.hashFor(slot));
  const created = withoutDeferred(view, wanted, creationBackoff);
  if (creationBackoff !== undefined && created.length < wanted.length) {
    const { name, namespace = '' } = view.target.metadata;
    const delay = backoffText(creationBackoff, namespace);
    const reason = `creates ${created.length} of ${wanted.length} missing pods now: ${delay}`;
    explanations.push({ about: name, reason, delay });
    requeueAt = creationBackoff.nextAt;
  }
  const most = mostCreated(view, created);
  for (const [index, slot] of missing.entries()) {
    if (busy.size === most) {
      const reason = `creates ${most} of ${missing.length} missing pods now: the others follow`;
      explanations.push({ about: view.target.metadata.name, reason });
      break;
    }
    const hash = wanted[index];
    const at = hash === undefined ? -1 : created.indexOf(hash);
    if (hash === undefined || at < 0) continue;
    created.splice(at, 1);
    const id = String(slot.ordinal);
    const waits = waitingFor(view, id);
    if (waits !== undefined) {
      const waiting = waitExplanation(view, waits, now);
      explanations.push(waiting.explanation);
      requeueAt = earliestOf([requeueAt, waiting.requeueAt]);
      continue;
    }
    const earlier = claimOfEarlierPod(view, slot.ordinal, slot.name);
    if (earlier !== undefined) {
      explanations.push({ about: view.target.metadata.name, reason: earlier });
      continue;
    }
    // The name may be free again, so the creation is tried all the same.
    if (view.takenNames.has(slot.name)) explanations.push(nameTaken(view.target.metadata.name, slot.name));
    const pod = createPod(view, hash, {
      id,
      podOf: (revision) => newPod(view, revision, slot, now),
      claimAnnotations: {},
      reason: ({ name }) => `its slot is empty; at ${name}`,
      event: (name) => podEvent(view, 'create', name),
    });
    if ('do' in pod) {
      actions.push(pod);
      busy.add(slot);
    } else explanations.push(pod);
  }
  return { actions, explanations, events: [], busy, requeueAt };
}

function nameTaken(about: string, pod: string): Explanation {
  const delay = `a pod ${pod} exists that ${about} does not control; delete it, or remove its other owner`;
  return { about, reason: delay, delay };
}
