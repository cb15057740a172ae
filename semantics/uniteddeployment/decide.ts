import { nextRecords } from '../children/next-records.ts';
import { nextShare } from '../children/next-share.ts';
import { recordShares } from '../children/share-records.ts';
import { ownShare } from '../children/share-rows.ts';
import { SHARE_ANNOTATION, shareText, type WrittenShare } from '../children/shares.ts';
import { SIZE_ANNOTATION } from '../children/subset-keys.ts';
import type { Action, Decision, Explanation } from '../decision.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { TargetLimits } from '../limits/target-limits.ts';
import { controllerReference } from '../owner.ts';
import type { Envelope } from '../plan/envelope.ts';
import type { SharedPart } from '../plan/share.ts';
import { sharesOf } from '../plan/shares-of.ts';
import { revisionOf } from '../revision/revision.ts';
import { truncate } from '../revision/truncate.ts';
import { templateHash } from '../template/canonical.ts';
import { canonicalJson } from '../values/canonical-json.ts';
import { numberOf, objectOf } from '../values/read.ts';
import { adoptionRecords, adoptionText, firstShare, isAdopted, shareAsItIs } from './adopt.ts';
import { childContent, specPatch } from './child.ts';
import { ownLimitsIn } from './limits.ts';
import { withoutLimitFor, withReserved } from './reserved-parts.ts';
import { NONE_RESERVED } from './schedulable.ts';
import { sizeText } from './size-record.ts';
import { resizedEvent, type UnitedStatus, unitedStatus } from './status.ts';
import { hashIn, type Member, templateIn, type UnitedView } from './view.ts';

/** What a child is to be. */
interface Wanted {
  member: Member;
  content: ReturnType<typeof childContent>;
  share: string;
}

/**
 * Makes each child as its share of the envelope says, once that is on record: template, partition and share in one write, so that no
 * child ever has a template without its bound (OpenKruise uniteddeployment, rules 6.6 and 6.7).
 *
 * @param keep hashes of revisions that a plan may lead to
 */
export function decideUnited(
  view: UnitedView,
  envelope: Envelope,
  held: { reason: string; message: string } | undefined,
  { limits, keep }: { limits: TargetLimits; keep: ReadonlySet<string> },
): Decision<UnitedStatus> {
  const explanations: Explanation[] = view.members.flatMap(fullness);
  const labels = view.members.flatMap(({ schedulable }) => schedulable?.labels ?? []);
  const actions = envelope.touch ? [...labels, ...actionsOf(view, envelope, limits, explanations)] : [];
  // What a child is on is known by its share, and the way to it, too.
  const inUse = (): ReadonlySet<string> =>
    new Set(
      view.members.flatMap(({ object, row }) => {
        const { goal, stable, before } = (object && ownShare(object, view.records)?.root) ?? {};
        return [
          goal,
          stable,
          row.isObserved ? undefined : before,
          ...row.pods.map(({ hash }) => hash),
        ].filter((hash) => hash !== undefined);
      }),
    );
  const limit = view.spec.revisionHistoryLimit;
  if (envelope.touch && actions.length === 0) actions.push(...truncate(view, { limit, keep, inUse }));
  const again = view.members
    .flatMap(({ schedulable, resizedUntil }) => [schedulable?.again, resizedUntil])
    .filter((at) => at !== undefined);
  const failed = resizedEvent(view);
  return {
    actions,
    explanations,
    status: unitedStatus(view, held),
    ...(failed !== undefined && { events: [failed] }),
    ...(again.length > 0 && { requeueAt: Math.min(...again) }),
  };
}

/** Says of a subset that it gets no more pods, or that others stand in for some, if that is so. */
function fullness({ name, schedulable, reserved }: Member): Explanation[] {
  const message = schedulable?.isFull === true ? schedulable.condition?.message : undefined;
  if (message === undefined) return [];
  const what =
    reserved === 0 ? 'it gets no more pods for a while' : `others stand in for ${reserved} of its pods`;
  return [{ about: name, reason: `${what}: ${message}` }];
}

