import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import { SIDECAR_STATE_ANNOTATION } from '../pod/sidecar-changes.ts';
import { canonicalJson, compareCodePoints, sortedKeys } from '../values/canonical-json.ts';
import { isObject, parsedJson } from '../values/json-shape.ts';
import { objectOf } from '../values/read.ts';
import type { InjectedRevision } from './injected-revision.ts';
import type { PodMetadataPatch } from './normalize.ts';
import { membersOf } from './pod-record.ts';
import {
  HASH_ANNOTATION,
  IMAGELESS_HASH_ANNOTATION,
  INJECTED_LIST_ANNOTATION,
  OTHER_VERSION_PREFIX,
  VERSION_PREFIX,
  WORKING_ANNOTATION,
} from './resource.ts';

type Annotations = Readonly<Record<string, string>>;

/** Annotations, or why they cannot be written. */
export type Annotated = { annotations: Record<string, string> } | { refused: string };

/** The annotations of a pod after those of sets (OpenKruise sidecarset, rule 6.3). */
export function withPatches(annotations: Annotations, patches: readonly PodMetadataPatch[]): Annotated {
  const result: Record<string, string> = { ...annotations };
  for (const patch of patches)
    for (const [key, value] of Object.entries(patch.annotations)) {
      const was = Object.hasOwn(result, key) ? result[key] : undefined;
      if (patch.policy === 'Retain' && was !== undefined) continue;
      if (patch.policy !== 'MergePatchJson' || was === undefined || was === '') {
        result[key] = value;
        continue;
      }
      const [present, change] = [parsedJson(was), parsedJson(value)];
      if (present === undefined || change === undefined)
        return {
          refused: `the annotation ${key} cannot be merged: ${present === undefined ? 'that of the pod' : 'that of the set'} is no JSON`,
        };
      result[key] = canonicalJson(merged(present as Json, change as Json));
    }
  return { annotations: result };
}

/** A JSON merge patch (RFC 7386): null removes a member, everything but an object replaces. */
function merged(present: Json, change: Json): Json {
  if (!isObject(change)) return change;
  const patch: JsonObject = change;
  const result: JsonObject = isObject(present) ? { ...present } : {};
  for (const key of sortedKeys(patch)) {
    const value = patch[key] ?? null;
    if (value === null) delete result[key];
    else result[key] = merged(Object.hasOwn(result, key) ? (result[key] ?? null) : null, value);
  }
  return result;
}

/**
 * The annotations by which an injected pod is recognized (OpenKruise sidecarset, section 5.2), byte-equal to OpenKruise's.
 * Entries of other sets stay, and so does the time of an entry that does not change. No set has changed the new pod yet.
 *
 * @param time the time of the injection, as a timestamp
 */
export function withRecords(
  annotations: Annotations,
  injected: readonly InjectedRevision[],
  time: string,
): Annotated {
  const read = readRecords(annotations);
  if ('refused' in read) return read;
  const { hashes, imageless, working, listed } = read;
  const result: Record<string, string> = { ...annotations };
  for (const each of injected) {
    const { name } = each.set;
    const revision = each.revision === undefined ? {} : { controllerRevision: each.revision };
    hashes.set(name, recordOf(each, each.hash, time, hashes.get(name), revision));
    imageless.set(name, recordOf(each, each.imageless, time, imageless.get(name), {}));
    listed.add(name);
    for (const { name: container, emptyImage } of [...each.initContainers, ...each.containers]) {
      if (emptyImage === undefined) continue;
      const [first, second] = [`${container}-1`, `${container}-2`];
      working.set(container, JSON.stringify(first));
      result[VERSION_PREFIX + first] = '1';
      result[OTHER_VERSION_PREFIX + first] = '0';
      result[VERSION_PREFIX + second] = '0';
      result[OTHER_VERSION_PREFIX + second] = '1';
    }
  }
  // It is of a pod that this one is a copy of: it would excuse restarts, and hide an update that is not complete.
  delete result[SIDECAR_STATE_ANNOTATION];
  result[HASH_ANNOTATION] = objectText(hashes);
  result[IMAGELESS_HASH_ANNOTATION] = objectText(imageless);
  result[INJECTED_LIST_ANNOTATION] = [...listed].sort(compareCodePoints).join(',');
  if (working.size > 0) result[WORKING_ANNOTATION] = objectText(working);
  return { annotations: result };
}

/**
 * The annotations of a pod that a set updates in place: those of its content, and its record of the hash. That of the hash without
 * images stays (OpenKruise sidecarset, rule 6.9).
 *
 * @param time the time of the update, as a timestamp
 */
