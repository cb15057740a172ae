import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Action } from '../decision.ts';
import type { Pod } from '../pod/types.ts';
import { claimsOf, type ClaimsView, idOf, isTerminating } from './unit.ts';

/**
 * On a claim: the uid of the pod that is deleted together with it, the claim's own uid, and `scale-in` where that is why.
 * Written before that pod is deleted, so that no end is left open. Nobody knows the uid of a claim before it is made: a mark
 * that names it does not come from a claim template, and another one is not believed. OpenKruise, which makes claims with all
 * annotations of their template, keeps no record of templates that it had before.
 */
export const DELETED_WITH_ANNOTATION = 'plan.kruise.io/goes-with';

const SCALE_IN = 'scale-in';

/** The mark on a claim: with which pod it is deleted, and why. */
interface Mark {
  podUid: string;
  why: string | undefined;
}

/** The form that `markOn` reads: `<uid of the pod> <uid of the claim>`, and why. */
function markText(claim: KubeObject, podUid: string, forGood: boolean): string {
  const words = [podUid, claim.metadata.uid ?? '', ...(forGood ? [] : [SCALE_IN])];
  return words.join(' ');
}

function markOn({ metadata }: KubeObject): Mark | undefined {
  const [podUid, claimUid, why] = metadata.annotations?.[DELETED_WITH_ANNOTATION]?.split(' ') ?? [];
  return podUid === undefined || claimUid !== metadata.uid ? undefined : { podUid, why };
}

/** The uid of the pod that a claim is deleted with; undefined: it is not marked. */
export function deletedWithPod(claim: KubeObject): string | undefined {
  return markOn(claim)?.podUid;
}

/** It is marked because fewer pods are wanted, and not because its pod is to be replaced or taken away for good. */
export function isScaledIn(claim: KubeObject): boolean {
  return markOn(claim)?.why === SCALE_IN;
}

/** What a kind does with claims whose pod is gone. */
export interface ClaimRetention {
  /** The claims of a pod that went by itself stay, for the pod that takes its place. */
  keepsLost: boolean;
  /** No pod of this id is there, and one more is wanted that may have it. */
  isWanted(id: string): boolean;
  /**
   * Where they do not stay: from when on a claim that is not marked may be deleted, because its pod is gone; milliseconds
   * since 1970. Undefined: its pod is there or is still to be made.
   */
  lostAt(claim: KubeObject): number | undefined;
}

/**
 * What comes before a pod is deleted here: it is put on record that its claims go with it, so that they do, whatever
 * happens to this process in between (OpenKruise workloads, rule 6.4: with the pod, whatever the setting of reuse).
 */
export function markClaims(
  view: ClaimsView,
  pod: Pod,
  { why, forGood }: { why: string; forGood: boolean },
): Action[] {
  const podUid = pod.metadata.uid ?? '';
  return annotateClaims(view, idOf(view, pod), {
    verb: 'mark claim for deletion',
    annotations: (claim) => ({ [DELETED_WITH_ANNOTATION]: markText(claim, podUid, forGood) }),
    reason: `is deleted with pod ${pod.metadata.name}: ${why}`,
  });
}

/** Puts annotations on those claims of this id that have not the same ones. */
export function annotateClaims(
  view: ClaimsView,
  id: string,
  note: { verb: string; annotations: (claim: KubeObject) => Record<string, string>; reason: string },
): Action[] {
  return claimsOf(view, id).flatMap((claim) => {
    const annotations = note.annotations(claim);
    const isThere = Object.keys(annotations).every(
      (key) => claim.metadata.annotations?.[key] === annotations[key],
    );
    return isThere ? [] : [patchClaim(claim, note.verb, { annotations }, note.reason)];
  });
}

/**
 * The pod that a claim was to go with is gone, and that is no reason to delete it: it went by itself, before all of its
 * claims were on record, or it was one too many and no longer is.
 */
