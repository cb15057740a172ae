import { underShare } from '../../semantics/children/share-budget.ts';
import { plannedKindOf } from '../../semantics/registry/registry.ts';
import { underRecorded } from '../../semantics/limits/recorded.ts';
import { targetLimits } from '../../semantics/limits/target-limits.ts';
import type { PodOwner } from '../../semantics/limits/pod-owners.ts';
import { controllerOf, groupKindOf, isOwnedBy } from '../../semantics/owner.ts';
import { activePlan, parseSnapshot } from '../../semantics/plan/memory.ts';
import { isHeld, presentWindow } from '../../semantics/plan/window.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import type { Caches } from './caches.ts';
import { targetKey } from './target-key.ts';

type OwnerCaches = Pick<Caches, 'target' | 'podsOf' | 'revisionsOf'>;

/** The targets that control these pods and whose rules say how many of their pods may be unavailable, each once. */
export function ownersOf(caches: OwnerCaches, pods: readonly Pod[]): PodOwner[] {
  const found = new Map<string, PodOwner | undefined>();
  for (const pod of pods) {
    const uid = controllerOf(pod)?.uid;
    if (uid !== undefined && !found.has(uid)) found.set(uid, ownerOf(caches, pod));
  }
  return [...found.values()].filter((owner) => owner !== undefined);
}

/** Undefined where the rules of the owner cannot read it: its own reconcile reports that, and any other one goes on. */
function ownerOf(caches: OwnerCaches, pod: Pod): PodOwner | undefined {
  try {
    return readOwner(caches, pod);
  } catch {
    return undefined;
  }
}

function readOwner(caches: OwnerCaches, pod: Pod): PodOwner | undefined {
  const reference = controllerOf(pod);
  const kind = reference && plannedKindOf(groupKindOf(reference));
  if (reference === undefined || kind === undefined) return undefined;
  const namespace = kind.resource.namespaced ? (pod.metadata.namespace ?? '') : '';
  const target = caches.target(targetKey(kind.id, namespace, reference.name));
  if (target === undefined || !isOwnedBy(pod, target)) return undefined;
  const records = caches.revisionsOf(target).flatMap((object) => parseSnapshot(object) ?? []);
  const active = activePlan(records);
  const { recorded, phase } = active?.progress ?? {};
  const isUnder = recorded !== undefined && phase !== undefined && isHeld(phase);
  const held = isUnder ? underRecorded(kind.limits, target, recorded) : target;
  const own = kind.budget(target, undefined);
  if (own === undefined) return undefined;
  const limits = targetLimits(kind.limits, target, own.replicas);
  // Neither a plan object for a way back nor BreakGlass is looked up: they let the owner's own updates take more pods.
  const budget = kind.budget(held, presentWindow({ limits }, active, []));
  return budget === undefined
    ? undefined
    : {
        uid: reference.uid,
        name: `${kind.id.kind} ${namespace}/${reference.name}`,
        ...underShare(target, budget),
        pods: caches.podsOf(target),
      };
}