export function withUpdate(annotations: Annotations, to: InjectedRevision, time: string): Annotated {
  const patched = withPatches(annotations, to.patchPodMetadata);
  if ('refused' in patched) return patched;
  const read = readRecords(patched.annotations);
  if ('refused' in read) return read;
  const { hashes, listed } = read;
  const { name } = to.set;
  const revision = to.revision === undefined ? {} : { controllerRevision: to.revision };
  hashes.set(name, recordOf(to, to.hash, time, hashes.get(name), revision));
  listed.add(name);
  return {
    annotations: {
      ...patched.annotations,
      [HASH_ANNOTATION]: objectText(hashes),
      [INJECTED_LIST_ANNOTATION]: [...listed].sort(compareCodePoints).join(','),
    },
  };
}

/**
 * The record of the halves of hot pairs that work, beside those of other sidecars.
 *
 * @param halves by the name of the sidecar
 */
export function withWorking(annotations: Annotations, halves: Readonly<Record<string, string>>): Annotated {
  if (Object.keys(halves).length === 0) return { annotations: { ...annotations } };
  const read = readRecords(annotations);
  if ('refused' in read) return read;
  for (const [name, half] of Object.entries(halves)) read.working.set(name, JSON.stringify(half));
  return { annotations: { ...annotations, [WORKING_ANNOTATION]: objectText(read.working) } };
}

/** One entry, with its fields in the order of OpenKruise. The names are sorted, and those of halves are left out. */
function recordOf(
  { set, initContainers, containers }: InjectedRevision,
  hash: string,
  time: string,
  before: string | undefined,
  revision: { controllerRevision?: string },
): string {
  const natives = initContainers.filter(({ isNative }) => isNative);
  const sidecarList = [...new Set([...natives, ...containers].map(({ name }) => name))].sort(
    compareCodePoints,
  );
  const record = (updateTimestamp: unknown): string =>
    JSON.stringify({ updateTimestamp, hash, sidecarSetName: set.name, sidecarList, ...revision });
  if (before === undefined) return record(time);
  const unchanged = record(objectOf(parsedJson(before))['updateTimestamp']);
  return before === unchanged ? before : record(time);
}

interface Records {
  /** The text of each entry, by the name of the set. */
  hashes: Map<string, string>;
  imageless: Map<string, string>;
  /** The working half as JSON, by the name of the container. */
  working: Map<string, string>;
  listed: Set<string>;
}

const RECORDS = [HASH_ANNOTATION, IMAGELESS_HASH_ANNOTATION, WORKING_ANNOTATION] as const;
const NO_MEMBERS: Readonly<Record<string, unknown>> = {};

function recordIn(annotations: Annotations, key: string): Readonly<Record<string, unknown>> | undefined {
  const text = annotations[key] ?? '';
  return text === '' ? NO_MEMBERS : membersOf(text);
}

/** The key of a record on a pod that no update can be written beside; undefined: all can be read. */
export function unreadableRecord(annotations: Annotations): string | undefined {
  return RECORDS.find((key) => recordIn(annotations, key) === undefined);
}

function readRecords(annotations: Annotations): Records | { refused: string } {
  const unreadable = unreadableRecord(annotations);
  if (unreadable !== undefined)
    return { refused: `the annotation ${unreadable} of the pod is no JSON object` };
  const maps = RECORDS.map((key) => {
    const value = recordIn(annotations, key) ?? NO_MEMBERS;
    return new Map(
      sortedKeys(value).map((name) => [
        name,
        key === WORKING_ANNOTATION ? JSON.stringify(value[name]) : recordText(name, value[name]),
      ]),
    );
  });
  const [hashes = new Map(), imageless = new Map(), working = new Map()] = maps;
  const listed = (annotations[INJECTED_LIST_ANNOTATION] ?? '').split(',').filter((name) => name !== '');
  return { hashes, imageless, working, listed: new Set(listed) };
}

/** An entry of the old format is the hash alone; it gets the present shape. */
function recordText(name: string, record: unknown): string {
  if (typeof record !== 'string') return JSON.stringify(record);
  return JSON.stringify({ updateTimestamp: null, hash: record, sidecarSetName: name, sidecarList: null });
}

function objectText(members: ReadonlyMap<string, string>): string {
  const keys = [...members.keys()].sort(compareCodePoints);
  return `{${keys.map((key) => `${JSON.stringify(key)}:${members.get(key)}`).join(',')}}`;
}
