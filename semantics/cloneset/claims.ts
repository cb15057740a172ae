import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Action, CreateAction } from '../decision.ts';
import { controllerReference } from '../owner.ts';
import { carriedOver } from '../pod/reserved-keys.ts';
import { INSTANCE_ID_LABEL, type Pod } from '../pod/types.ts';
import { CLAIM_TEMPLATES_ANNOTATION, type Revision } from '../revision/revision.ts';
import { isCountSeen, numberOf, POD_NUMBER_ANNOTATION, podsCreated } from './counter.ts';
import type { CloneSetView } from './view.ts';

/**
 * On a claim: the uid of the pod that is deleted together with it, the claim's own uid, and `scale-in` where that is why.
 * Written before that pod is deleted, so that no end is left open. Nobody knows the uid of a claim before it is made: a note
 * that names it does not come from a claim template, and another one is not believed. OpenKruise, which makes claims with all
 * annotations of their template, keeps no record of templates that it had before.
 */
export const GOES_WITH_ANNOTATION = 'plan.kruise.io/goes-with';
/** What OpenKruise notes on a revision of a CloneSet that has claims. */
const OPENKRUISE_CLAIMS_ANNOTATION = 'kruise.io/cloneset-volumeclaimtemplate-hash';

/** A claim this young may be one whose pod is not seen yet, where nothing proves that the pod is gone. */
const SETTLED_MS = 60_000;

/** Whether pods of the target have claims of their own, now or by what its revisions remember. */
export function hasClaims(target: KubeObject, revisions: readonly KubeObject[]): boolean {
  const { volumeClaimTemplates: templates } = (target['spec'] ?? {}) as JsonObject;
  if (Array.isArray(templates) && templates.length > 0) return true;
  return revisions.some(({ metadata: { annotations = {} } }) =>
    Boolean(annotations[CLAIM_TEMPLATES_ANNOTATION] || annotations[OPENKRUISE_CLAIMS_ANNOTATION]),
  );
}

/** A claim down to what the rules read of it: not what it asks for, nor what it got. */
export function projectClaim({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  const { managedFields: _bookkeeping, ...kept } = metadata;
  return { apiVersion, kind, metadata: kept };
}

/**
 * The claim templates of a pod of this revision: those last seen beside its template. Where none are on record it had none,
 * or was left by OpenKruise: of the live ones, then, those that it cannot do without.
 */
export function claimTemplatesOf(view: CloneSetView, revision: Revision): readonly JsonObject[] {
  if (revision.claimTemplates !== undefined) return revision.claimTemplates;
  const live = view.spec.volumeClaimTemplates;
  if (revision.object.metadata.annotations?.[OPENKRUISE_CLAIMS_ANNOTATION]) return live;
  return live.filter((template) => lacksVolume(revision.template, templateName(template)));
}

/** A container of the template mounts a volume of this name, and the template has none. */
function lacksVolume(template: JsonObject, volume: string): boolean {
  const isNamed = ({ name }: JsonObject): boolean => name === volume;
  const named = (object: JsonObject, list: string): JsonObject[] => (object[list] ?? []) as JsonObject[];
  const spec = (template['spec'] ?? {}) as JsonObject;
  const mounts = ['containers', 'initContainers']
    .flatMap((list) => named(spec, list))
    .flatMap((container) => [...named(container, 'volumeMounts'), ...named(container, 'volumeDevices')]);
  return mounts.some(isNamed) && !named(spec, 'volumes').some(isNamed);
}

export function idOfClaim(claim: KubeObject): string {
  return claim.metadata.labels?.[INSTANCE_ID_LABEL] ?? '';
}

/** `<template>-<cloneset>-<id>` (OpenKruise cloneset, section 5). */
function claimName(view: CloneSetView, template: JsonObject, id: string): string {
  return `${templateName(template)}-${view.target.metadata.name}-${id}`;
}

function templateName(template: JsonObject): string {
  const name = (template['metadata'] as JsonObject | undefined)?.['name'];
  return typeof name === 'string' ? name : '';
}

/** The volumes of a pod with claims: each stands for a volume of the template that has the same name. */
export function volumesWithClaims(
  view: CloneSetView,
  templates: readonly JsonObject[],
  volumes: readonly JsonObject[],
  id: string,
): JsonObject[] {
  const own = templates.map((template) => ({
    name: templateName(template),
    persistentVolumeClaim: { claimName: claimName(view, template, id) },
  }));
  const names = new Set(own.map(({ name }) => name));
  return [...own, ...volumes.filter(({ name }) => !names.has(name as string))];
}

/** Makes the claims of a pod that are not there yet, one after the other, and then the pod: it is not made without them. */
export function withMissingClaims(
  view: CloneSetView,
  revision: Revision,
  pod: CreateAction,
  identity: { n: number | undefined; id: string },
): CreateAction {
  const there = new Set(ofId(view, identity.id).map(({ metadata }) => metadata.name));
  const missing = claimTemplatesOf(view, revision).filter(
    (template) => !there.has(claimName(view, template, identity.id)),
  );
  return missing.reduceRight<CreateAction>(
    (next, template) => ({
      do: 'create',
      kind: 'PersistentVolumeClaim',
      verb: 'create claim',
      object: newClaim(view, template, identity),
      because: 'its pod needs it',
      next,
    }),
    pod,
  );
}

function newClaim(
  view: CloneSetView,
  template: JsonObject,
  { n, id }: { n: number | undefined; id: string },
): KubeObject {
  const { namespace } = view.target.metadata;
  const matchLabels = view.spec.selector.matchLabels ?? {};
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: claimName(view, template, id),
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...carriedOver(template, 'labels', 'claim'), ...matchLabels, [INSTANCE_ID_LABEL]: id },
      annotations: {
        ...carriedOver(template, 'annotations', 'claim'),
        ...(n === undefined ? {} : { [POD_NUMBER_ANNOTATION]: String(n) }),
      },
      ownerReferences: [controllerReference(view.target)],
    },
    spec: template['spec'] ?? {},
  };
}

