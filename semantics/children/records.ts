import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Creator } from '../kinds/kind.ts';
import { controllerOf, isOwnedBy } from '../owner.ts';
import { templateHash } from '../template/canonical.ts';
import { objectOf } from '../values/read.ts';
import { remembered } from '../values/remembered.ts';
import { withoutDefaults } from './content.ts';
import { tickOf } from './tick.ts';
import { WAVES_ANNOTATION } from './waves.ts';

/**
 * The children that were created from a revision, by their times: `1767225660:0123…`. Anybody who may create an object may
 * name a schedule as its controller, so only what is on record needs no plan of its own. It is recorded before the child
 * is created, and stays while the child exists.
 */
export const CHILDREN_ANNOTATION = 'plan.kruise.io/children';

/** So many are on record, the newest: older ones begin on no further node. */
const MOST_CHILDREN = 1_000;
const HASH_PREFIX = 'h1:';

/** What children are, by the times that they were created for, milliseconds since 1970. */
export type ChildRecords = ReadonlyMap<number, string>;

/** Cached by object: observed objects are immutable. */
const digests = new WeakMap<KubeObject, string>();

/**
 * What a child runs, and how. Whether it is paused does not count: that lets nothing begin.
 *
 * @param defaults of its kind: what means the same in its spec as its absence
 */
export function childDigest(child: KubeObject, defaults: JsonObject): string {
  const digest = digests.get(child) ?? digestOf(child, defaults);
  digests.set(child, digest);
  return digest;
}

function digestOf({ metadata, spec }: KubeObject, defaults: JsonObject): string {
  const { paused: _paused, ...content } = withoutDefaults(objectOf(spec), defaults);
  const waves = metadata.annotations?.[WAVES_ANNOTATION] ?? '';
  return templateHash({ child: { waves, spec: content } }).slice(HASH_PREFIX.length);
}

/** The annotation of these records, oldest first. */
export function childrenText(records: ChildRecords): string {
  const newest = [...records].sort(([a], [b]) => a - b).slice(-MOST_CHILDREN);
  return newest.map(([at, digest]) => `${at / 1000}:${digest}`).join(' ');
}

/** The children on record at a revision; none if the text was not written by `childrenText`. */
export const recordedChildren = remembered(parsedRecords);

function parsedRecords({ metadata }: KubeObject): ChildRecords {
  const records = new Map<number, string>();
  const text = metadata.annotations?.[CHILDREN_ANNOTATION];
  for (const word of text?.split(' ') ?? []) {
    const [, at, digest] = /^([0-9]{1,12}):([0-9a-f]{32})$/.exec(word) ?? [];
    if (at === undefined || digest === undefined) return new Map();
    records.set(Number(at) * 1000, digest);
  }
  return records;
}

/** Whether children were ever created by these rules, or adopted. */
export function hasChildRecords(revisions: readonly KubeObject[]): boolean {
  return revisions.some(({ metadata }) => metadata.annotations?.[CHILDREN_ANNOTATION] !== undefined);
}

/** The uids of the children that the status of a schedule has as active. */
export function activeUids({ active = [] }: { active?: readonly { uid?: string }[] }): ReadonlySet<string> {
  return new Set(active.flatMap(({ uid }) => uid ?? []));
}

/** Whether one of these revisions has a child of this time on record with this digest. */
export function isRecorded(digest: string, tick: number, revisions: readonly KubeObject[]): boolean {
  return revisions.some((revision) => recordedChildren(revision).get(tick) === digest);
}

/**
 * Why an object is not one that its schedule has created, as a clause; undefined: it is.
 *
 * @param creator the schedule that it names, and its ControllerRevisions; undefined: there is none, or it is not managed
 * @param defaults as those of `childDigest`
 */
export function notOfSchedule(
  child: KubeObject,
  creator: Creator | undefined,
  defaults: JsonObject,
): string | undefined {
  const { kind = '', name = '' } = controllerOf(child) ?? {};
  const schedule = `${kind} ${name}`;
  if (creator === undefined) return `${schedule} does not exist, or is not managed`;
  const { target, revisions } = creator;
  if (!isOwnedBy(child, target)) return `${schedule} is another one, of a later time`;
  if (target.metadata.deletionTimestamp !== undefined) return `${schedule} is being deleted`;
  // Before the first record OpenKruise has created the children, and the status says which.
  if (!hasChildRecords(revisions) && activeUids(target['status'] ?? {}).has(child.metadata.uid ?? ''))
    return undefined;
  const tick = tickOf(target, child);
  if (tick === undefined || !revisions.some((revision) => recordedChildren(revision).has(tick)))
    return `${schedule} has not recorded that it creates it`;
  return isRecorded(childDigest(child, defaults), tick, revisions)
    ? undefined
    : `it is not as ${schedule} has created it, before somebody or a webhook changed it`;
}
