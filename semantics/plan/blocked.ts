import type { PlanObject } from './plan-object.ts';
import type { FactName } from './table.ts';

/** Why a plan object is not active, or the active plan does not go on. */
export interface Blocked {
  fact: FactName;
  reason: string;
  message: string;
  /** The clocks are stopped, but pods may be updated. */
  allowsUpdates?: boolean;
}

/** What is known of a fact that blocks. */
interface Found extends Omit<Partial<Blocked>, 'message'> {
  message: string;
  plan?: Pick<PlanObject, 'refused'>;
}

export function blockedBy(fact: FactName, found: Found): Blocked {
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
