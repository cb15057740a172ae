import type { Action, DeleteAction, Explanation } from '../decision.ts';
import type { Pod } from '../pod/types.ts';
import { deleteThroughHook } from '../lifecycle/transitions.ts';
import { isPreparingDelete } from '../lifecycle/states.ts';
import { deletePod } from '../pod/writes.ts';
import { ordinalOf } from './ordinals.ts';
import { podEvent } from './pods.ts';
import { isWhole, type DecisionInput } from './decision-input.ts';

/** What a scale-in does. */
export interface ScaledIn {
  actions: Action[];
  explanations: Explanation[];
  /** Pods that are out of range remain, now or as long as they terminate. */
  isPending: boolean;
}

/**
 * Deletes pods whose ordinal is out of range or reserved, highest ordinal first (OpenKruise advanced-statefulset, rule 6.3).
 * Parallel: all at once. OrderedReady: one after the other, once every slot is whole.
 *
 * Under a plan, pods that a reservation or the first ordinal has displaced go one at a time, once every slot is whole: such a
 * change moves data, and no plan was made for it.
 *
 * @param blocked with OrderedReady: what the slots wait for
 */
export function scaleIn(input: DecisionInput, blocked: string | undefined): ScaledIn {
  const { view, layout, envelope } = input;
  const { condemned, leaving } = layout;
  const isPending = condemned.length + leaving.length > 0;
  if (condemned.length === 0) return { actions: [], explanations: [], isPending };
  if (view.spec.isOrdered) {
    const found = blocked === undefined ? nextInOrder(input) : { waits: blocked };
    if ('pod' in found) return { ...removeAll(input, [found.pod]), isPending };
    return { actions: [], explanations: [stays(input, condemned[0], found.waits)], isPending };
  }
  const [displaced, scaledIn] = [condemned.filter(isDisplaced), condemned.filter((pod) => !isDisplaced(pod))];
  const all = envelope.ownStrategy === true ? condemned : scaledIn;
  const removed = removeAll(input, all);
  if (envelope.ownStrategy === true || displaced.length === 0) return { ...removed, isPending };
  const unfinished = layout.slots.find((slot) => !isWhole(input, slot));
  const waits =
    unfinished !== undefined
      ? `${unfinished.name} is not available`
      : leaving.length > 0
        ? `${leaving[0]?.metadata.name ?? ''} is being deleted`
        : undefined;
  // One that waits at its hook goes on.
  const first = displaced.find(isPreparingDelete) ?? displaced[0];
  if (first === undefined || (waits !== undefined && !isPreparingDelete(first))) {
    removed.explanations.push(stays(input, first, waits ?? ''));
    return { ...removed, isPending };
  }
  const next = removeAll(input, [first]);
  return {
    actions: [...removed.actions, ...next.actions],
    explanations: [...removed.explanations, ...next.explanations],
    isPending,
  };

  /** Whether its ordinal is reserved, or below the first one: not the number of replicas has displaced it. */
  function isDisplaced({ metadata: { name } }: Pod): boolean {
    const ordinal = ordinalOf(name, view.target.metadata.name) ?? 0;
    return ordinal <= (layout.slots.at(-1)?.ordinal ?? -1);
  }
}

/**
 * The pod that goes next with OrderedReady, or what it waits for. Two broken pods out of range stop each other with the
 * target's own strategy alone; else the highest goes all the same, as an update, and the way back, wait for the scale-in.
 */
function nextInOrder({ layout, envelope, isAvailable }: DecisionInput): { pod: Pod } | { waits: string } {
  const { condemned, leaving } = layout;
  const [going] = leaving;
  if (going !== undefined) return { waits: `${going.metadata.name} is being deleted` };
  const [highest] = condemned;
  if (highest !== undefined && isPreparingDelete(highest)) return { pod: highest };
  const lowestBroken = condemned.findLast((pod) => !isAvailable(pod));
  const isFree = envelope.ownStrategy !== true || highest === lowestBroken;
  if (highest !== undefined && (isFree || isAvailable(highest))) return { pod: highest };
  return { waits: `${lowestBroken?.metadata.name ?? ''} is not available` };
}

function stays({ view }: DecisionInput, pod: Pod | undefined, waits: string): Explanation {
  const about = pod?.metadata.name ?? view.target.metadata.name;
  return { about, reason: `is to be deleted, and stays: ${waits}` };
}

/** Deletes these pods, each as soon as its hook lets it go. */
function removeAll(input: DecisionInput, pods: readonly Pod[]): Pick<ScaledIn, 'actions' | 'explanations'> {
  const { view, now } = input;
  const actions: Action[] = [];
  const explanations: Explanation[] = [];
  for (const pod of pods) {
    const change = deleteThroughHook(view.spec.lifecycle, pod, remove(input, pod), now);
    if ('do' in change) actions.push(change);
    else explanations.push({ about: pod.metadata.name, ...change });
  }
  return { actions, explanations };
}

function remove({ view }: DecisionInput, pod: Pod): DeleteAction {
  const { name } = pod.metadata;
  const ordinal = ordinalOf(name, view.target.metadata.name) ?? -1;
  const isReserved = view.spec.reserved.some(({ from, to }) => from <= ordinal && ordinal <= to);
  const reason = `its ordinal is ${isReserved ? 'reserved' : 'out of range'}`;
  const action = deletePod(pod, reason, podEvent(view, 'delete', name));
  return { ...action, scalesIn: true };
}
