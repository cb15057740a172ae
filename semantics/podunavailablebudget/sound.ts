import { isInPlaceUpdateComplete } from '../pod/in-place.ts';
import { isUpdateReady } from '../pod/readiness.ts';
import type { Container, ContainerStatus, Pod } from '../pod/types.ts';
import { UNAVAILABLE_LABEL_PREFIX } from './resource.ts';

/**
 * Whether a pod counts as available: it receives traffic, and runs what its spec says (OpenKruise podunavailablebudget, section 3:
 * ready and consistent). What is done to any other pod takes no slot, as it is counted as unavailable already.
 *
 * @param now milliseconds since 1970
 */
export function isSound(pod: Pod, now: number): boolean {
  return isUpdateReady(pod, 0, now) && !hasUnavailableLabel(pod.metadata.labels) && isConsistent(pod, now);
}

/** Whether somebody has taken the pod out of traffic by a label. */
export function hasUnavailableLabel(labels: Readonly<Record<string, string>> | undefined): boolean {
  return Object.keys(labels ?? {}).some((key) => key.startsWith(UNAVAILABLE_LABEL_PREFIX));
}

/**
 * Whether the containers run the images of the spec. Digests are compared; where an image has a tag, the records of updates in
 * slot say whether they are complete. Changes of injected sidecars are among what `isUpdateReady` requires.
 */
function isConsistent(pod: Pod, now: number): boolean {
  const digests = pod.spec.containers.map((container) => ({ container, digest: digestIn(container.image) }));
  const runs = digests.every(
    ({ container, digest }) =>
      digest === undefined || statusOf(pod, container)?.imageID?.includes(digest) === true,
  );
  if (!runs) return false;
  return digests.every(({ digest }) => digest !== undefined) || isInPlaceUpdateComplete(pod, now);
}

function statusOf({ status }: Pod, { name }: Container): ContainerStatus | undefined {
  return status?.containerStatuses?.find((each) => each.name === name);
}

/** The digest in the name of an image; undefined: it has none. Ids of images hold it in several forms. */
function digestIn(image: string): string | undefined {
  return /@(sha[0-9]+:[0-9a-f]+)$/.exec(image)?.[1];
}
