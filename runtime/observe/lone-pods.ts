import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import { gateRecordsOf, gatesOf } from '../../semantics/kinds/need.ts';
import { isWaiting } from '../../semantics/pod/gated.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { isForeignLaunch } from './foreign-launch.ts';
import { kindId } from './ids.ts';
import { type TargetKey, targetKey } from './target-key.ts';

/** Why a pod is let go by itself: no target removes its gate, or one would that cannot read where the pod may run. */
export type LetGo = 'Unclaimed' | 'TooLarge';

/**
 * The pods that are reconciled by themselves, without a target: of other owners, with containers that wait for their priority; and those
 * that wait with a scheduling gate which targets of watched kinds remove, where no such target selects them, or only a stub is cached.
 */
export interface LonePods {
  /** The gates that targets remove. */
  readonly gates: readonly string[];
  /** The annotations that they write as they do. */
  readonly records: readonly string[];
  watch(kind: Kind): void;
  /** Whether a target removes gates of the pods that it selects. */
  isRemoving(key: TargetKey): boolean;
  /** Whether a pod may be reconciled by itself: it is cached for that. */
  mayBe(pod: KubeObject): boolean;
  /** Whether a pod that is cached whole is. */
  has(pod: KubeObject): boolean;
  /** Whether it waits with such a gate, and no target that removes it selects it. */
  isUnclaimed(pod: KubeObject): boolean;
  /**
   * Why a pod that waits is not left to a target; undefined: it is, or does not wait.
   *
   * @param cached what targets see of it
   */
  letGo(pod: KubeObject, cached: KubeObject | undefined): LetGo | undefined;
  /** The pod, if it is reconciled by itself; `TooLarge`: only a stub of it is cached, and it has to be read. */
  of(pod: KubeObject | undefined): Pod | 'TooLarge' | undefined;
  /** Whether all targets in a namespace that could remove a gate are known. */
  areTargetsKnown(namespace: string): boolean;
}

export function createLonePods({
  keysOf,
  isStub,
  isSynced,
  isServed,
}: {
  /** The targets that select a pod. */
  keysOf(pod: KubeObject): readonly TargetKey[];
  /** Whether this is the stub of a pod that may be reconciled by itself. */
  isStub(pod: KubeObject): boolean;
  isSynced(key: TargetKey): boolean;
  /** False: objects of the kind do not exist. */
  isServed(kind: Kind): boolean;
}): LonePods {
  /** Made once for each kind: each change of each pod asks for them. */
  const removing = new Map<string, Kind>();
  const gates: string[] = [];
  const records: string[] = [];
  const isRemoving = (key: TargetKey): boolean => removing.has(kindId(key));
  const isClaimed = (pod: KubeObject): boolean => keysOf(pod).some(isRemoving);
  const isUnclaimed = (pod: KubeObject): boolean => isWaiting(pod, gates) && !isClaimed(pod);

  return {
    gates,
    records,
    watch(kind) {
      const own = gatesOf(kind.uses);
      if (own.length === 0) return;
      removing.set(kindId(kind.id), kind);
      gates.push(...own);
      records.push(...gateRecordsOf(kind.uses));
    },
    isRemoving,
    mayBe: (pod) => isForeignLaunch(pod) || isWaiting(pod, gates),
    has: (pod) => isForeignLaunch(pod) || isStub(pod) || isUnclaimed(pod),
    isUnclaimed,
    letGo(pod, cached) {
      if (!isWaiting(pod, gates)) return undefined;
      if (!isClaimed(pod)) return 'Unclaimed';
      const isSeen = cached !== undefined && isWaiting(cached, gates) && isClaimed(cached);
      return isSeen ? undefined : 'TooLarge';
    },
    of(pod) {
      if (pod === undefined) return undefined;
      if (isStub(pod)) return 'TooLarge';
      return isForeignLaunch(pod) || isUnclaimed(pod) ? (pod as Pod) : undefined;
    },
    areTargetsKnown: (namespace) =>
      [...removing.values()].every(
        (kind) => !isServed(kind) || isSynced(targetKey(kind.id, namespace, 'any')),
      ),
  };
}
