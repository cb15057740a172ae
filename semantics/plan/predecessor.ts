import type { PlanPredecessor } from '../../schemas/generated/types/rolloutplan.ts';
import { type Accepted, hasVerdict, activePlan } from './memory.ts';
import type { PlanObject, RolloutView } from './rollout-view.ts';
import { remediationCommand } from './remediation-command.ts';
import { columnOf } from './table.ts';

/** Plans that are ordered among each other may come in another order within one sync. */
const OTHERS_ARRIVE_MS = 10_000;

/** Another target that a plan comes `after`, as it is now. */
export interface Predecessor {
  reference: PlanPredecessor;
  /** Undefined: it is not there. `unreadable`: the rules fail on it, or it is too large. */
  view: RolloutView | 'unreadable' | undefined;
  plans: readonly PlanObject[];
  memory: readonly Accepted[];
}

/**
 * What a plan waits for among the targets it comes after: each must be where its manifest says, by a plan that succeeded
 * or without one; one whose rollout has failed keeps it waiting (plan, section 9). Undefined: it may begin.
 */
export function waitsForPredecessor(
  plan: PlanObject,
  predecessors: readonly Predecessor[],
  now: number,
): string | undefined {
  for (const predecessor of predecessors) {
    const why = unsettled(predecessor);
    if (why === undefined) continue;
    const { kind, namespace, name } = predecessor.reference;
    return `comes after ${kind} ${namespace === undefined ? name : `${namespace}/${name}`}, ${why}`;
  }
  if (predecessors.length === 0 || now >= plan.since + OTHERS_ARRIVE_MS) return undefined;
  return 'waits 10 s for the plans of its predecessors';
}

/** Until when a plan that is ordered among others gives them time to arrive; undefined: it is not. */
export function predecessorsTimeoutAt({ spec, since }: PlanObject): number | undefined {
  const ordered = spec.after !== undefined || spec.group !== undefined;
  return ordered ? since + OTHERS_ARRIVE_MS : undefined;
}

function unsettled({ view, plans, memory }: Predecessor): string | undefined {
  if (view === undefined) return 'which is not there';
  if (view === 'unreadable') return 'which cannot be read; its own status shows why';
  const current = activePlan(memory);
  const phase = current?.progress.phase;
  const column = columnOf(phase);
  if (column === 'active' || column === 'Reverting') return `whose rollout is ${phase ?? ''}`;
  if (current !== undefined && hasVerdict(current.progress) && current.spec.to.hash === view.liveHash)
    return `whose rollout is ${phase ?? ''}; fix that one, then ${remediationCommand('resume', view, current)}`;
  if (view.liveHash !== view.stable) return 'which is not at the revision of its manifest';
  // A plan that leads elsewhere than the manifest was left behind, and one that leads here has nothing more to do.
  const waiting = plans.find((plan) => plan.refused !== undefined || plan.spec.to.hash === view.liveHash);
  const open = waiting !== undefined && waiting.spec.digest !== current?.spec.digest;
  return open ? `whose plan ${waiting.name} is not active yet` : undefined;
}
