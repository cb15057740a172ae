import type { KubeObject } from '../../schemas/wire/object.ts';
import { readCounter } from '../values/counter.ts';
import { type CloneSetView, POD_NUMBER_ANNOTATION, PODS_CREATED_ANNOTATION } from './view.ts';

/** How many pod names were derived, as last recorded on any revision. */
export function podsCreated({ revisions }: Pick<CloneSetView, 'revisions'>): number {
  const recorded = revisions.map(
    ({ object }) => readCounter(object.metadata.annotations?.[PODS_CREATED_ANNOTATION]) ?? 0,
  );
  return Math.max(0, ...recorded);
}

/** Which of the names a pod or a claim has; -1: none of them, as what OpenKruise made. */
export function numberOf({ metadata }: KubeObject): number {
  return readCounter(metadata.annotations?.[POD_NUMBER_ANNOTATION]) ?? -1;
}
