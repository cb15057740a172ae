import type { KubeObject } from '../../schemas/wire/object.ts';
import { timeOf } from '../values/timestamp.ts';

/** The annotation of a child with the time that it was created for. OpenKruise writes the same one. */
export const SCHEDULED_AT_ANNOTATION = 'apps.kruise.io/scheduled-at';

/** The name of the child of a time, as OpenKruise has it: it follows from both, so that no time ever has two. */
export function childName(target: KubeObject, tick: number): string {
  return `${target.metadata.name}-${Math.floor(tick / 1000)}`;
}

/**
 * The time that an object was created for, milliseconds since 1970; undefined: it does not say so, or has another name. The
 * annotation alone proves nothing, as anybody who may edit a child may change it: the name must be that of its time.
 */
export function tickOf(target: KubeObject, { metadata }: KubeObject): number | undefined {
  const tick = timeOf(metadata.annotations?.[SCHEDULED_AT_ANNOTATION]);
  return tick !== 0 && metadata.name === childName(target, tick) ? tick : undefined;
}
