import { utf8Bytes } from '../values/text.ts';
import type { InjectedRevision } from './injected-revision.ts';
import { unreadableRecord } from './pod-annotations.ts';
import type { Unit } from './unit.ts';
import { updatePod } from './update-pod.ts';

/** Most bytes of all annotations of an object, their keys included. */
const MOST_BYTES = 256 * 1024;
/**
 * An update makes at most so many bytes of one character that is on the pod. Records are written anew: half of a surrogate pair has 6 bytes
 * then, `1e20` has 21, and an entry of the old format, `"a":"",`, becomes an object of 78.
 */
const BYTES_OF_ONE = 16;
/** What an update adds for each container, and once: keys, times and counts, in the same unit. */
const OF_CONTAINER = 20;
const OF_UPDATE = 200;

/**
 * Whether the records of an update to this revision are readable on a pod, and have space among its annotations.
 *
 * @param setVersion the resourceVersion of the set
 */
export function hasSpace(unit: Unit, to: InjectedRevision, setVersion: string | undefined): boolean {
  return isSmall(unit, to) || fits(unit, to, setVersion);
}

/**
 * Whether there is space whatever is written, which is so for nearly all pods: no annotations but records, which are readable, and at most
 * 16 bytes for each character that goes into them. 10,000 characters make 160,000 bytes, of 262,144.
 */
export function isSmall({ pod, names }: Unit, to: InjectedRevision): boolean {
  const { annotations = {} } = pod.metadata;
  if (to.patchPodMetadata.length > 0 || unreadableRecord(annotations) !== undefined) return false;
  let size = OF_UPDATE + to.hash.length + (to.revision ?? '').length + to.set.name.length;
  for (const key in annotations) size += key.length + (annotations[key] ?? '').length;
  for (const { imageID = '' } of pod.status?.containerStatuses ?? []) size += imageID.length;
  for (const name of names) size += name.length + OF_CONTAINER;
  for (const { name } of to.initContainers) size += name.length + OF_CONTAINER;
  for (const { name } of to.containers) size += name.length + OF_CONTAINER;
  return size * BYTES_OF_ONE <= MOST_BYTES;
}

/** The same by the update itself, written for nobody. */
export function fits(unit: Unit, to: InjectedRevision, setVersion: string | undefined): boolean {
  const write = updatePod(unit, to, setVersion, '', 0);
  if ('refused' in write) return false;
  const { annotations: added = {} } = (write.body['metadata'] ?? {}) as {
    annotations?: Record<string, string>;
  };
  const all = Object.entries({ ...unit.pod.metadata.annotations, ...added });
  return all.reduce((sum, [key, value]) => sum + utf8Bytes(key) + utf8Bytes(value), 0) <= MOST_BYTES;
}
