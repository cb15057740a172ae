import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import { gatesOf } from '../../semantics/kinds/need.ts';
import { isWaiting } from '../../semantics/pod/gated.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { isForeignLaunch } from './foreign-launch.ts';
import { kindId } from './ids.ts';
import { type TargetKey, targetKey } from './target-key.ts';

/**
 * The pods that are reconciled by themselves, without a target: of other owners, with containers that wait for their priority; and those
 * that wait with a scheduling gate which targets of watched kinds remove, where no such target selects them.
 */
export interface LonePods {
  /** The gates that targets remove. */
  readonly gates: readonly string[];
  /** Whether a pod may be reconciled by itself: it is cached for that. */
  mayBe(pod: KubeObject): boolean;
  /** Whether a pod that is cached whole is. */
  has(pod: KubeObject): boolean;
  /** Whether it waits with such a gate, and no target that removes it selects it. */
  isUnclaimed(pod: KubeObject): boolean;
  /** The pod, if it is reconciled by itself; `TooLarge`: only a stub of it is cached, and it has to be read. */
  of(pod: KubeObject | undefined): Pod | 'TooLarge' | undefined;
  /** Whether all targets in a namespace that could remove a gate are known. */
  areTargetsKnown(namespace: string): boolean;
}

export function createLonePods({
  watched,
  keysOf,
  isStub,
  isSynced,
  isServed,
}: {
  watched(): readonly Kind[];
  /** The targets that select a pod. */
  keysOf(pod: KubeObject): readonly TargetKey[];
  /** Whether this is the stub of a pod that may be reconciled by itself. */
  isStub(pod: KubeObject): boolean;
  isSynced(key: TargetKey): boolean;
  /** False: objects of the kind do not exist. */
  isServed(kind: Kind): boolean;
}): LonePods {
  const gating = (): Kind[] => watched().filter(({ uses }) => gatesOf(uses).length > 0);
  const gates = (): string[] => gating().flatMap(({ uses }) => gatesOf(uses));

  function isUnclaimed(pod: KubeObject): boolean {
    if (!isWaiting(pod, gates())) return false;
    const removing = gating().map(({ id }) => kindId(id));
    return !keysOf(pod).some((key) => removing.includes(kindId(key)));
  }

  return {
    get gates() {
      return gates();
    },
    mayBe: (pod) => isForeignLaunch(pod) || isWaiting(pod, gates()),
    has: (pod) => isForeignLaunch(pod) || isStub(pod) || isUnclaimed(pod),
    isUnclaimed,
    of(pod) {
      if (pod === undefined) return undefined;
      if (isStub(pod)) return 'TooLarge';
      return isForeignLaunch(pod) || isUnclaimed(pod) ? (pod as Pod) : undefined;
    },
    areTargetsKnown: (namespace) =>
      gating().every((kind) => !isServed(kind) || isSynced(targetKey(kind.id, namespace, 'any'))),
  };
}
