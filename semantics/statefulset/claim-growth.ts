import { claimFit, templateSize } from '../claims/fit.ts';
import { claimNameOf, claimsOf } from '../claims/unit.ts';
import type { Explanation, PatchAction } from '../decision.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { isWhole, type Situation } from './situation.ts';
import type { Slot } from './slots.ts';

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

/** Whether claims grow: as the strategy says, and for the revision of the manifest, so that a held change grows none. */
function grows({ view: { spec, liveHash }, envelope }: Situation): boolean {
  return spec.growsClaims && !spec.onDelete && !spec.paused && envelope.goal === liveHash;
}

/**
 * Grows the claims of pods that are on the goal already, highest ordinal first, without touching the pods (OpenKruise
 * advanced-statefulset, rule 6.11). Partition and budget of the update limit it.
 */
export function growClaims(situation: Situation, limits: Limits): Pick<Growth, 'actions' | 'explanations'> {
  const found = { actions: [] as PatchAction[], explanations: [] as Explanation[] };
  if (!grows(situation)) return found;
  const { view, layout, placement, envelope } = situation;
  for (const slot of layout.slots.toReversed()) {
    if (slot.pod === undefined || view.hashOf(slot.pod) !== envelope.goal) continue;
    if (!placement.isEligible(slot)) continue;
    const growth = growSlot(situation, slot, limits);
    found.actions.push(...growth.actions);
    found.explanations.push(...growth.explanations);
    if (growth.isStopped) break;
  }
  return found;
}

/**
 * Grows the claims of one slot. Only a bound claim of the storage class and access modes of its template grows; any other
 * stays as it is, and stops nothing. A slot that is not whole grows at once: a full volume may be why. During a revert no pod
 * waits for its claims.
 */
export function growSlot(situation: Situation, slot: Slot, limits: Limits): Growth {
  const { view, envelope } = situation;
  if (!grows(situation) || envelope.back !== undefined) return DONE;
  const claims = claimsOf(view, String(slot.ordinal));
  const due = view.spec.volumeClaimTemplates.flatMap((template) => {
    const name = claimNameOf(view.target, template, String(slot.ordinal));
    const claim = claims.find(({ metadata }) => metadata.name === name);
    if (claim === undefined) return [];
    const fit = claimFit(claim, template);
    return fit.isBound && fit.isSameKind && !fit.isGrown
      ? [{ claim, fit, size: templateSize(template) }]
      : [];
  });
  if (due.length === 0) return DONE;
  const { unavailable, budget, blocked } = limits;
  const isFree = unavailable.has(slot) || !isWhole(situation, slot);
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
