import type { FactDetails } from './situation.ts';
import type { FactName } from './table.ts';

/** Why a plan object is not active, or the active plan does not go on. */
export interface Blocked {
  fact: FactName;
  reason: string;
  message: string;
  /** The clocks are stopped, but pods may be updated. */
  allowsUpdates?: boolean;
}

export function blockedBy(fact: FactName, found: FactDetails): Blocked {
  const reasons: Partial<Record<FactName, string>> = {
    targetUnsupported: 'UnsupportedSemantics',
    planUnverified: found.plan?.refused?.reason ?? 'Unverified',
    duplicatePlans: 'DuplicateTarget',
    newPlanNeither: 'NotSuperseding',
    planMissing: 'PlanMissing',
    manifestElsewhere: 'ManifestChanged',
    unlistedPod: 'UnplannedRevision',
    beyondMode: 'ModeMismatch',
    verdictStands: 'Verdict',
    paused: 'Paused',
    targetPaused: 'TargetPaused',
    windowMismatch: 'WindowMismatch',
    breakGlass: 'BreakGlass',
    predecessor: 'Predecessor',
    queued: 'Queued',
    tooManyBroken: 'TooManyBroken',
    capacity: 'NoCapacity',
  };
  return {
    fact,
    reason: found.reason ?? reasons[fact] ?? 'Blocked',
    message: found.message,
    ...(found.allowsUpdates === true ? { allowsUpdates: true } : {}),
  };
}

/** Whether this keeps a plan from updating further units. */
export function stopsUpdates(blocked: Blocked | undefined): boolean {
  return blocked !== undefined && blocked.allowsUpdates !== true;
}
