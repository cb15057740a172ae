import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { isObject } from '../values/json-shape.ts';
import { type Entries, type EntryMap, LIFETIME_MS } from './entries.ts';

/** On the PodDisruptionBudget of a budget: the pods that the runtime has raised `minAvailable` for, with the times. */
export const RAISED_ANNOTATION = 'plan.kruise.io/raised-for';

/** Likewise: until when the runtime makes no further claim, as the last one is not used; without it, it is. */
export const RESTS_ANNOTATION = 'plan.kruise.io/rests-until';

/** It is raised for no longer than the shortest slot lasts. */
export const RAISED_AS: EntryMap =
  LIFETIME_MS.unavailablePods <= LIFETIME_MS.disruptedPods ? 'unavailablePods' : 'disruptedPods';

/** The pods that a PodDisruptionBudget is raised for. Text that cannot be read names none: the next reconcile counts. */
export function raisedIn({ metadata }: KubeObject): Entries {
  const text = metadata.annotations?.[RAISED_ANNOTATION];
  if (text === undefined) return {};
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) return {};
    const texts = Object.entries(value).filter(
      (each): each is [string, string] => typeof each[1] === 'string',
    );
    return Object.fromEntries(texts);
  } catch {
    return {};
  }
}

/** The annotation for these pods, for a merge patch; without any it is removed. */
export function raisedFor(entries: Entries): JsonObject {
  const isNone = Object.keys(entries).length === 0;
  return { [RAISED_ANNOTATION]: isNone ? null : JSON.stringify(entries) };
}
