import type { PlanPredecessor } from '../../schemas/generated/types/rolloutplan.ts';
import { type Accepted, hasVerdict, activePlan } from './memory.ts';
import type { PlanObject } from './plan-object.ts';
import type { RolloutView } from './rollout-view.ts';
import { remediationCommand } from './remediation-command.ts';
import { SYNC_MS } from './sync-order.ts';
import { columnOf } from './table.ts';

/** The state of another target that a plan comes `after`. */
export interface Predecessor {
  reference: PlanPredecessor;
  /** Undefined: it does not exist. `unreadable`: the rules fail on it, or it is too large. */
  view: RolloutView | 'unreadable' | undefined;
  plans: readonly PlanObject[];
  memory: readonly Accepted[];
}

/**
 * What a plan waits for among the targets that it comes after (docs/explanation/order.md), as a sentence; undefined: it may
 * start. Each target must be complete on the revision of its manifest, with a plan that succeeded or without one. One whose
 * rollout has failed keeps the plan waiting.
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
  if (predecessors.length === 0 || now >= plan.since + SYNC_MS) return undefined;
  return 'waits 10s for the plans of its predecessors';
}

/** Until when a plan waits for the plans of its predecessors, milliseconds since 1970; undefined: it comes after none. */
export function predecessorsTimeoutAt({ spec, since }: PlanObject): number | undefined {
  const ordered = spec.after !== undefined || spec.group !== undefined;
  return ordered ? since + SYNC_MS : undefined;
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
  // A plan to another revision than that of the manifest is obsolete, and need not be waited for.
  const waiting = plans.find((plan) => plan.refused !== undefined || plan.spec.to.hash === view.liveHash);
  const open = waiting !== undefined && waiting.spec.digest !== current?.spec.digest;
  return open ? `whose plan ${waiting.name} is not active yet` : undefined;
}
