import type { KubeObject } from '../../schemas/wire/object.ts';
import { isActive } from '../pod/readiness.ts';
import type { Pod } from '../pod/types.ts';
import { listOf, objectOf, textOf } from '../values/read.ts';
import { timeOf } from '../values/timestamp.ts';

/** So long one that was to go may take. */
export const LEAVING_MS = 15_000;

/** The place that a pod was given. */
export interface RecordedSubset {
  subset: string;
  /** When, milliseconds since 1970. */
  at: number;
}

/** A pod that was to come to a subset, or to go from it, and has not in time. */
export interface Overdue {
  what: 'create' | 'delete';
  /** Its name, or what stands for it. */
  id: string;
  subset: string;
}

/** The places on record in the status. */
export function recordedIn(
  { status }: KubeObject,
  field: 'creatingPods' | 'deletingPods',
  now: number,
): Map<string, Map<string, RecordedSubset>> {
  const versions = Object.entries(objectOf(objectOf(status)['versionedSubsetStatuses']));
  const found = new Map<string, Map<string, RecordedSubset>>();
  for (const [version, subsets] of versions)
    for (const { name, [field]: pods } of listOf(subsets))
      for (const [pod, at] of Object.entries(objectOf(pods))) {
        const own = found.get(version) ?? new Map<string, RecordedSubset>();
        // Another clock may be ahead.
        own.set(pod, { subset: textOf(name), at: Math.min(timeOf(textOf(at)), now) });
        found.set(version, own);
      }
  return found;
}

/** Pods that a webhook has let go, as long as they are there. */
export function leavingPods(
  object: KubeObject,
  present: ReadonlyMap<string, readonly Pod[]>,
  now: number,
): { leaving: Map<string, Map<string, RecordedSubset>>; late: Overdue[] } {
  const leaving = new Map<string, Map<string, RecordedSubset>>();
  const late: Overdue[] = [];
  for (const [version, places] of recordedIn(object, 'deletingPods', now)) {
    const active = new Set(
      (present.get(version) ?? []).filter(isActive).map(({ metadata }) => metadata.name),
    );
    const all = [...places].filter(([name]) => active.has(name));
    const kept = all.filter(([, { at }]) => now < at + LEAVING_MS);
    for (const [id, { subset }] of all.filter((each) => !kept.includes(each)))
      late.push({ what: 'delete', id, subset });
    if (kept.length > 0) leaving.set(version, new Map(kept));
  }
  return { leaving, late };
}
