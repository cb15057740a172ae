import type { KubeObject } from '../../schemas/wire/object.ts';
import { type LeftInSubsets, parseLeft } from '../children/left-records.ts';
import { recordedShares, type ShareRecords } from '../children/share-records.ts';
import { type ChildCounts, childRow } from '../children/share-rows.ts';
import { SHARE_ANNOTATION } from '../children/shares.ts';
import { SUBSET_LABEL } from '../children/subset-keys.ts';
import type { Resource } from '../../schemas/wire/cluster.ts';
import type { ObservedObjects } from '../kinds/kind.ts';
import { groupKindOf } from '../owner.ts';
import type { ChildRow } from '../plan/units.ts';
import {
  type History,
  parseRevisions,
  RETAINED_ANNOTATION,
  type RetainedUnits,
  revisionOf,
  stableRevision,
} from '../revision/revision.ts';
import { templateHash } from '../template/canonical.ts';
import { UnfitPatch } from '../template/strategic-merge.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { numberOf, objectOf } from '../values/read.ts';
import { allocate } from './allocate.ts';
import { childInGit, childName, sizeOf } from './child.ts';
import type { ChildKind, ChildSettings } from './child-kind.ts';
import { childKindOf } from './child-kinds.ts';
import { type NormalUnited, normalizeUnited, splitOf, type Subset } from './normalize.ts';
import { NOTHING_THERE } from './ranges.ts';
import {
  childOfSubset,
  isOfOpenKruise,
  type OfOpenKruise,
  readOpenKruise,
  subsetOfChild,
} from './of-openkruise.ts';
import { countingOnly, rowOfCounting } from './reserved-parts.ts';
import { judgeReserving } from './reserved-pods.ts';
import { type Judging, judgeSubset, NONE_RESERVED, type Schedulable } from './schedulable.ts';
import { keepsSizeUntil } from './size-record.ts';
import { subsetTemplate } from './subset-template.ts';

/** A child, or one that is to be. */
export interface Member {
  subset: Subset;
  name: string;
  object: KubeObject | undefined;
  row: ChildRow;
  /** Its subset is no more: it empties before it goes. */
  isRemoved: boolean;
  /** Whether its pods get nodes; undefined: that does not matter, as they wait for them. */
  schedulable: Schedulable | undefined;
  /** So many pods it is to have beyond those of its row, as others stand in for them. */
  reserved: number;
  /** Others change its size again and again: until when it has theirs, milliseconds since 1970. Undefined: it has its own. */
  resizedUntil: number | undefined;
}

/** A UnitedDeployment at one moment. */
export interface UnitedView extends History {
  spec: NormalUnited;
  /** The kind of its children. */
  kind: ChildKind;
  /** What the template says of each child. */
  child: ChildSettings;
  /** Those of its subsets in their order, and then those of subsets that are no more. */
  members: readonly Member[];
  records: ShareRecords;
  /** What bounds have left in the subsets, where it is still there. */
  left: LeftInSubsets;
  /** Children of which nothing is on record, as what was made them; undefined: there are none. */
  foreign: 'OpenKruise' | 'lost records' | undefined;
  /** Reads the revisions that OpenKruise has made. */
  ofOpenKruise: () => OfOpenKruise;
  /** Children of another kind that it has made: those of an earlier template. */
  ofOtherKinds: readonly KubeObject[];
  now: number;
}

