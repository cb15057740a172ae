import type { Action, Decision, EventDraft, Explanation } from '../decision.ts';
import { chosenNodes } from '../imagepulljob/nodes.ts';
import type { ObservedObjects } from '../kinds/kind.ts';
import type { Pod } from '../pod/types.ts';
import { soonest } from '../values/soonest.ts';
import { timeOf, timestamp } from '../values/timestamp.ts';
import { type WantedTag, wantedTags } from './normalize.ts';
import { endEach, podsAt, presentNamespaces, pullTag, type Site, type TagPull } from './pull-tag.ts';
import {
  countedTags,
  heldIn,
  isOver,
  type NodeImageStatus,
  recordedTag,
  type TagRow,
  type TagStatus,
  tagStatus,
} from './status.ts';

type Held = { reason: string; message: string } | undefined;

/** What a decision about a NodeImage is made from. */
export type ObservedNodeImage = Pick<
  ObservedObjects,
  'target' | 'placement' | 'namespaces' | 'pulls' | 'now'
>;

/** So many pods may wait for a place on the node. */
const MOST_STUCK = 10;
const NO_NODE = 'there is no node of this name, or it is a virtual one';
const EXCEEDED = 'pulling exceeds the activeDeadlineSeconds';

/**
 * Decides about the images of one node (OpenKruise image-pull, rules 6c and 6d). What is over is on record in the status, by version; until
 * then the pods are the memory. One tag is pulled after the other.
 */
export function decideNodeImage(observed: ObservedNodeImage, held: Held): Decision<NodeImageStatus> {
  const { target, pulls = { pods: [] }, placement = [], now } = observed;
  const { pods } = pulls;
  const known = new Set(pods.length > 0 ? [target.metadata.name] : []);
  const names = { by: 'names', names: [target.metadata.name] } as const;
  const { nodes, joining, nextAt } = chosenNodes(names, placement, [], known, now);
  const [node] = nodes;
  const tags = wantedTags(target);
  const open = tags.filter((wanted) => !isOver(recordedTag(target, wanted)));
  const kept = new Set(
    node === undefined
      ? []
      : open.flatMap(({ sources }) => sources.flatMap((source) => podsAt(source, pods))),
  );
  const past = pods.filter((pod) => !kept.has(pod));
  const site = node && { target, node, pulls, namespaces: presentNamespaces(observed), now };
  const found = site === undefined ? new Map<WantedTag, TagPull>() : inTurns(open, site, pods);
  const missing = joining.length > 0 ? '' : NO_NODE;
  const rows = tags.map((wanted) => rowOf(observed, wanted, found.get(wanted), missing));
  const actions: Action[] = endPast(observed, tags, past);
  for (const { wanted, is } of rows) if (!isOver(is)) actions.push(...(found.get(wanted)?.actions ?? []));
  return {
    actions,
    status: { ...countedTags(rows), ...heldIn(target, held, now) },
    explanations: explained(rows),
    ...soonest(open.length > 0 ? nextAt : undefined, ...times(observed, rows, found)),
  };
}

/** What becomes of each open tag. Those with pods go first; of the others one begins, once no pull is in progress. */
function inTurns(open: readonly WantedTag[], site: Site, pods: readonly Pod[]): Map<WantedTag, TagPull> {
  const hasPods = ({ sources }: WantedTag): boolean =>
    sources.some((source) => podsAt(source, pods).length > 0);
  const begun = new Set<string>();
  let isActive = false;
  let stuck = 0;
  const mayBegin = (namespace: string): boolean => {
    // Where a namespace refuses its pod, the other ones go on.
    const isFree = site.pulls.isRefused === true ? !begun.has(namespace) : begun.size === 0;
    return isFree && !isActive && stuck < MOST_STUCK;
  };
  const found = new Map<WantedTag, TagPull>();
  for (const wanted of [...open.filter(hasPods), ...open.filter((each) => !hasPods(each))]) {
    const pull = pullTag(wanted, site, mayBegin);
    found.set(wanted, pull);
    if (pull.begins !== undefined) begun.add(pull.begins);
    if (pull.isStuck) stuck++;
    // What has ended is on record before the next one begins.
    else if (['Pulling', 'Succeeded', 'Failed'].includes(pull.state)) isActive = true;
  }
  return found;
}