export function isOrphanedClaim(
  view: ClaimsView,
  claim: KubeObject,
  { keepsLost, isWanted }: Pick<ClaimRetention, 'keepsLost' | 'isWanted'>,
): boolean {
  const uid = deletedWithPod(claim);
  if (uid === undefined || uid === '' || !keepsLost) return false;
  if ([...view.active, ...view.released].some(({ metadata }) => metadata.uid === uid)) return false;
  const id = idOf(view, claim);
  const all = claimsOf(view, id);
  if (all.some((each) => deletedWithPod(each) === undefined)) return true;
  if (!all.every(isScaledIn)) return false;
  return view.active.some((pod) => idOf(view, pod) === id) || isWanted(id);
}

/**
 * Claims whose pod is gone (OpenKruise workloads, rule 6.7): those that are marked are deleted, and, where claims of lost pods
 * do not stay, those of every pod that is there no more. What was marked with a pod that stays is unmarked.
 *
 * @param leaving uids of the pods that this decision deletes, or would if all marks were on record
 * @returns and when to look again though nothing has changed
 */
export function collectClaims(
  view: ClaimsView,
  retention: ClaimRetention,
  leaving: ReadonlySet<string>,
  now: number,
): { actions: Action[]; requeueAt: number | undefined } {
  const actions: Action[] = [];
  let requeueAt: number | undefined;
  if (view.claims.length === 0) return { actions, requeueAt };
  const there = new Set([...view.active, ...view.released].map(({ metadata }) => metadata.uid ?? ''));
  const released = new Set(view.released.map(({ metadata }) => metadata.uid ?? ''));
  for (const claim of view.claims) {
    const id = idOf(view, claim);
    if (isTerminating(claim) || id === '') continue;
    const uid = deletedWithPod(claim);
    if (uid !== undefined && !there.has(uid) && isOrphanedClaim(view, claim, retention)) {
      if (!isScaledIn(claim) || view.active.some((pod) => idOf(view, pod) === id))
        actions.push(unmark(claim, 'its pod was not deleted by the runtime, or is wanted again'));
    } else if (uid !== undefined && !there.has(uid)) {
      actions.push(deleteClaim(claim, 'its pod was deleted for good'));
    } else if (uid !== undefined && !leaving.has(uid) && !released.has(uid)) {
      actions.push(unmark(claim, 'its pod stays'));
    } else if (uid === undefined && !retention.keepsLost) {
      const lostAt = retention.lostAt(claim);
      if (lostAt === undefined) continue;
      if (lostAt <= now) actions.push(deleteClaim(claim, 'its pod is gone, and claims are not reused'));
      else requeueAt = Math.min(lostAt, requeueAt ?? lostAt);
    }
  }
  return { actions, requeueAt };
}

/** The claims of a pod that is released stay with it: they are nobody's any more, and keep their data. */
export function releaseClaims(view: ClaimsView, pod: Pod): Action[] {
  return claimsOf(view, idOf(view, pod)).map((claim) =>
    patchClaim(
      claim,
      'release claim',
      {
        annotations: { [DELETED_WITH_ANNOTATION]: null },
        ownerReferences: [{ $patch: 'delete', uid: view.target.metadata.uid ?? '' }],
      },
      `it stays with pod ${pod.metadata.name}, whose labels no longer match the selector`,
    ),
  );
}

function unmark(claim: KubeObject, reason: string): Action {
  return patchClaim(claim, 'unmark claim', { annotations: { [DELETED_WITH_ANNOTATION]: null } }, reason);
}

function patchClaim(claim: KubeObject, verb: string, metadata: JsonObject, reason: string): Action {
  const { name, uid = '', resourceVersion = '' } = claim.metadata;
  const body = { metadata: { uid, resourceVersion, ...metadata } };
  return { do: 'patch', kind: 'PersistentVolumeClaim', verb, name, body, reason };
}

function deleteClaim(claim: KubeObject, reason: string): Action {
  const { name, uid = '', resourceVersion = '' } = claim.metadata;
  return {
    do: 'delete',
    kind: 'PersistentVolumeClaim',
    verb: 'delete claim',
    name,
    uid,
    resourceVersion,
    reason,
  };
}
