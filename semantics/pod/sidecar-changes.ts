import { boundedCache, parsedWeight } from '../values/bounded-cache.ts';
import { fullImageName, isDigestOf } from '../values/image-name.ts';
import { isObject, parsedJson } from '../values/json-shape.ts';
import { numberOf, objectOf, textOf } from '../values/read.ts';
import { timeOf } from '../values/timestamp.ts';
import type { ContainerStatus, Pod } from './types.ts';

/** What SidecarSets have changed in a pod since its injection, by set (OpenKruise sidecarset, section 5). */
export const SIDECAR_STATE_ANNOTATION = 'kruise.io/sidecarset-inplace-update-state';

/** Which revision of each set a pod has, and since when, by set. */
export const SIDECAR_HASH_ANNOTATION = 'kruise.io/sidecarset-hash';

/** What the changes of sets explain of the restarts of a pod. */
export interface SidecarChanges {
  /** When a set last changed an image, milliseconds since 1970; 0: none did. */
  at: number;
  /** The restarts up to the last change by a set and the one that it caused, by container. */
  restarts: ReadonlyMap<string, number>;
}

const UNCHANGED: SidecarChanges = { at: 0, restarts: new Map() };

/** The changes of images by sets. A record of OpenKruise has no restarts: it explains the one that the change caused. */
export function sidecarChanges({ metadata: { annotations = {} } }: Pod): SidecarChanges {
  const text = annotations[SIDECAR_STATE_ANNOTATION];
  if (text === undefined || text === '') return UNCHANGED;
  const sets = parsedJson(text);
  const hashes = objectOf(parsedJson(annotations[SIDECAR_HASH_ANNOTATION] ?? ''));
  const restarts = new Map<string, number>();
  let at = 0;
  for (const [set, entry] of Object.entries(isObject(sets) ? sets : {})) {
    const { lastContainerStatuses, restartCounts, changed, updateTimestamp } = objectOf(entry);
    const before = objectOf(lastContainerStatuses);
    const counts = objectOf(restartCounts);
    const caused = new Set<unknown>(Array.isArray(changed) ? changed : Object.keys(before));
    for (const name of new Set([...Object.keys(before), ...Object.keys(counts)]))
      restarts.set(name, (numberOf(counts[name]) ?? 0) + (caused.has(name) ? 1 : 0));
    // The record has the time of the first change, the hash that of the last.
    const { updateTimestamp: last } = objectOf(hashes[set]);
    at = Math.max(at, timeOf(textOf(updateTimestamp)), timeOf(textOf(last)));
  }
  return { at, restarts };
}

/** Pods that were updated together have the same text. */
const parsed = boundedCache<Readonly<Record<string, string>>>({ bytes: 8 * 2 ** 20, weigh: parsedWeight });

/** The image that ran before its last change by a set, by container. An unreadable record has none. */
function imagesBefore(text: string): Readonly<Record<string, string>> {
  return parsed.of(text, () => readImagesBefore(text));
}

function readImagesBefore(text: string): Readonly<Record<string, string>> {
  const sets = parsedJson(text);
  const found: Record<string, string> = {};
  for (const entry of Object.values(isObject(sets) ? sets : {}))
    for (const [name, status] of Object.entries(objectOf(objectOf(entry)['lastContainerStatuses'])))
      found[name] = textOf(objectOf(status)['imageID']);
  return found;
}

/**
 * Whether a set has changed an image of a pod, and the kubelet has not acted on that yet. The status of the pod may still call
 * it ready, and one of its containers is about to be stopped.
 */
export function hasUnfinishedSidecarChange(pod: Pod): boolean {
  const text = pod.metadata.annotations?.[SIDECAR_STATE_ANNOTATION];
  if (text === undefined || text === '') return false;
  return Object.entries(imagesBefore(text)).some(([name, before]) => {
    const image = pod.spec.containers.find((each) => each.name === name)?.image;
    const status = pod.status?.containerStatuses?.find((each) => each.name === name);
    return image !== undefined && status !== undefined && !isImageChanged(image, status, before);
  });
}

/**
 * Whether a container runs the image of its spec after a change (OpenKruise sidecarset, rule 6.9): another image runs than
 * before, or its status names the image of the spec.
 *
 * @param image the one in the spec
 * @param before the id of the image that ran before
 */
export function isImageChanged(
  image: string,
  { imageID, image: running }: Pick<ContainerStatus, 'imageID' | 'image'>,
  before: string | undefined,
): boolean {
  return (
    before !== imageID || fullImageName(image) === fullImageName(running ?? '') || isDigestOf(image, imageID)
  );
}
