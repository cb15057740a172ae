import { type ClaimRetention, deletedWithPod, isRetainedDespiteMark, isScaledIn } from '../claims/marks.ts';
import { claimsOf, terminatingClaim, hasPod, idOf, isTerminating } from '../claims/unit.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { isCountObserved, numberOf, podsCreated, settledAt } from './counter.ts';
import type { CloneSetView } from './view.ts';

/** What happens to claims whose pod is gone, according to `scaleStrategy`. */
export function retentionOf(view: CloneSetView, now: number): ClaimRetention {
  return {
    ...reuseRules(view),
    lostAt(claim) {
      if (hasPod(view, claim)) return undefined;
      const settled = settledAt(claim);
      // Once that time has passed its number is counted, and the claim can be deleted afterwards.
      if (neverHadPod(view, claim)) return settled > now ? settled : undefined;
      return settled > now && isCountObserved(view, numberOf(claim)) ? now : settled;
    },
  };
}

function reuseRules({ active, spec }: CloneSetView): Pick<ClaimRetention, 'retainsLost' | 'isWanted'> {
  return { retainsLost: spec.reuseClaims, isWanted: () => active.length < spec.replicas };
}

/**
 * Ids whose claims a new pod can reuse: those of lost pods (OpenKruise cloneset, rule 6.7), and those whose pod was never
 * created. Without the latter, every refused creation of a pod would leave further claims.
 */
export function freeIds(view: CloneSetView): string[] {
  if (!view.spec.reuseClaims) {
    const ids = view.claims.filter((claim) => neverHadPod(view, claim)).map((claim) => idOf(view, claim));
    return [...new Set(ids)].filter((id) => terminatingClaim(view, id) === undefined).sort();
  }
  const reuse = reuseRules(view);
  const inUse = new Set(view.active.map((pod) => idOf(view, pod)));
  const ids = view.claims
    .filter(
      (claim) =>
        !isTerminating(claim) &&
        (deletedWithPod(claim) === undefined || isRetainedDespiteMark(view, claim, reuse)),
    )
    .map((claim) => idOf(view, claim))
    .filter((id) => id !== '' && !inUse.has(id));
  // Claims that were marked for a scale-in come last: the others were never meant to be deleted.
  const isLast = (id: string): number => (claimsOf(view, id).every(isScaledIn) ? 1 : 0);
  return [...new Set(ids)].sort().sort((a, b) => isLast(a) - isLast(b));
}

/** No pod of this id was ever counted. Each is counted in the reconcile after its creation. */
function neverHadPod(view: CloneSetView, claim: KubeObject): boolean {
  return numberOf(claim) >= podsCreated(view) && !isTerminating(claim);
}