function actionsOf(
  view: UnitedView,
  envelope: Envelope,
  limits: TargetLimits,
  explanations: Explanation[],
): Action[] {
  const holder = revisionOf(view, view.liveHash);
  if (holder === undefined) return [];
  if (view.foreign !== undefined) return recordShares(view.revisions, holder, adoptionRecords(view));
  const parts = sharesOf(
    { ...envelope, moving: envelope.moving && !view.child.paused },
    limits.lower(envelope.window),
    view.members.map(({ row }) => row),
    ownLimitsIn(view),
  );
  const wanted = view.members.flatMap((member) => {
    const part = parts.get(member.name);
    return (
      (part &&
        wantedOf(view, member, partWithReserved(view, member, part, envelope), envelope, explanations)) ??
      []
    );
  });
  const standing = view.members.flatMap(({ name, object }) => {
    if (object === undefined) return [];
    if (isAdopted(object, view.records)) return [{ name, text: adoptionText(object) }];
    const text = object.metadata.annotations?.[SHARE_ANNOTATION];
    return text !== undefined && ownShare(object, view.records) !== undefined ? [{ name, text }] : [];
  });
  const next = nextRecords(
    standing,
    wanted.map(({ member: { name }, share }) => ({ name, text: share })),
  );
  const recorded = recordShares(view.revisions, holder, next.records);
  if (recorded.length > 0) return recorded;
  return wanted
    .filter(({ member }) => next.fitting.has(member.name))
    .flatMap((each) => writeOf(view, each) ?? []);
}

/**
 * What a child is to be by its part; undefined: it stays as it is. One that does not exist is made on the stable template, so that it has
 * that revision to go on with.
 */
function wantedOf(
  view: UnitedView,
  member: Member,
  part: SharedPart,
  envelope: Envelope,
  explanations: Explanation[],
): Wanted | undefined {
  const { stable, mode } = envelope;
  const { object, name } = member;
  const before = object && ownShare(object, view.records);
  const share =
    object === undefined
      ? { goal: stable, stable, allowed: part.size, moving: false, window: {}, mode }
      : part.share;
  const asItIs =
    object !== undefined && isAdopted(object, view.records)
      ? firstShare(view, { ...member, object }, part, envelope.stable)
      : shareAsItIs(before, part, envelope);
  if (asItIs !== undefined) return keptOf(view, member, part.size, asItIs);
  // What only empties has the template that it has, whoever wrote it.
  const kept = member.isRemoved ? undefined : keptTemplate(view, member, before, share.goal);
  if (kept !== undefined) {
    const what = 'its subset has other nodes or tolerations by now, or OpenKruise has made it';
    explanations.push({ about: name, reason: `${what}, which takes another template: its pods stay` });
    // Others have changed its template as well, so that nobody has the one that it is to keep.
    const { unfilled } = view.kind;
    const written = templateIn(view, member, share.goal);
    const hashes = [kept, unfilled(kept, written)].map(templateHash);
    if (before === undefined || !hashes.includes(before.share.goal)) return undefined;
  }
  // What it is on now may be of other nodes: lost pods come back there.
  const known = new Map(
    before && [
      [before.root.stable, before.share.stable],
      [before.root.goal, before.share.goal],
    ],
  );
  const written = nextShare(object, before, share, (hash) =>
    hash === share.goal && kept === undefined
      ? hashIn(view, member, hash)
      : (known.get(hash) ?? hashIn(view, member, hash)),
  );
  const template = kept ?? templateIn(view, member, share.goal);
  if (written === undefined || template === undefined) return undefined;
  return wantedWith(view, member, part.size, written, template);
}

/** A child that keeps the template that it has; undefined: others have changed that since. */
function keptOf(view: UnitedView, member: Member, size: number, written: WrittenShare): Wanted | undefined {
  const template = objectOf(objectOf(member.object?.['spec'])['template']);
  return templateHash(template) === written.share.goal
    ? wantedWith(view, member, size, written, template)
    : undefined;
}

function wantedWith(
  view: UnitedView,
  member: Member,
  size: number,
  written: WrittenShare,
  template: JsonObject,
): Wanted {
  const { subset } = member;
  const patches = objectOf(revisionOf(view, written.root.goal)?.template['patches']);
  const content = childContent(view.spec, {
    subset: subset.name,
    size,
    partition: size - written.share.allowed,
    template,
    patch: Object.hasOwn(patches, subset.name) ? objectOf(patches[subset.name]) : undefined,
  });
  const spec = withoutLimitFor(content.spec, downOf(member), view.kind);
  return { member, content: { ...content, spec }, share: shareText(written) };
}

