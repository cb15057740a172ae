import { podNameOf } from '../claims/unit.ts';
import type { Pod } from '../pod/types.ts';
import { ordinalOf, ordinalsIn } from './ordinals.ts';
import type { StatefulSetView } from './view.ts';

/** An ordinal that has a pod, or is to have one. */
export interface Slot {
  readonly ordinal: number;
  /** How many slots have a lower ordinal. */
  readonly index: number;
  /** The name of its pod. */
  readonly name: string;
  /** Its pod, if that counts; undefined: it has none, or one of the following. */
  readonly pod: Pod | undefined;
  /** Its pod, if that has failed or succeeded. */
  readonly ended: Pod | undefined;
  /** Its pod, if that is being deleted. */
  readonly terminating: Pod | undefined;
}

/** The slots of a StatefulSet in ascending order, and its other pods. */
export interface Layout {
  readonly slots: readonly Slot[];
  /** Pods whose ordinal is out of range or reserved, highest ordinal first: they count, or have ended. */
  readonly condemned: readonly Pod[];
  /** The same pods that are being deleted. */
  readonly leaving: readonly Pod[];
}

/** Arranges the pods of a StatefulSet by ordinal (OpenKruise advanced-statefulset, rule 6.2 step 5). */
export function layoutOf({ target, spec, active, ended, terminating }: StatefulSetView): Layout {
  const set = target.metadata.name;
  const present = byOrdinal(active, set);
  const finished = byOrdinal(ended, set);
  const going = byOrdinal(terminating, set);
  const slots = ordinalsIn(spec).map((ordinal, index): Slot => {
    const slot: Slot = {
      ordinal,
      index,
      name: podNameOf(target, String(ordinal)),
      pod: present.get(ordinal),
      ended: finished.get(ordinal),
      terminating: going.get(ordinal),
    };
    for (const pods of [present, finished, going]) pods.delete(ordinal);
    return slot;
  });
  const others = [...present, ...finished].sort(([a], [b]) => b - a);
  return { slots, condemned: others.map(([, pod]) => pod), leaving: [...going.values()] };
}

function byOrdinal(pods: readonly Pod[], set: string): Map<number, Pod> {
  return new Map(pods.map((pod) => [ordinalOf(pod.metadata.name, set) ?? -1, pod] as const));
}