export function unitedView({
  target,
  children = [],
  pods,
  revisions,
  takenNames,
  now,
}: ObservedObjects): UnitedView {
  const spec = normalizeUnited(target);
  const history = {
    target,
    spec,
    liveHash: templateHash(spec.template),
    revisions: parseRevisions(revisions.filter((each) => !isOfOpenKruise(each))),
  };
  const theirs = revisions.filter(isOfOpenKruise);
  const records = recordedShares(revisions);
  const stableObject = stableRevision(history);
  const stable = stableObject?.hash ?? history.liveHash;
  const left = parseLeft(stableObject?.object.metadata.annotations?.[RETAINED_ANNOTATION]);
  const kind = childKindOf(spec.field);
  const own = children.filter(isOf(kind.resource));
  const foreign = records.size === 0 ? foreignIn(children) : undefined;
  // Any object may name the target as its controller: only what is on record was made by it, or is adopted.
  const isKnown = ({ metadata: { name, labels } }: KubeObject): boolean =>
    records.has(name) || (foreign === 'OpenKruise' && labels?.[SUBSET_LABEL] !== undefined);
  const bySubset = new Map(spec.subsets.map(({ name }) => [name, childOfSubset(target, name, own, isKnown)]));
  const objectIn = (subset: string): KubeObject | undefined => bySubset.get(subset);
  const child = kind.settings(childInGit(target, spec));
  const { minReadySeconds } = child;
  const judged = judgeAll(spec, { target, kind, objectIn, pods, records, minReadySeconds, now });
  const allocation = allocate(splitOf(spec), spec.replicas, (name) => ({
    ...NOTHING_THERE,
    size: sizeOf(objectIn(name)),
    ...judged.get(name),
  }));
  const memberOf = (
    subset: Subset,
    object: KubeObject | undefined,
    allocated: number,
    reserved: number,
    isRemoved: boolean,
  ): Member => {
    const resizedUntil =
      object === undefined || isRemoved || reserved > 0 ? undefined : keepsSizeUntil(object, allocated, now);
    const size = resizedUntil === undefined ? allocated : sizeOf(object);
    const name = object?.metadata.name ?? childName(target, subset.name);
    const found = judged.get(subset.name);
    const known = {
      ...{ name, subset: subset.name, size: size - reserved, object, steps: kind.steps },
      failing: object && kind.failing(object),
      left: leftOf(
        left.get(subset.name),
        stable === history.liveHash ? (spec.partitions[subset.name] ?? 0) : 0,
      ),
      counts: countingOnly(countsOf(object, kind), found?.reserved ?? NONE_RESERVED),
    };
    const row = rowOfCounting(childRow(known, records, stable), reserved);
    const condition = size > sizeOf(object) ? found?.whileGrowing : undefined;
    const schedulable = found && { ...found, condition: condition ?? found.condition };
    return { subset, name, object, row, isRemoved, schedulable, reserved, resizedUntil };
  };
  // Where the sizes do not fit, each stays as it is.
  const present = spec.subsets.map((subset, index) => {
    const object = objectIn(subset.name);
    return 'fault' in allocation
      ? memberOf(subset, object, sizeOf(object), 0, false)
      : memberOf(subset, object, allocation.counts[index] ?? 0, allocation.reserved[index] ?? 0, false);
  });
  const names = new Set(present.map(({ name }) => name));
  const removed = own
    .filter((each) => !names.has(each.metadata.name) && isKnown(each))
    .map((each) => memberOf(unnamed(subsetOfChild(each) ?? each.metadata.name), each, 0, 0, true));
  return {
    ...history,
    kind,
    child,
    takenNames: new Set([...takenNames, ...theirs.map(({ metadata }) => metadata.name)]),
    members: [...present, ...removed],
    records,
    left: stillLeft(present),
    foreign,
    ofOpenKruise: () => readOpenKruise(target, theirs),
    ofOtherKinds: children.filter((each) => !own.includes(each) && isKnown(each)),
    now,
  };
}

/** What a bound has left in a subset: the partition of the manifest may keep more pods there by now. */
function leftOf(recorded: RetainedUnits | undefined, partition: number): RetainedUnits | undefined {
  return recorded && { hash: recorded.hash, n: Math.max(recorded.n, partition) };
}

/** What bounds have left in subsets: no more than they have pods. */
function stillLeft(members: readonly Member[]): LeftInSubsets {
  return new Map(
    members.flatMap(({ row: { subset, size, left } }) =>
      left === undefined || size === 0 || left.n === 0
        ? []
        : [[subset, { hash: left.hash, n: Math.min(left.n, size) }] as const],
    ),
  );
}

function isOf({ group, kind }: Resource): (object: KubeObject) => boolean {
  return (object) => {
    const own = groupKindOf(object);
    return own.group === group && own.kind === kind;
  };
}

/** Who has made the children of a target that has none on record. With a share it was the target, and its revisions are gone. */
function foreignIn(children: readonly KubeObject[]): UnitedView['foreign'] {
  if (children.some(({ metadata }) => metadata.annotations?.[SHARE_ANNOTATION] !== undefined))
    return 'lost records';
  const isMade = children.some(({ metadata }) => metadata.labels?.[SUBSET_LABEL] !== undefined);
  return isMade ? 'OpenKruise' : undefined;
}

/** A subset of which only the name is left. */
function unnamed(name: string): Subset {
  const none = { replicas: undefined, min: undefined, max: undefined, patch: undefined };
  return { name, ...none, expressions: [], tolerations: [] };
}

/** Judges each subset where that matters, by its name. */
function judgeAll({ subsets, adaptive }: NormalUnited, judging: Judging): ReadonlyMap<string, Schedulable> {
  if (adaptive === undefined) return new Map();
  const judge = adaptive.reserves ? judgeReserving : judgeSubset;
  return new Map(subsets.map(({ name }) => [name, judge(name, adaptive, judging)]));
}

function countsOf(object: KubeObject | undefined, { counts }: ChildKind): ChildCounts {
  const pods = numberOf(objectOf(object?.['status'])['replicas']) ?? 0;
  return { pods, ...(object === undefined ? NO_COUNTS : counts(object)) };
}

const NO_COUNTS = { available: 0, updated: 0, updatedAvailable: 0 };

/** The hash that a child has of a revision of its root; undefined: that revision has no object, or does not fit its subset. */
export function hashIn(view: UnitedView, member: Member, hash: string): string | undefined {
  const template = templateIn(view, member, hash);
  return template && templateHash(template);
}

/** The template that a child has of a revision of its root; undefined, as of `hashIn`. One that only empties keeps what it has. */
export function templateIn(
  view: UnitedView,
  { subset, object, isRemoved }: Member,
  hash: string,
): JsonObject | undefined {
  if (isRemoved) return objectOf(objectOf(object?.['spec'])['template']);
  const revision = revisionOf(view, hash);
  if (revision === undefined) return undefined;
  try {
    return subsetTemplate(revision.template, subset);
  } catch (error) {
    // The nodes of the subset have changed since: what fitted does not any more.
    if (error instanceof UnfitPatch) return undefined;
    throw error;
  }
}
