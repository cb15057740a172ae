import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Action } from '../decision.ts';
import type { Pod } from '../pod/types.ts';
import { claimsOf, type ClaimsView, idOf, isTerminating } from './unit.ts';

/**
 * The mark of a claim that is deleted with its pod: the uid of the pod, the claim's own uid, `scale-in` if that is the reason,
 * and the version of the pod that this was decided on. It is written before the pod is deleted, so that a crash in between is harmless. A mark without the claim's own uid
 * is ignored, because it may come from a claim template: OpenKruise copies all annotations of a template to claims, and
 * keeps no record of earlier templates.
 */
export const DELETED_WITH_ANNOTATION = 'plan.kruise.io/goes-with';

const SCALE_IN = 'scale-in';

/** Precedes a version in a mark. */
const VERSION = 'v';

/** A mark: the pod that the claim is deleted with, its version at that time (NaN: not recorded), and why. */
interface Mark {
  podUid: string;
  podVersion: number;
  isScaleIn: boolean;
}

/** The text that `markOn` parses: `<uid of the pod> <uid of the claim> [scale-in] [v<version of the pod>]`. */
function markText(claim: KubeObject, { metadata }: Pod, isScaleIn: boolean): string {
  const { uid = '', resourceVersion = '' } = metadata;
  const parts = [uid, claim.metadata.uid ?? '', ...(isScaleIn ? [SCALE_IN] : [])];
  return [...parts, ...(resourceVersion === '' ? [] : [`${VERSION}${resourceVersion}`])].join(' ');
}

function markOn({ metadata }: KubeObject): Mark | undefined {
  const [podUid, claimUid, ...parts] = metadata.annotations?.[DELETED_WITH_ANNOTATION]?.split(' ') ?? [];
  if (podUid === undefined || claimUid !== metadata.uid) return undefined;
  const version = parts.find((part) => part.startsWith(VERSION));
  return {
    podUid,
    podVersion: Number(version?.slice(VERSION.length) ?? NaN),
    isScaleIn: parts.includes(SCALE_IN),
  };
}

/** The uid of the pod that a claim is deleted with; undefined: the claim is not marked. */
export function deletedWithPod(claim: KubeObject): string | undefined {
  return markOn(claim)?.podUid;
}

/** Whether a claim is marked because of a scale-in, and not because its pod is marked for deletion or recreation. */
export function isScaledIn(claim: KubeObject): boolean {
  return markOn(claim)?.isScaleIn === true;
}

/** The rules of a kind for claims whose pod is gone. */
export interface ClaimRetention {
  /** The claims of a lost pod are retained for its replacement. */
  retainsLost: boolean;
  /** No pod with this id exists, and a missing pod may get it. */
  isWanted(id: string): boolean;
  /**
   * Where they are not retained: from when on an unmarked claim may be deleted because its pod is gone, milliseconds since
   * 1970. Undefined: its pod exists or is still to be created.
   */
  lostAt(claim: KubeObject): number | undefined;
}

/**
 * Marks the claims of a pod before it is deleted, so that they are deleted with it even after a crash in between (OpenKruise
 * workloads, rule 6.4: whatever the setting for reuse).
 */
export function markClaims(
  view: ClaimsView,
  pod: Pod,
  { why, isScaleIn }: { why: string; isScaleIn: boolean },
): Action[] {
  const { uid = '', name } = pod.metadata;
  return claimsOf(view, idOf(view, pod)).flatMap((claim) => {
    const mark = markOn(claim);
    // A later version of the pod needs no other mark.
    if (mark?.podUid === uid && mark.isScaleIn === isScaleIn) return [];
    const annotations = { [DELETED_WITH_ANNOTATION]: markText(claim, pod, isScaleIn) };
    return [
      patchClaim(claim, 'mark claim for deletion', { annotations }, `is deleted with pod ${name}: ${why}`),
    ];
  });
}

/** Sets annotations on the claims with this id that do not have them yet. */
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
 * Whether a claim whose pod is gone is retained although it is marked: the pod was lost before all of its claims were
 * marked, or it was deleted by a scale-in and is wanted again.
 */
export function isRetainedDespiteMark(
  view: ClaimsView,
  claim: KubeObject,
  { retainsLost, isWanted }: Pick<ClaimRetention, 'retainsLost' | 'isWanted'>,
): boolean {
  const uid = deletedWithPod(claim);
  if (uid === undefined || uid === '' || !retainsLost) return false;
  if ([...view.active, ...view.released].some(({ metadata }) => metadata.uid === uid)) return false;
  const id = idOf(view, claim);
  const all = claimsOf(view, id);
  if (all.some((each) => deletedWithPod(each) === undefined)) return true;
  if (!all.every(isScaledIn)) return false;
  return view.active.some((pod) => idOf(view, pod) === id) || isWanted(id);
}

/**
 * Collects the claims whose pod is gone (OpenKruise workloads, rule 6.7): marked ones are deleted, and if claims of lost pods
 * are not retained, all others, too. Marked claims of a pod that stays are unmarked.
 *
 * @param leaving uids of the pods that this decision deletes, or will delete once their claims are marked
 * @returns the actions, and when to reconcile again even if nothing changes, milliseconds since 1970
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
    if (uid !== undefined && !there.has(uid) && isRetainedDespiteMark(view, claim, retention)) {
      if (!isScaledIn(claim) || view.active.some((pod) => idOf(view, pod) === id))
        actions.push(unmark(claim, 'its pod was not deleted by the runtime, or is wanted again'));
    } else if (uid !== undefined && !there.has(uid)) {
      actions.push(deleteClaim(claim, 'its pod was deleted for good'));
    } else if (uid !== undefined && !leaving.has(uid) && !released.has(uid) && isMarkObserved(view, claim)) {
      actions.push(unmark(claim, 'its pod stays'));
    } else if (uid === undefined && !retention.retainsLost) {
      const lostAt = retention.lostAt(claim);
      if (lostAt === undefined) continue;
      if (lostAt <= now) actions.push(deleteClaim(claim, 'its pod is gone, and claims are not reused'));
      else requeueAt = Math.min(lostAt, requeueAt ?? lostAt);
    }
  }
  return { actions, requeueAt };
}

/**
 * Whether the view shows the pod of a marked claim as it was when that was decided, or later. A view that is older does not
 * show yet why the pod goes: without its mark, the claim would stay for a successor with other claims.
 */
function isMarkObserved({ active }: ClaimsView, claim: KubeObject): boolean {
  const mark = markOn(claim);
  const pod = active.find(({ metadata }) => metadata.uid === mark?.podUid);
  return !(Number(pod?.metadata.resourceVersion) < (mark?.podVersion ?? NaN));
}

/** Releases the claims of a released pod: they stay with it, and keep their data. */
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
