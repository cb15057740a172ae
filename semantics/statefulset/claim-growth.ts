import { type ClaimFit, claimFit, growthHash, templateSize } from '../claims/fit.ts';
import { claimNameOf, claimsOf } from '../claims/unit.ts';
import type { Explanation, PatchAction } from '../decision.ts';
import { effectivePartition } from '../plan/partition.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { ClaimGrowth } from '../plan/units.ts';
import { ordinalOf } from './ordinals.ts';
import { isWhole, type DecisionInput } from './decision-input.ts';
import type { Slot } from './slots.ts';
import type { StatefulSetView } from './view.ts';

/** What the growth of claims and the update of pods share. */
export interface Limits {
  /** The slots that use up the budget. Slots whose claims grow are added. */
  unavailable: Set<Slot>;
  budget: number;
  /** With OrderedReady: what the slots above wait for. */
  blocked: string | undefined;
}

/** What is done about the claims of one slot. */
export interface Growth {
  actions: PatchAction[];
  explanations: Explanation[];
  /** Every claim has the size of its template: its pod may be updated. */
  isDone: boolean;
  /** The budget allows no further slot. */
  isStopped: boolean;
}

const DONE: Growth = { actions: [], explanations: [], isDone: true, isStopped: false };

/** Whether claims grow: as strategy and plan say, and for the revision of the manifest, so that a held change grows none. */
function grows({ view: { spec, liveHash }, envelope }: DecisionInput): boolean {
  return (
    envelope.growsClaims === true &&
    spec.growsClaims &&
    !spec.onDelete &&
    !spec.paused &&
    envelope.goal === liveHash
  );
}

/** What the rules of plans read of the growth of claims. A unit of a plan is a pod name. */
export function growthOf(view: StatefulSetView): ClaimGrowth | undefined {
  const { spec, target, active } = view;
  const hash = spec.growsClaims && !spec.onDelete ? growthHash(spec.volumeClaimTemplates) : undefined;
  if (hash === undefined) return undefined;
  const set = target.metadata.name;
  const pending = active.filter(({ metadata: { name } }) => dueClaims(view, ordinalOf(name, set)).length > 0);
  return { hash, pending: new Set(pending.map(({ metadata }) => metadata.name)) };
}

/** A claim that has yet to grow. */
interface DueClaim {
  claim: KubeObject;
  fit: ClaimFit;
  size: string | number | undefined;
}

/** Only a bound claim of the storage class and access modes of its template grows. */
function dueClaims(view: StatefulSetView, ordinal: number | undefined): DueClaim[] {
  const claims = ordinal === undefined ? [] : claimsOf(view, String(ordinal));
  if (claims.length === 0) return [];
  return view.spec.volumeClaimTemplates.flatMap((template) => {
    const name = claimNameOf(view.target, template, String(ordinal));
    const claim = claims.find(({ metadata }) => metadata.name === name);
    if (claim === undefined) return [];
    const fit = claimFit(claim, template);
    const isDue = fit.isBound && fit.isSameKind && !fit.isGrown;
    return isDue ? [{ claim, fit, size: templateSize(template) }] : [];
  });
}

/**
 * Grows the claims of pods that are on the goal already, highest ordinal first, without touching the pods (OpenKruise
 * advanced-statefulset, rule 6.11). Partition and budget of the update limit it, and the step of a plan: grown claims count
 * as pods that are updated.
 */
export function growClaims(input: DecisionInput, limits: Limits): Pick<Growth, 'actions' | 'explanations'> {
  const found = { actions: [] as PatchAction[], explanations: [] as Explanation[] };
  if (!grows(input)) return found;
  const { view, layout, placement, envelope } = input;
  const onGoal = layout.slots.filter(({ pod }) => pod !== undefined && view.hashOf(pod) === envelope.goal);
  const small = new Set(
    onGoal.filter(({ ordinal }) => dueClaims(view, ordinal).some(({ fit }) => !fit.isLargeEnough)),
  );
  let left = view.spec.replicas - effectivePartition(view.spec, envelope) - (onGoal.length - small.size);
  for (const slot of onGoal.toReversed()) {
    if (!placement.isEligible(slot)) continue;
    if (small.has(slot) && left <= 0 && envelope.ownStrategy !== true) continue;
    const growth = growSlot(input, slot, limits);
    if (small.has(slot) && !growth.isStopped) left -= 1;
    found.actions.push(...growth.actions);
    found.explanations.push(...growth.explanations);
    if (growth.isStopped) break;
  }
  return found;
}

/**
 * Grows the claims of one slot. Claims that cannot grow stay as they are, and stop nothing. A slot that is not whole grows at
 * once: a full volume may be why. During a revert no pod waits for its claims.
 */
export function growSlot(input: DecisionInput, slot: Slot, limits: Limits): Growth {
  const { view, envelope } = input;
  if (!grows(input) || envelope.back !== undefined) return DONE;
  const due = dueClaims(view, slot.ordinal);
  if (due.length === 0) return DONE;
  const { unavailable, budget, blocked } = limits;
  const isFree = unavailable.has(slot) || !isWhole(input, slot);
  const small = due.filter(({ fit }) => !fit.isLargeEnough);
  const names = due.map(({ claim }) => claim.metadata.name).join(', ');
  if (small.length > 0 && !isFree && (blocked !== undefined || unavailable.size >= budget)) {
    const waits = blocked ?? `fewer than ${budget} pods are unavailable or have claims that grow`;
    const reason = `stays as it is: its claim grows once ${waits}: ${names}`;
    return { ...DONE, explanations: [{ about: slot.name, reason }], isDone: false, isStopped: true };
  }
  unavailable.add(slot);
  const actions = small.flatMap(({ claim, size }) => (size === undefined ? [] : [grow(claim, size)]));
  const reason = `waits until its volumes have grown: ${names}`;
  return { actions, explanations: [{ about: slot.name, reason }], isDone: false, isStopped: false };
}

function grow(claim: KubeObject, size: string | number): PatchAction {
  const { name, uid = '', resourceVersion = '' } = claim.metadata;
  return {
    do: 'patch',
    kind: 'PersistentVolumeClaim',
    verb: 'grow claim',
    name,
    body: { metadata: { uid, resourceVersion }, spec: { resources: { requests: { storage: size } } } },
    reason: `its template requests ${size}`,
    event: { type: 'Normal', reason: 'SuccessfulResize', message: `resize claim ${name} to ${size}` },
  };
}
