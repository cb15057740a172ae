import type { JsonObject } from '../../../schemas/wire/json.ts';
import { nextRecords } from '../../../semantics/children/next-records.ts';
import { nextShare } from '../../../semantics/children/next-share.ts';
import { recordShares } from '../../../semantics/children/share-records.ts';
import { ownShare } from '../../../semantics/children/share-rows.ts';
import { SHARE_ANNOTATION, shareText } from '../../../semantics/children/shares.ts';
import { heldCondition, timed } from '../../../semantics/conditions/times.ts';
import type { Action, Decision } from '../../../semantics/decision.ts';
import type { TargetLimits } from '../../../semantics/limits/target-limits.ts';
import { controllerReference } from '../../../semantics/owner.ts';
import type { Envelope } from '../../../semantics/plan/envelope.ts';
import type { SharedPart } from '../../../semantics/plan/share.ts';
import { sharesOf } from '../../../semantics/plan/shares-of.ts';
import type { ChildRow } from '../../../semantics/plan/units.ts';
import { revisionOf, stableRevision } from '../../../semantics/revision/revision.ts';
import { childSorts } from './child-sorts.ts';
import { type FleetView, hashIn, type Member, templateIn } from './view.ts';

/** What a rack is to be. */
interface Wanted {
  member: Member;
  spec: JsonObject;
  text: string;
}

/** Each rack is made as its share says, once that is on record. */
export function decide(
  fleet: FleetView,
  envelope: Envelope,
  held: { reason: string; message: string } | undefined,
  limits: TargetLimits,
): Decision<object> {
  return {
    actions: envelope.touch ? actionsOf(fleet, envelope, limits) : [],
    explanations: [],
    status: statusOf(fleet, held),
  };
}

function actionsOf(fleet: FleetView, envelope: Envelope, limits: TargetLimits): Action[] {
  const parts = sharesOf(
    { ...envelope, moving: envelope.moving && !fleet.spec.paused },
    limits.lower(envelope.window),
    fleet.members.map(({ row }) => row),
    () => ({}),
  );
  const wanted = fleet.members.flatMap(
    (member) => wantedOf(fleet, member, parts.get(member.name), envelope) ?? [],
  );
  const holder = revisionOf(fleet, fleet.liveHash);
  if (holder === undefined) return [];
  const standing = fleet.members.flatMap(({ name, object }) => {
    const text = object?.metadata.annotations?.[SHARE_ANNOTATION];
    const isOwn = object !== undefined && ownShare(object, fleet.records) !== undefined;
    return isOwn && text !== undefined ? [{ name, text }] : [];
  });
  const next = nextRecords(
    standing,
    wanted.map(({ member: { name }, text }) => ({ name, text })),
  );
  const recorded = recordShares(fleet.revisions, holder, next.records);
  if (recorded.length > 0) return recorded;
  return wanted.filter(({ member }) => next.fitting.has(member.name)).flatMap((each) => writeOf(fleet, each));
}

/**
 * What a rack is to be by its part. One that does not exist is made on the stable template, so that it has that revision to go on
 * with.
 */
function wantedOf(
  fleet: FleetView,
  member: Member,
  part: SharedPart | undefined,
  { stable, mode }: Envelope,
): Wanted | undefined {
  if (part === undefined) return undefined;
  const { subset, object } = member;
  const before = object && ownShare(object, fleet.records);
  const { size } = part;
  const share =
    object === undefined
      ? { goal: stable, stable, allowed: size, moving: false, window: {}, mode }
      : part.share;
  const written = nextShare(object, before, share, (hash) => hashIn(fleet, subset.name, hash));
  const template = templateIn(fleet, subset.name, share.goal);
  if (written === undefined || template === undefined) return undefined;
  return {
    member,
    text: shareText(written),
    spec: childSorts[fleet.spec.of].specOf({
      subset: subset.name,
      size,
      partition: size - share.allowed,
      template,
    }),
  };
}

/** One write makes its template, its partition and its share. */
function writeOf({ target, spec: { of } }: FleetView, { member, spec, text }: Wanted): Action[] {
  const { name, object, row, isRemoved } = member;
  const { resource } = childSorts[of].kind;
  const child = { kind: 'Child', resource } as const;
  const { namespace = '' } = target.metadata;
  const annotations = { [SHARE_ANNOTATION]: text };
  if (object === undefined) {
    const { group, version, kind } = resource;
    const metadata = { name, namespace, annotations, ownerReferences: [controllerReference(target)] };
    const made = { apiVersion: `${group}/${version}`, kind, metadata, spec };
    return [{ ...child, do: 'create', verb: 'make rack', object: made, reason: 'its subset has none' }];
  }
  const now = object['spec'] as JsonObject;
  const isThere = object.metadata.annotations?.[SHARE_ANNOTATION] === text && isWithin(spec, now);
  if (object.metadata.deletionTimestamp !== undefined) return [];
  const { uid = '', resourceVersion = '' } = object.metadata;
  if (isRemoved && row.isObserved && row.pods.length === 0) {
    const because = 'its subset is no more, and it is empty';
    return [{ ...child, do: 'delete', verb: 'delete rack', name, uid, resourceVersion, reason: because }];
  }
  if (isThere) return [];
  const body = { metadata: { uid, resourceVersion, annotations }, spec };
  return [{ ...child, do: 'patch', verb: 'give share', name, body, reason: 'its share is another' }];
}

/** Whether a value has all of another one; the server may have added to it. */
function isWithin(wanted: unknown, now: unknown): boolean {
  if (typeof wanted !== 'object' || wanted === null) return wanted === now;
  if (typeof now !== 'object' || now === null) return false;
  return Object.entries(wanted).every(([key, value]) => isWithin(value, (now as JsonObject)[key]));
}

function statusOf(fleet: FleetView, held: { reason: string; message: string } | undefined): object {
  const { target, members, liveHash, now } = fleet;
  const rows = members.map(({ row }) => row);
  const before = (target['status'] ?? {}) as { conditions?: [] };
  const [all, updated] = [countsIn(rows, () => true), countsIn(rows, (hash) => hash === liveHash)];
  return {
    observedGeneration: target.metadata.generation ?? 0,
    replicas: all.count,
    readyReplicas: all.available,
    availableReplicas: all.available,
    updatedReplicas: updated.count,
    updatedReadyReplicas: updated.available,
    updatedAvailableReplicas: updated.available,
    currentRevision: stableRevision(fleet)?.name ?? '',
    updateRevision: revisionOf(fleet, liveHash)?.name ?? '',
    conditions: timed([heldCondition(held)], before.conditions, now),
  };
}

function countsIn(
  rows: readonly ChildRow[],
  counts: (hash: string) => boolean,
): { count: number; available: number } {
  const pods = rows.flatMap((row) => row.pods).filter(({ hash }) => counts(hash));
  const sum = (of: 'count' | 'available'): number => pods.reduce((total, each) => total + each[of], 0);
  return { count: sum('count'), available: sum('available') };
}
