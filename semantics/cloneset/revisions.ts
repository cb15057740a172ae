import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Action } from '../decision.ts';
import { isAvailable } from '../pod/readiness.ts';
import { carriedOver } from '../pod/reserved-keys.ts';
import { revisionData, revisionHash, revisionName, truncatable } from '../revision/revisions.ts';
import { writtenTemplate } from '../revision/written-form.ts';
import { counterAfter } from '../values/counter.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { controllerReference } from '../owner.ts';
import { claimTemplatesNote } from './claims.ts';
import { knownCollisions } from './collisions.ts';
import { podsCreated } from './counter.ts';
import {
  CLAIM_TEMPLATES_ANNOTATION,
  type CloneSetView,
  COMPLETE_ANNOTATION,
  HELD_ANNOTATION,
  heldText,
  type Held,
  PODS_CREATED_ANNOTATION,
  type Revision,
  revisionOf,
  stableRevision,
} from './view.ts';

/**
 * What must be on record before anything else is decided: a revision for the live template, and which revision is the
 * stable one.
 *
 * - A template seen before re-uses its object with the highest number (OpenKruise inplace-update, rule 6.6); equal means
 *   equal in content, so what OpenKruise itself left is found whatever its name.
 * - The claim templates are no part of the template: the live revision notes those that are beside it now.
 * - First contact (no pod, no stable revision): stable is what git says (plan, section 4).
 * - Adoption (pods, but no stable revision): the revision named by `status.currentRevision`, else the one with most
 *   available pods, else the live one.
 */
export function revise(view: CloneSetView, now: number): Action[] {
  const stable = stableRevision(view);
  const live = revisionOf(view, view.liveHash);
  const firstContact = stable === undefined && view.podNames.size === 0;
  if (live === undefined) return [createRevision(view, firstContact)];

  const last = view.revisions.at(-1);
  if (last !== undefined && live.name !== last.name) {
    return [
      patchRevision(live, 'make newest', { revision: last.number + 1 }, 'its template is the live one again'),
    ];
  }
  const claims = claimTemplatesNote(view, live);
  if (claims !== undefined) {
    const why = 'the claim templates beside its template are new';
    return [annotate(live, 'record claim templates', { [CLAIM_TEMPLATES_ANNOTATION]: claims }, why)];
  }
  if (stable !== undefined) return [];
  const chosen = firstContact ? live : (adopted(view, now) ?? live);
  const why = firstContact
    ? 'no pod was ever made: what git says is stable'
    : 'adopts the pods that are here';
  return [annotate(chosen, 'mark stable', { [COMPLETE_ANNOTATION]: '1' }, why)];
}

/** Records that the target is wholly on `hash`, and how many pods a bound leaves behind: `stable` moves here, in one write. */
export function markComplete(view: CloneSetView, hash: string, held: Held | undefined): Action[] {
  const revision = revisionOf(view, hash);
  const stable = stableRevision(view);
  if (revision === undefined) return [];
  const heldNow = held === undefined ? null : heldText(held);
  const heldBefore = revision.held === undefined ? null : heldText(revision.held);
  if (stable?.name === revision.name && heldNow === heldBefore) return [];
  const counter =
    stable?.name === revision.name ? (stable.complete ?? 0) : counterAfter(stable?.complete ?? 0);
  const annotations = { [COMPLETE_ANNOTATION]: String(counter), [HELD_ANNOTATION]: heldNow };
  const why =
    held === undefined
      ? 'every wanted pod is on it and available'
      : `every pod that the bound allows is on it and available; ${held.n} stay where they are`;
  return [annotate(revision, 'mark stable', annotations, why)];
}

/** Moves the counter behind pod names past the pods that exist. */
export function countPods(view: CloneSetView, counter: number): Action {
  const revision = view.revisions.at(-1);
  if (revision === undefined) throw new Error('a CloneSet has its revision before it has pods');
  const why = 'so that the name of a lost pod is not used again';
  return annotate(revision, 'record pod count', { [PODS_CREATED_ANNOTATION]: String(counter) }, why);
}

/**
 * Deletes the oldest revisions beyond the history limit; none that a pod is on, or that a plan may lead to. What they
 * alone have on record of pod names is written elsewhere first.
 */