/** The part of a child with the pods that others stand in for. */
function partWithReserved(
  view: UnitedView,
  member: Member,
  part: SharedPart,
  envelope: Envelope,
): SharedPart {
  const { schedulable, reserved: size, row } = member;
  const { reserved } = schedulable ?? { reserved: NONE_RESERVED };
  if (size === 0 && reserved.pods === 0) return part;
  const given = member.object && ownShare(member.object, view.records)?.root.goal;
  const away = given === part.share.goal ? reserved.pods - reserved.updated : reserved.pods;
  const unavailable = row.size - row.pods.reduce((sum, { available }) => sum + available, 0);
  return withReserved(part, { size, down: downOf(member), away }, envelope, Math.max(unavailable, 0));
}

/** How many pods of a child that others stand in for are not available. */
function downOf({ schedulable }: Member): number {
  const { pods, available } = schedulable?.reserved ?? NONE_RESERVED;
  return pods - available;
}

/**
 * The template that a child keeps, whatever its subset has now; undefined: it has the one of its revision. The nodes of a subset are no
 * part of a revision: others would update its pods without a plan. Its size follows all the same, as pods that another subset loses
 * must have a place.
 */
function keptTemplate(
  view: UnitedView,
  member: Member,
  before: WrittenShare | undefined,
  goal: string,
): JsonObject | undefined {
  if (before?.root.goal !== goal || before.share.goal === hashIn(view, member, goal)) return undefined;
  return objectOf(objectOf(member.object?.['spec'])['template']);
}

function writeOf(
  { target, kind: own, now }: UnitedView,
  { member, content, share }: Wanted,
): Action | undefined {
  const { name, object, row, isRemoved, subset } = member;
  const { namespace = '' } = target.metadata;
  const spec = object && specPatch(objectOf(object['spec']), content.spec, own);
  const isResized = object === undefined || spec?.['replicas'] !== undefined;
  const annotations = {
    ...content.annotations,
    [SHARE_ANNOTATION]: share,
    ...(isResized && { [SIZE_ANNOTATION]: sizeText(object, numberOf(content.spec['replicas']) ?? 0, now) }),
  } as Record<string, string>;
  const labels = content.labels as Record<string, string>;
  const { resource } = own;
  const child = { kind: 'Child', resource } as const;
  if (object === undefined) {
    const { group, version, kind } = resource;
    const made: KubeObject = {
      apiVersion: `${group}/${version}`,
      kind,
      metadata: { name, namespace, labels, annotations, ownerReferences: [controllerReference(target)] },
      spec: content.spec,
    };
    const message = `created ${kind} ${name} for subset ${subset.name}`;
    const event = { type: 'Normal', reason: 'SuccessfulUpdateSubset', message } as const;
    return {
      ...child,
      do: 'create',
      verb: 'create child',
      object: made,
      event,
      reason: 'its subset has none',
    };
  }
  if (object.metadata.deletionTimestamp !== undefined) return undefined;
  const { uid = '', resourceVersion = '' } = object.metadata;
  if (isRemoved && row.isObserved && row.pods.length === 0)
    return {
      ...{ ...child, do: 'delete', verb: 'delete child', name, uid, resourceVersion },
      reason: 'its subset is no more, and it is empty',
    };
  const metadata = {
    ...metadataPatch(object.metadata.labels, labels, 'labels'),
    ...metadataPatch(object.metadata.annotations, annotations, 'annotations'),
  };
  if (spec === undefined && Object.keys(metadata).length === 0) return undefined;
  const body: JsonObject = {
    metadata: { uid, resourceVersion, ...metadata },
    ...(spec !== undefined && { spec }),
  };
  return { ...child, do: 'patch', verb: 'update child', name, body, reason: 'its subset is to be otherwise' };
}

/** What is missing of these keys. Others stay, as in OpenKruise: users and webhooks may have added them. */
function metadataPatch(
  now: Readonly<Record<string, string>> | undefined,
  wanted: Readonly<Record<string, string>>,
  section: 'labels' | 'annotations',
): JsonObject {
  const missing = Object.entries(wanted).filter(([key, value]) => now?.[key] !== value);
  return canonicalJson(missing) === '[]' ? {} : { [section]: Object.fromEntries(missing) };
}
