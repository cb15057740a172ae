import { type ClaimRetention, deletedWithPod, isOrphanedClaim, isScaledIn } from '../claims/marks.ts';
import { claimsOf, terminatingClaim, hasPod, idOf, isTerminating } from '../claims/unit.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { isCountObserved, numberOf, podsCreated } from './counter.ts';
import { settledAt } from './settled-claim.ts';
import type { CloneSetView } from './view.ts';

/** What becomes of claims whose pod is gone, as `scaleStrategy` says. */
export function retentionOf(view: CloneSetView, now: number): ClaimRetention {
  return {
    ...reuseOf(view),
    lostAt(claim) {
      if (hasPod(view, claim)) return undefined;
      const settled = settledAt(claim);
      // It is counted then, and goes after that.
      if (neverHadPod(view, claim)) return settled > now ? settled : undefined;
      return settled > now && isCountObserved(view, numberOf(claim)) ? now : settled;
    },
  };
}

function reuseOf({ active, spec }: CloneSetView): Pick<ClaimRetention, 'keepsLost' | 'isWanted'> {
  return { keepsLost: spec.reuseClaims, isWanted: () => active.length < spec.replicas };
}

/**
 * What a new pod may take over: the claims of pods that went by themselves, by id (OpenKruise cloneset, rule 6.7), and
 * those whose pod was never made, or every refusal of it would leave some more.
 */
export function freeIds(view: CloneSetView): string[] {
  if (!view.spec.reuseClaims) {
    const ids = view.claims.filter((claim) => neverHadPod(view, claim)).map((claim) => idOf(view, claim));
    return [...new Set(ids)].filter((id) => terminatingClaim(view, id) === undefined).sort();
  }
  const reuse = reuseOf(view);
  const inUse = new Set(view.active.map((pod) => idOf(view, pod)));
  const ids = view.claims
    .filter(
      (claim) =>
        !isTerminating(claim) && (deletedWithPod(claim) === undefined || isOrphanedClaim(view, claim, reuse)),
    )
    .map((claim) => idOf(view, claim))
    .filter((id) => id !== '' && !inUse.has(id));
  // What was to be scaled in comes last: the others were never to go.
  const isLast = (id: string): number => (claimsOf(view, id).every(isScaledIn) ? 1 : 0);
  return [...new Set(ids)].sort().sort((a, b) => isLast(a) - isLast(b));
}

/** No pod of that id was counted, as each is in the reconcile after it was made. */
function neverHadPod(view: CloneSetView, claim: KubeObject): boolean {
  return numberOf(claim) >= podsCreated(view) && !isTerminating(claim);
}
