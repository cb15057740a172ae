import type { Pod } from '../pod/types.ts';
import { objectOf } from '../values/read.ts';

/** The points in the life of a pod at which it may wait for another controller. */
export const HOOKS = ['preDelete', 'inPlaceUpdate', 'preNormal'] as const;
export type HookName = (typeof HOOKS)[number];

/**
 * One hook (OpenKruise inplace-update, section 2). Its handlers are labels and finalizers of a pod. Before a deletion or an
 * update, a pod waits as long as it has one of them. Before it counts as Normal, it waits until it has all of them.
 */
export interface Hook {
  readonly labels: Readonly<Record<string, string>>;
  readonly finalizers: readonly string[];
  /** While the pod waits, it is kept out of traffic. Without effect in preNormal. */
  readonly markPodNotReady: boolean;
}

/** The hooks of a workload. A hook that is absent holds no pod. */
export type Lifecycle = Readonly<Partial<Record<HookName, Hook>>>;

/** The lifecycle of a workload without hooks. */
export const noHooks: Lifecycle = {};

/** Reads the field `lifecycle` of a workload. A part of another type is read as absent; an empty map is no lifecycle. */
export function readLifecycle(value: unknown): Lifecycle {
  const lifecycle = objectOf(value);
  const found: Partial<Record<HookName, Hook>> = {};
  for (const name of HOOKS) {
    const hook = lifecycle[name];
    if (typeof hook !== 'object' || hook === null || Array.isArray(hook)) continue;
    const { labelsHandler, finalizersHandler, markPodNotReady } = hook;
    const finalizers: unknown[] = Array.isArray(finalizersHandler) ? finalizersHandler : [];
    found[name] = {
      labels: Object.fromEntries(
        Object.entries(objectOf(labelsHandler)).filter(
          (entry): entry is [string, string] => typeof entry[1] === 'string',
        ),
      ),
      finalizers: finalizers.filter((each) => typeof each === 'string'),
      markPodNotReady: markPodNotReady === true,
    };
  }
  return Object.keys(found).length === 0 ? noHooks : found;
}

/** Whether a hook that precedes the update or the deletion of a pod keeps it out of traffic meanwhile. */
export function marksNotReady({ preDelete, inPlaceUpdate }: Lifecycle): boolean {
  return preDelete?.markPodNotReady === true || inPlaceUpdate?.markPodNotReady === true;
}

/** A handler of a hook: a label with its value, or a finalizer. */
export type Handler = { label: string; value: string } | { finalizer: string };

/** The handlers of a hook that a pod has, or lacks, in a fixed order. */
export function handlersOf(hook: Hook, { metadata }: Pick<Pod, 'metadata'>, has: boolean): Handler[] {
  const { labels = {}, finalizers = [] } = metadata;
  const named = Object.entries(hook.labels)
    .filter(([key, value]) => (labels[key] === value) === has)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    ...named.map(([label, value]) => ({ label, value })),
    ...hook.finalizers
      .filter((each) => finalizers.includes(each) === has)
      .sort()
      .map((finalizer) => ({ finalizer })),
  ];
}

/** Whether a hook holds a pod: the pod has one of its handlers (OpenKruise inplace-update, rule 6.9: "hooked"). */
export function isHooked(hook: Hook | undefined, pod: Pick<Pod, 'metadata'>): boolean {
  return hook !== undefined && handlersOf(hook, pod, true).length > 0;
}

/** Whether a pod has every handler of a hook (rule 6.9: "all hooked"). A hook without handlers holds nothing. */
export function isWhole(hook: Hook, pod: Pick<Pod, 'metadata'>): boolean {
  return handlersOf(hook, pod, false).length === 0;
}