/** The row of a tag. One that is over stays as it is on record. */
function rowOf(
  { target, now }: ObservedNodeImage,
  wanted: WantedTag,
  pull: TagPull | undefined,
  missing: string,
): TagRow {
  const before = recordedTag(target, wanted);
  if (before !== undefined && isOver(before)) return { wanted, is: before };
  const startTime = before?.startTime;
  const isPast = now >= deadlineOf(wanted, startTime);
  const ends = { startTime: startTime ?? timestamp(now), completionTime: timestamp(now) };
  if (pull?.state === 'Succeeded' || pull?.state === 'Present')
    return { wanted, is: tagStatus(wanted, 'Succeeded', ends) };
  if (pull?.state === 'Failed' || isPast) {
    const message = isPast ? EXCEEDED : pull?.problem;
    return { wanted, is: tagStatus(wanted, 'Failed', { ...ends, message }) };
  }
  if (pull?.state === 'Pulling' && !pull.isStuck) {
    const texts = { startTime: ends.startTime, message: pull.problem };
    return { wanted, is: tagStatus(wanted, 'Pulling', texts) };
  }
  return { wanted, is: tagStatus(wanted, 'Waiting', { startTime, message: pull?.problem ?? missing }) };
}

/** When a tag has failed by time alone, milliseconds since 1970; Infinity: never. */
function deadlineOf({ deadline, createdAt }: WantedTag, startTime: string | undefined): number {
  const since = createdAt > 0 ? createdAt : timeOf(startTime);
  return deadline === undefined || since <= 0 ? Infinity : since + deadline * 1000;
}

function times(
  { now }: ObservedNodeImage,
  rows: readonly TagRow[],
  found: ReadonlyMap<WantedTag, TagPull>,
): (number | undefined)[] {
  return rows
    .filter(({ is }) => !isOver(is))
    .flatMap(({ wanted, is }) => {
      const endsAt = deadlineOf(wanted, is.startTime);
      return [found.get(wanted)?.requeueAt, endsAt > now ? endsAt : undefined];
    });
}

/** The deletion of what is not pulled any more. With the pods of a tag that is over goes an Event, once that is on record. */
function endPast({ target }: ObservedNodeImage, tags: readonly WantedTag[], past: readonly Pod[]): Action[] {
  const others = new Set(past);
  const ended = tags.flatMap((wanted): Action[] => {
    const own = wanted.sources.flatMap((source) => podsAt(source, past));
    const row = recordedTag(target, wanted);
    if (own.length === 0 || row === undefined || !isOver(row)) return [];
    for (const pod of own) others.delete(pod);
    const [first, ...rest] = endEach(own, `the pull of ${wanted.reference} is over`);
    return first === undefined ? [] : [{ ...first, event: eventOf(wanted, row) }, ...rest];
  });
  return [...ended, ...endEach([...others], 'its image is not to be pulled any more')];
}

function eventOf({ reference }: WantedTag, { phase, message }: TagStatus): EventDraft {
  return phase === 'Succeeded'
    ? { type: 'Normal', reason: 'PullImageSucceed', message: `Image ${reference} is on the node` }
    : {
        type: 'Warning',
        reason: 'PullImageFailed',
        message: `Image ${reference}: ${message ?? 'not pulled'}`,
      };
}

function explained(rows: readonly TagRow[]): Explanation[] {
  return rows.flatMap(({ wanted, is }) =>
    isOver(is) || is.message === undefined
      ? []
      : [{ about: wanted.reference, reason: `waits: ${is.message}` }],
  );
}