/** The claims are as many as the pods, and are asked for by pod. */
const byId = new WeakMap<readonly KubeObject[], Map<string, KubeObject[]>>();

function ofId({ claims }: CloneSetView, id: string): readonly KubeObject[] {
  const index = byId.get(claims) ?? new Map<string, KubeObject[]>();
  if (!byId.has(claims)) {
    byId.set(claims, index);
    for (const claim of claims) {
      const group = index.get(idOfClaim(claim)) ?? [];
      group.push(claim);
      index.set(idOfClaim(claim), group);
    }
  }
  return id === '' ? [] : (index.get(id) ?? []);
}

/** The claims that are there of the pod with this id. */
export function claimsOf(view: CloneSetView, id: string): KubeObject[] {
  return ofId(view, id).filter((claim) => !isGoing(claim));
}

/**
 * What a new pod may take over: the claims of pods that went by themselves, by id (OpenKruise cloneset, rule 6.7), and
 * those whose pod was never made, or every refusal of it would leave some more.
 */
export function freeIds(view: CloneSetView): string[] {
  if (!view.spec.reuseClaims) {
    const ids = view.claims.filter((claim) => neverHadPod(view, claim)).map(idOfClaim);
    return [...new Set(ids)].filter((id) => waitsForClaims(view, id) === undefined).sort();
  }
  const inUse = new Set(view.active.map(idOfPod));
  const ids = view.claims
    .filter((claim) => !isGoing(claim) && (goesWith(claim) === undefined || isLeftBehind(view, claim)))
    .map(idOfClaim)
    .filter((id) => id !== '' && !inUse.has(id));
  // What was to be scaled in comes last: the others were never to go.
  const isScaledIn = (id: string): number => (claimsOf(view, id).every(wasScaledIn) ? 1 : 0);
  return [...new Set(ids)].sort().sort((a, b) => isScaledIn(a) - isScaledIn(b));
}

/**
 * The pod that a claim was to go with is gone, and that is no reason to delete it: it went by itself, before all of its
 * claims were on record, or it was one too many and no longer is.
 */
function isLeftBehind(view: CloneSetView, claim: KubeObject): boolean {
  const uid = goesWith(claim);
  if (uid === undefined || uid === '' || !view.spec.reuseClaims) return false;
  if ([...view.active, ...view.released].some(({ metadata }) => metadata.uid === uid)) return false;
  const all = claimsOf(view, idOfClaim(claim));
  if (all.some((each) => goesWith(each) === undefined)) return true;
  if (!all.every(wasScaledIn)) return false;
  const isTakenOver = view.active.some((pod) => idOfPod(pod) === idOfClaim(claim));
  return isTakenOver || view.active.length < view.spec.replicas;
}

/** A claim of this id that is being deleted, whose name a pod of that id would need. */
export function waitsForClaims(view: CloneSetView, id: string): KubeObject | undefined {
  return ofId(view, id).find(isGoing);
}

export function idOfPod(pod: Pod): string {
  return pod.metadata.labels?.[INSTANCE_ID_LABEL] ?? '';
}

function isGoing(claim: KubeObject): boolean {
  return claim.metadata.deletionTimestamp !== undefined;
}

const SCALE_IN = 'scale-in';

/** The form that `noteOn` reads: `<uid of the pod> <uid of the claim>`, and why. */
function noteFor(claim: KubeObject, podUid: string, forGood: boolean): string {
  const words = [podUid, claim.metadata.uid ?? '', ...(forGood ? [] : [SCALE_IN])];
  return words.join(' ');
}

function noteOn({ metadata }: KubeObject): { podUid: string; why: string | undefined } | undefined {
  const [podUid, claimUid, why] = metadata.annotations?.[GOES_WITH_ANNOTATION]?.split(' ') ?? [];
  return podUid === undefined || claimUid !== metadata.uid ? undefined : { podUid, why };
}

function goesWith(claim: KubeObject): string | undefined {
  return noteOn(claim)?.podUid;
}

function wasScaledIn(claim: KubeObject): boolean {
  return noteOn(claim)?.why === SCALE_IN;
}

