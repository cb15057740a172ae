import type { KubeObject } from '../../schemas/wire/object.ts';
import { nextRecords } from '../children/next-records.ts';
import type { ShareRecords } from '../children/share-records.ts';
import { SHARE_ANNOTATION, shareDigest, type WrittenShare } from '../children/shares.ts';
import type { Envelope } from '../plan/envelope.ts';
import { OWN_STABLE, type SharedPart } from '../plan/share.ts';
import { templateHash } from '../template/canonical.ts';
import { objectOf } from '../values/read.ts';
import { rootRevisionOf } from './of-openkruise.ts';
import type { Member, UnitedView } from './view.ts';

/*
 * How children that OpenKruise has made are taken over: first all of them are on record, each with its template, and then each gets a share
 * that leaves it as it is. It keeps its name, and its template until a rollout takes it to another one, so that no pod restarts.
 */

/** What is on record of a child before it has a share: that it is adopted with this template. */
export function adoptionText(child: KubeObject): string {
  return `adopted with ${templateHash(objectOf(objectOf(child['spec'])['template']))}`;
}

/** The records by which the children that are there are adopted. */
export function adoptionRecords({ members }: UnitedView): ShareRecords {
  const each = members.flatMap(({ name, object }) =>
    object === undefined ? [] : [{ name, text: adoptionText(object) }],
  );
  return nextRecords([], each).records;
}

/** Whether a child has no share yet, and is on record as one that is adopted as it is. */
export function isAdopted(child: KubeObject, records: ShareRecords): boolean {
  const { name, annotations } = child.metadata;
  return (
    annotations?.[SHARE_ANNOTATION] === undefined &&
    records.get(name)?.includes(shareDigest(adoptionText(child))) === true
  );
}

/**
 * The first share of a child that is adopted: its pods stay where they are. Those that OpenKruise has updated already stay on the new
 * revision, and are as many as may be there. The others are on the revision that the child itself calls stable.
 */
export function firstShare(
  view: UnitedView,
  { object, row }: Member & { object: KubeObject },
  { size, share }: SharedPart,
  stable: string,
): WrittenShare {
  const own = templateHash(objectOf(objectOf(object['spec'])['template']));
  const isBehind = stable !== view.liveHash && rootRevisionOf(object, view.ofOpenKruise()) === view.liveHash;
  const allowed =
    isBehind && row.steps === 'partly' ? Math.min(view.kind.counts(object).updated, size) : size;
  return {
    share: {
      ...{ goal: own, stable: isBehind ? OWN_STABLE : own, allowed },
      ...{ moving: false, window: {}, mode: share.mode },
    },
    root: {
      goal: isBehind ? view.liveHash : stable,
      ...{ stable, before: undefined, since: object.metadata.generation ?? 0, atMost: allowed },
    },
  };
}

/**
 * The share of a child that OpenKruise has begun to update, while no rollout takes it on or back: what has been updated stays. Undefined:
 * it gets another one.
 */
export function shareAsItIs(
  before: WrittenShare | undefined,
  { size, share }: SharedPart,
  { moving }: Pick<Envelope, 'moving'>,
): WrittenShare | undefined {
  if (before?.share.stable !== OWN_STABLE || before.root.goal === share.goal || moving) return undefined;
  const allowed = Math.min(before.share.allowed, size);
  return { ...before, share: { ...before.share, allowed, moving: false, window: {} } };
}
