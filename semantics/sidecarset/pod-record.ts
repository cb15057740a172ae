import { boundedCache, parsedWeight } from '../values/bounded-cache.ts';
import { compareCodePoints } from '../values/canonical-json.ts';
import { isObject, parsedJson } from '../values/json-shape.ts';
import { numberOf, objectOf, textOf } from '../values/read.ts';
import { timeOf } from '../values/timestamp.ts';
import { SIDECAR_STATE_ANNOTATION } from '../pod/sidecar-changes.ts';
import type { Pod } from '../pod/types.ts';
import { HASH_ANNOTATION, IMAGELESS_HASH_ANNOTATION, INJECTED_LIST_ANNOTATION } from './resource.ts';

/** Which revision of a set a pod is on. */
export interface RevisionRecord {
  hash: string;
  /** The name of the revision that it was injected with, or updated to. */
  revision: string | undefined;
}

/** What a pod has on record of one set. */
export interface PodRecord extends RevisionRecord {
  /** Undefined: it has none. */
  imageless: string | undefined;
  /** When it was injected or updated, milliseconds since 1970. */
  at: number;
}

/** What a pod has on record of the last change of images by one set. */
export interface ChangeRecord {
  /** The image that ran before, by container; undefined: the record is unreadable. */
  before: Readonly<Record<string, string>> | undefined;
  /** Restarts of the containers of the set before the change. Only this runtime records them; OpenKruise ignores them. */
  restarts: Readonly<Record<string, number>>;
  /** The containers that the last change restarts. */
  changed: readonly string[];
  /**
   * The record before a hot upgrade, while its old half can still work on. Only this runtime keeps it; OpenKruise ignores it.
   */
  from: RevisionRecord | undefined;
  /**
   * The pod was not ready when the change was written, and no change before had taken it out of service: that it is not ready now is none
   * of their doing. Only this runtime records it; OpenKruise ignores it.
   */
  wasUnready: boolean;
}

/** Pods that were injected or updated together have the same text. */
const parsed = boundedCache<Readonly<Record<string, unknown>> | undefined>({
  bytes: 8 * 2 ** 20,
  weigh: parsedWeight,
});

/** The members of an annotation; undefined: it is no JSON object. Each text is parsed once, as long as it is in use. */
export function membersOf(text: string): Readonly<Record<string, unknown>> | undefined {
  return parsed.of(text, () => {
    const value = parsedJson(text);
    return isObject(value) ? value : undefined;
  });
}

function member(pod: Pod, key: string, set: string): unknown {
  const text = pod.metadata.annotations?.[key];
  const members = text === undefined ? undefined : membersOf(text);
  return members !== undefined && Object.hasOwn(members, set) ? members[set] : undefined;
}

/**
 * The record of a set in a pod; undefined: the set was not injected (OpenKruise sidecarset, rules 5.2 and 6.7.1). An entry of
 * the old format is the hash alone.
 */
export function recordOf(pod: Pod, set: string): PodRecord | undefined {
  const list = pod.metadata.annotations?.[INJECTED_LIST_ANNOTATION];
  if (list === undefined || !list.split(',').includes(set)) return undefined;
  const entry = member(pod, HASH_ANNOTATION, set);
  const { hash, controllerRevision, updateTimestamp } = objectOf(entry);
  return {
    hash: hashIn(entry) ?? textOf(hash),
    imageless: hashIn(member(pod, IMAGELESS_HASH_ANNOTATION, set)),
    revision: textOf(controllerRevision) || undefined,
    at: timeOf(textOf(updateTimestamp)),
  };
}

function hashIn(entry: unknown): string | undefined {
  const hash = typeof entry === 'string' ? entry : textOf(objectOf(entry)['hash']);
  return hash === '' ? undefined : hash;
}

/** The record of the last change by a set; undefined: it has changed nothing since the injection. */
export function changeOf(pod: Pod, set: string): ChangeRecord | undefined {
  const text = pod.metadata.annotations?.[SIDECAR_STATE_ANNOTATION];
  if (text === undefined || text === '') return undefined;
  const members = membersOf(text);
  if (members === undefined)
    return { before: undefined, restarts: {}, changed: [], from: undefined, wasUnready: false };
  if (!Object.hasOwn(members, set)) return undefined;
  const { lastContainerStatuses, restartCounts, changed, from, wasUnready } = objectOf(members[set]);
  const before: Record<string, string> = {};
  for (const [name, status] of Object.entries(objectOf(lastContainerStatuses)))
    before[name] = textOf(objectOf(status)['imageID']);
  const restarts: Record<string, number> = {};
  for (const [name, count] of Object.entries(objectOf(restartCounts))) restarts[name] = numberOf(count) ?? 0;
  const names = Array.isArray(changed) ? changed.filter((each) => typeof each === 'string') : undefined;
  return {
    before,
    restarts,
    changed: names ?? Object.keys(before),
    from: fromOf(objectOf(from)),
    wasUnready: wasUnready === true,
  };
}

function fromOf({ hash, controllerRevision }: Readonly<Record<string, unknown>>): RevisionRecord | undefined {
  if (textOf(hash) === '') return undefined;
  return { hash: textOf(hash), revision: textOf(controllerRevision) || undefined };
}

/**
 * The record of a change of images, within the records of other sets (OpenKruise sidecarset, rule 5.2): the revision and the time
 * stay those of the first change, and containers accumulate. Its keys are sorted, as Go writes them.
 *
 * @param changed the image that runs now, by changed container
 * @param restarts restarts of all containers of the set
 * @param from the record that the pod goes back to if a hot upgrade fails; undefined: none begins
 * @param wasUnready whether the pod was not ready before the change, for reasons of its own
 */
export function changeText(
  pod: Pod,
  { set, hash, time }: { set: string; hash: string; time: string },
  changed: Readonly<Record<string, string>>,
  restarts: Readonly<Record<string, number>>,
  { from, wasUnready = false }: { from?: RevisionRecord | undefined; wasUnready?: boolean } = {},
): string {
  const text = pod.metadata.annotations?.[SIDECAR_STATE_ANNOTATION] ?? '';
  const all = { ...(text === '' ? {} : membersOf(text)) };
  const entry = objectOf(all[set]);
  const statuses: Record<string, unknown> = { ...objectOf(entry['lastContainerStatuses']) };
  for (const name in changed) statuses[name] = { imageID: changed[name] };
  all[set] = {
    revision: entry['revision'] ?? hash,
    updateTimestamp: entry['updateTimestamp'] ?? time,
    lastContainerStatuses: inOrder(statuses),
    restartCounts: inOrder({ ...restarts }),
    changed: Object.keys(changed).sort(compareCodePoints),
    ...(from !== undefined && {
      from: {
        hash: from.hash,
        ...(from.revision !== undefined && { controllerRevision: from.revision }),
      },
    }),
    ...(wasUnready && { wasUnready }),
  };
  return JSON.stringify(inOrder(all));
}

function inOrder(members: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).sort(([a], [b]) => compareCodePoints(a, b)));
}