/**
 * What comes before a pod is deleted here: it is put on record that its claims go with it, so that they do, whatever
 * happens to this process in between (OpenKruise cloneset, rule 6.4: with the pod, whatever the setting of reuse).
 */
export function condemnClaims(
  view: CloneSetView,
  pod: Pod,
  { why, forGood }: { why: string; forGood: boolean },
): Action[] {
  const note = (claim: KubeObject): string => noteFor(claim, pod.metadata.uid ?? '', forGood);
  return claimsOf(view, idOfPod(pod))
    .filter((claim) => claim.metadata.annotations?.[GOES_WITH_ANNOTATION] !== note(claim))
    .map((claim) =>
      patchClaim(
        claim,
        'condemn claim',
        { annotations: { [GOES_WITH_ANNOTATION]: note(claim) } },
        `goes with pod ${pod.metadata.name}: ${why}`,
      ),
    );
}

/**
 * Claims whose pod is gone (OpenKruise cloneset, rule 6.7): those that go with it are deleted, and, where claims are not
 * taken over, those of every pod that is there no more. What was condemned with a pod that stays is spared.
 *
 * @param leaving uids of the pods that this look deletes, or would if all were on record
 * @returns and when to look again though nothing has changed
 */
export function sweepClaims(
  view: CloneSetView,
  leaving: ReadonlySet<string>,
  now: number,
): { actions: Action[]; lookAgainAt: number | undefined } {
  const actions: Action[] = [];
  let lookAgainAt: number | undefined;
  if (view.claims.length === 0) return { actions, lookAgainAt };
  const there = new Set([...view.active, ...view.released].map(({ metadata }) => metadata.uid ?? ''));
  const released = new Set(view.released.map(({ metadata }) => metadata.uid ?? ''));
  for (const claim of view.claims) {
    if (isGoing(claim) || idOfClaim(claim) === '') continue;
    const uid = goesWith(claim);
    if (uid !== undefined && !there.has(uid) && isLeftBehind(view, claim)) {
      const id = idOfClaim(claim);
      const spared = { annotations: { [GOES_WITH_ANNOTATION]: null } };
      if (!wasScaledIn(claim) || view.active.some((pod) => idOfPod(pod) === id))
        actions.push(
          patchClaim(claim, 'spare claim', spared, 'its pod was not deleted here, or is wanted again'),
        );
    } else if (uid !== undefined && !there.has(uid)) {
      actions.push(deleteClaim(claim, 'its pod was deleted for good'));
    } else if (uid !== undefined && !leaving.has(uid) && !released.has(uid)) {
      const spared = { annotations: { [GOES_WITH_ANNOTATION]: null } };
      actions.push(patchClaim(claim, 'spare claim', spared, 'its pod stays'));
    } else if (uid === undefined && !view.spec.reuseClaims && lostItsPod(view, claim)) {
      const settled = (Date.parse(claim.metadata.creationTimestamp ?? '') || 0) + SETTLED_MS;
      if (settled <= now || isCountSeen(view, numberOf(claim)))
        actions.push(deleteClaim(claim, 'its pod is gone and claims are not taken over'));
      else lookAgainAt = Math.min(settled, lookAgainAt ?? settled);
    }
  }
  return { actions, lookAgainAt };
}

function lostItsPod(view: CloneSetView, claim: KubeObject): boolean {
  return !hasPod(view, claim) && !neverHadPod(view, claim);
}

/** No pod of that id was counted, as each is in the look after it was made. */
function neverHadPod(view: CloneSetView, claim: KubeObject): boolean {
  return numberOf(claim) >= podsCreated(view) && !isGoing(claim);
}

/** A pod of that id is there, in whatever state: its claims are waited for by nobody else. */
export function hasPod(view: CloneSetView, claim: KubeObject): boolean {
  return view.podNames.has(`${view.target.metadata.name}-${idOfClaim(claim)}`);
}

/** The claims of a pod that is let go stay with it: they are nobody's any more, and keep their data. */
export function releaseClaims(view: CloneSetView, pod: Pod): Action[] {
  return claimsOf(view, idOfPod(pod)).map((claim) =>
    patchClaim(
      claim,
      'release claim',
      {
        annotations: { [GOES_WITH_ANNOTATION]: null },
        ownerReferences: [{ $patch: 'delete', uid: view.target.metadata.uid ?? '' }],
      },
      `it stays with pod ${pod.metadata.name}, whose labels no longer match the selector`,
    ),
  );
}

function patchClaim(claim: KubeObject, verb: string, metadata: JsonObject, because: string): Action {
  const { name, uid = '', resourceVersion = '' } = claim.metadata;
  const body = { metadata: { uid, resourceVersion, ...metadata } };
  return { do: 'patch', kind: 'PersistentVolumeClaim', verb, name, body, because };
}

function deleteClaim(claim: KubeObject, because: string): Action {
  const { name, uid = '', resourceVersion = '' } = claim.metadata;
  return {
    do: 'delete',
    kind: 'PersistentVolumeClaim',
    verb: 'delete claim',
    name,
    uid,
    resourceVersion,
    because,
  };
}