export function truncate(view: CloneSetView, keep: ReadonlySet<string>): Action[] {
  if (view.revisions.length <= view.spec.revisionHistoryLimit) return [];
  const inUse = new Set(view.active.map((pod) => view.hashOf(pod)));
  const live = new Set(
    view.revisions
      .filter((r) => keep.has(r.hash) || inUse.has(r.hash) || r.hash === view.liveHash)
      .map((r) => r.name),
  );
  const objects = view.revisions.map((r) => r.object);
  const old = truncatable(objects, live, view.spec.revisionHistoryLimit);
  // The counter lies on the revision that was the newest when a pod was last made, which may be one of these.
  const counter = podsCreated(view);
  if (podsCreated({ revisions: view.revisions.filter((r) => !old.includes(r.object)) }) < counter)
    return [countPods(view, counter)];
  return old.map((object) => ({
    do: 'delete',
    kind: 'ControllerRevision',
    verb: 'forget',
    name: object.metadata.name,
    uid: object.metadata.uid ?? '',
    resourceVersion: object.metadata.resourceVersion ?? '',
    because: `more than ${view.spec.revisionHistoryLimit} revisions out of use`,
  }));
}

function createRevision(view: CloneSetView, firstContact: boolean): Action {
  const { target, spec, revisions } = view;
  const data = revisionData(spec.template);
  const taken = new Set([...view.takenNames, ...revisions.map((r) => r.name)]);
  let collisions = knownCollisions(view) ?? 0;
  let shortHash = revisionHash(data, collisions);
  // A name taken by other content is a collision of 32 bits: count it into the hash and try again (rule 6.6 step 4).
  while (taken.has(revisionName(target.metadata.name, shortHash))) {
    collisions += 1;
    shortHash = revisionHash(data, collisions);
  }
  const namespace = target.metadata.namespace;
  const claims = claimTemplatesNote(view, undefined);
  const object: KubeObject = {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: revisionName(target.metadata.name, shortHash),
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...carriedOver(spec.template, 'labels', 'pod'), 'controller.kubernetes.io/hash': shortHash },
      annotations: {
        ...(firstContact ? { [COMPLETE_ANNOTATION]: '1' } : {}),
        ...(claims === undefined ? {} : { [CLAIM_TEMPLATES_ANNOTATION]: claims }),
      },
      ownerReferences: [controllerReference(target)],
    },
    // So that a manager of OpenKruise that comes back finds its own: it knows a revision by the bytes of its template.
    data: revisionData(writtenTemplate(spec.template)),
    revision: (revisions.at(-1)?.number ?? 0) + 1,
  };
  const because = firstContact
    ? 'first contact: what git says is stable'
    : 'the template of the target is new here';
  return { do: 'create', kind: 'ControllerRevision', verb: 'record revision', object, because };
}

function adopted(view: CloneSetView, now: number): Revision | undefined {
  const status = (view.target['status'] ?? {}) as JsonObject;
  const named = view.revisions.find((r) => r.name === status['currentRevision']);
  if (named !== undefined) return named;
  const available = new Map<string, number>();
  for (const pod of view.active) {
    const hash = view.hashOf(pod);
    if (hash === undefined || !isAvailable(pod, view.spec.minReadySeconds, now)) continue;
    available.set(hash, (available.get(hash) ?? 0) + 1);
  }
  // Ties go to the older revision: the one that has been trusted longer.
  const [best] = [...available].sort((a, b) => b[1] - a[1] || order(view, a[0]) - order(view, b[0]));
  return best === undefined ? undefined : revisionOf(view, best[0]);
}

function order(view: CloneSetView, hash: string): number {
  return view.revisions.findIndex((r) => r.hash === hash);
}

function annotate(
  revision: Revision,
  verb: string,
  annotations: Record<string, string | null>,
  because: string,
): Action {
  return patchRevision(revision, verb, { metadata: { annotations } }, because);
}

function patchRevision(revision: Revision, verb: string, body: JsonObject, because: string): Action {
  const { name, uid, resourceVersion } = revision.object.metadata;
  const metadata = {
    ...(body['metadata'] as JsonObject | undefined),
    uid: uid ?? '',
    resourceVersion: resourceVersion ?? '',
  };
  return { do: 'patch', kind: 'ControllerRevision', verb, name, body: { ...body, metadata }, because };
}
