import type { KubeObject } from '../../schemas/wire/object.ts';
import { type Need, needOf } from '../../semantics/kinds/need.ts';
import { createSelections } from './selections.ts';
import type { TargetKey } from './target-key.ts';

/** The pods that targets select, and whether all of them are known. */
export interface Selected {
  /** A target selects what it needs, from now on. `kept`: the pods that are kept now. */
  need(key: TargetKey, needs: readonly Need[], kept: Iterable<KubeObject>): void;
  /** Whether a target selects any. */
  has(key: TargetKey): boolean;
  /** Whether any target selects such a pod. */
  selects(pod: KubeObject): boolean;
  /** A pod changed or went. Returns the targets that select it, or did until now. */
  pod(object: KubeObject, gone: boolean): readonly TargetKey[];
  /** Undefined: some that nobody had kept are still to be listed. `listed`: the last list of pods that is complete. */
  podsOf(key: TargetKey, listed: number): readonly KubeObject[] | undefined;
}

/** @param listAgain lists all pods again; returns which list that is */
export function createSelected(listAgain: () => number): Selected {
  const selections = createSelections();
  /** The list that shows all that a target selects. */
  const shownBy = new Map<TargetKey, number>();
  return {
    need(key, needs, kept) {
      const need = needOf(needs, 'SelectedPods');
      // Pods that a target begins to select were not kept before.
      if (selections.target(key, need, kept)) shownBy.set(key, listAgain());
      else if (need === undefined) shownBy.delete(key);
    },
    has: (key) => shownBy.has(key),
    selects: selections.selects,
    pod: selections.pod,
    podsOf: (key, listed) => (listed < (shownBy.get(key) ?? 0) ? undefined : selections.podsOf(key)),
  };
}
