import type { KubeObject } from '../../schemas/wire/object.ts';
import { parsedJson } from '../values/json-shape.ts';
import { listOf, numberOf, objectOf, textOf } from '../values/read.ts';
import { CONTEXT_ANNOTATION, POD_UID_LABEL } from './resource.ts';

/** One instance of a container. */
export interface Instance {
  containerID: string;
  restartCount: number;
}

/** A ContainerRecreateRequest as the rules read it, of either served version. */
export interface NormalRequest {
  podName: string;
  /** Names, in the order in which they are restarted. */
  containers: readonly string[];
  /** One container that cannot be restarted ends the request. */
  failsAtOnce: boolean;
  isOrdered: boolean;
  isForced: boolean;
  /** Seconds; undefined: those of the pod. */
  grace: number | undefined;
  /** Seconds for which the pod is not ready before; undefined: it stays ready. */
  unreadyGrace: number | undefined;
  minStarted: number;
  /** Seconds since the creation of the request; undefined: it has no end. */
  deadline: number | undefined;
  /** Seconds after its end; undefined: it stays. */
  ttl: number | undefined;
}

/** Reads either served version. A field of another type is read as absent. */
export function normalizeRequest({ spec }: KubeObject): NormalRequest {
  const fields = objectOf(spec);
  const strategy = objectOf(fields['strategy']);
  return {
    podName: textOf(fields['podName']),
    containers: listOf(fields['containers']).map(({ name }) => textOf(name)),
    failsAtOnce: strategy['failurePolicy'] !== 'Ignore',
    isOrdered: strategy['orderedRecreate'] === true,
    isForced: strategy['forceRecreate'] === true,
    grace: numberOf(strategy['terminationGracePeriodSeconds']),
    unreadyGrace: numberOf(strategy['unreadyGracePeriodSeconds']),
    minStarted: numberOf(strategy['minStartedSeconds']) ?? 0,
    deadline: numberOf(fields['activeDeadlineSeconds']),
    ttl: numberOf(fields['ttlSecondsAfterFinished']),
  };
}

/** The most characters of the record: no server stores a longer annotation. */
const LONGEST = 262_144;

/**
 * The containers as they were when the request was taken up, by name; undefined: it was not. A request that OpenKruise has taken up
 * has them in its spec. The label alone proves nothing: whoever creates a request may set it.
 */
export function contextOf({ metadata, spec }: KubeObject): ReadonlyMap<string, Instance> | undefined {
  const { labels = {}, annotations = {} } = metadata;
  if (labels[POD_UID_LABEL] === undefined) return undefined;
  const text = annotations[CONTEXT_ANNOTATION];
  const recorded = objectOf(text === undefined || text.length > LONGEST ? undefined : parsedJson(text));
  const context = new Map<string, Instance>();
  const containers = listOf(objectOf(spec)['containers']);
  for (const { name, statusContext } of containers) {
    const own = Object.hasOwn(recorded, textOf(name)) ? recorded[textOf(name)] : statusContext;
    const { containerID, restartCount } = objectOf(own);
    if (textOf(containerID) === '') return undefined;
    context.set(textOf(name), {
      containerID: textOf(containerID),
      restartCount: numberOf(restartCount) ?? 0,
    });
  }
  return containers.length > 0 && context.size === containers.length ? context : undefined;
}
