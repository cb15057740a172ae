import { boundedCache, parsedWeight } from '../values/bounded-cache.ts';
import { isObject, isWhole, parsedJson } from '../values/json-shape.ts';
import { isSpellingOf } from '../values/image-name.ts';
import { numberOf, textOf } from '../values/read.ts';
import type { Container, Pod } from './types.ts';

/**
 * Containers of a pod that were stopped by another spelling of their image, or by a signal. On record in the pod with the write that stops
 * them, or before the signal, so that none is stopped twice, and nobody takes the other spelling for another image.
 */
export const RECREATED_ANNOTATION = 'plan.kruise.io/recreated-containers';

/** How a container was last stopped. */
export interface Recreated {
  /** The image as the owner of the pod wrote it. */
  image: string;
  /** The same image as it is written now. */
  spelled: string;
  /** The uid of the request. */
  by: string;
  /** The instance that was stopped. */
  containerID: string;
  /** Its restarts at each of the last times, ascending: the restart that followed was asked for. */
  restarts: readonly number[];
  /** A signal was sent, or is about to be: when the container must have ended, milliseconds since 1970. Nobody forces it to. */
  until?: number;
}

/** So many restarts of a container stay on record. */
const MOST_RESTARTS = 10;
/** The most characters of such a record. */
const LONGEST = 64 * 1024;

const parsed = boundedCache<Readonly<Record<string, Recreated>>>({
  bytes: 1024 * 1024,
  weigh: parsedWeight,
});
const NOTHING: Readonly<Record<string, Recreated>> = {};

/** What is on record in a pod, by container. Whoever may write the pod may have changed it: what is no record is left out. */
export function recreatedIn({ metadata }: Pick<Pod, 'metadata'>): Readonly<Record<string, Recreated>> {
  const text = metadata.annotations?.[RECREATED_ANNOTATION];
  if (text === undefined || !isRecordReadable(text)) return NOTHING;
  return parsed.of(text, () => read(text));
}

function read(text: string): Record<string, Recreated> {
  const found = parsedJson(text);
  return Object.fromEntries(
    Object.entries(isObject(found) ? found : {}).flatMap(([name, each]) => {
      if (!isObject(each)) return [];
      const { image, spelled, by, containerID, restarts, until } = each;
      // No runtime writes more: checks forgive as many restarts as are on record.
      const counts = Array.isArray(restarts) ? restarts.filter(isWhole).slice(-MOST_RESTARTS) : [];
      const own = { image: textOf(image), spelled: textOf(spelled), by: textOf(by) };
      const instance = { containerID: textOf(containerID), restarts: counts };
      return [[name, { ...own, ...instance, ...(isWhole(until) && { until }) }] as const];
    }),
  );
}

/** How a container was last stopped. Undefined: it never was. */
export function recordOf(pod: Pick<Pod, 'metadata'>, name: string): Recreated | undefined {
  return ownOf(recreatedIn(pod), name);
}

/** The record with these containers stopped now, of those that the pod has. */
export function withRecreated(
  pod: Pod,
  stopped: Readonly<Record<string, Omit<Recreated, 'image' | 'restarts'> & { restartCount: number }>>,
): string {
  const before = recreatedIn(pod);
  const next = Object.entries(stopped).map(([name, { restartCount, ...each }]) => {
    const container = pod.spec.containers.find((one) => one.name === name);
    const restarts = [...(ownOf(before, name)?.restarts ?? []), restartCount].slice(-MOST_RESTARTS);
    return [name, { image: container ? declaredImage(pod, container) : '', ...each, restarts }] as const;
  });
  return textOfRecord(pod, { ...before, ...Object.fromEntries(next) });
}

/** The record without the restart that was asked of these containers last: they have not ended. Who asked stays on it. */
export function withoutRestart(pod: Pod, names: readonly string[]): string {
  const before = recreatedIn(pod);
  const next = names.flatMap((name) => {
    const own = ownOf(before, name);
    return own === undefined ? [] : [[name, { ...own, restarts: own.restarts.slice(0, -1) }] as const];
  });
  return textOfRecord(pod, { ...before, ...Object.fromEntries(next) });
}

/** Whether a record is short enough to be read again. */
export function isRecordReadable(text: string): boolean {
  return text.length <= LONGEST;
}

/** The record of the containers that the pod has, by their names. */
function textOfRecord(pod: Pod, all: Readonly<Record<string, Recreated>>): string {
  const known = Object.entries(all).filter(([name]) => pod.spec.containers.some((one) => one.name === name));
  return JSON.stringify(Object.fromEntries(known.sort(([a], [b]) => (a < b ? -1 : 1))));
}

/** Whether a container counts as about to restart, as the restart that follows the present ones was asked for. */
export function isRestartAwaited(pod: Pod, name: string): boolean {
  const { restartCount = 0 } = pod.status?.containerStatuses?.find((each) => each.name === name) ?? {};
  return recordOf(pod, name)?.restarts.at(-1) === restartCount;
}

/**
 * The image of a container as the owner of the pod wrote it: another spelling of it, which only restarts it, is no change. Whoever may
 * write the pod may have changed the record, and must not hide another image with it.
 */
export function declaredImage(pod: Pick<Pod, 'metadata'>, { name, image }: Container): string {
  const record = recordOf(pod, name);
  return record?.spelled === image && isSpellingOf(image, record.image) ? record.image : image;
}

/** The same of a container by its name; undefined: the pod has none. */
export function declaredImageOf(pod: Pick<Pod, 'metadata' | 'spec'>, name: string): string | undefined {
  const container = pod.spec.containers.find((each) => each.name === name);
  return container && declaredImage(pod, container);
}

/**
 * Until when containers count as about to restart that were asked to and have not yet, milliseconds since 1970; 0: there are none. The
 * status of the pod may still call it ready: the kubelet reports a container as ready until it stops it. It stops one whose image is
 * spelled anew, whenever that is. Nobody stops one that ignores its signal: that mark ends by itself, as its request may be gone.
 */
export function recreatedUntil(pod: Pod): number {
  if (pod.metadata.annotations?.[RECREATED_ANNOTATION] === undefined) return 0;
  const all = recreatedIn(pod);
  return pod.spec.containers.reduce((latest, { name, image }) => {
    const record = ownOf(all, name);
    const status = pod.status?.containerStatuses?.find((each) => each.name === name);
    if (record?.spelled !== image || status === undefined) return latest;
    // A node that has lost its state counts anew.
    const isSameInstance = (status.containerID ?? '') === record.containerID;
    const isAwaited = isSameInstance && (status.restartCount ?? 0) <= (record.restarts.at(-1) ?? -1);
    return isAwaited ? Math.max(latest, record.until ?? Infinity) : latest;
  }, 0);
}

/** Whether containers were asked to restart, and may still. */
export function isBeingRecreated(pod: Pod, now: number): boolean {
  return now < recreatedUntil(pod);
}

/** How many of the restarts of a container since it had restarted `since` times were asked for. */
export function requestedRestarts(
  pod: Pick<Pod, 'metadata'>,
  { name, restartCount }: { name: string; restartCount: number },
  since: number,
): number {
  const { restarts = [] } = recordOf(pod, name) ?? {};
  return new Set(restarts.filter((each) => each >= since && each < (numberOf(restartCount) ?? 0))).size;
}

function ownOf(all: Readonly<Record<string, Recreated>>, name: string): Recreated | undefined {
  return Object.hasOwn(all, name) ? all[name] : undefined;
}
