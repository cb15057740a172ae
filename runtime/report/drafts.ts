import type { ApiError } from '../../schemas/wire/cluster.ts';
import type { Action, EventDraft } from '../../semantics/decision.ts';
import type { PhaseTransition } from '../../semantics/plan/state.ts';

/** The Event of a phase transition of a rollout. */
export function transitionEvent({ reason, message, warning }: PhaseTransition): EventDraft {
  return { type: warning ? 'Warning' : 'Normal', reason, message };
}

const reasons = { create: 'FailedCreate', delete: 'FailedDelete', reserve: 'FailedReserve' } as const;

/** The Event about a write that the server refused (OpenKruise's rules, section 8). */
export function refusalEvent(action: Action, message: string): EventDraft {
  return {
    type: 'Warning',
    reason: action.do === 'patch' || action.do === 'exec' ? failedUpdate(action) : reasons[action.do],
    message: `${action.verb}: ${message}`,
  };
}

/** The Event about a pod that no target decides about, whose containers or gate wait, because the server refuses a write. */
export function launchRefusalEvent({ verb }: Action, error: ApiError): EventDraft {
  return { type: 'Warning', reason: FAILED_LAUNCH, message: `${verb}: ${error.status.message}` };
}

/** The policies allow the runtime no other Events about pods. */
export const FAILED_LAUNCH = 'FailedLaunch';

/** A pod to be recreated is marked first: a refused mark is not a refused in-place update. */
function failedUpdate({ verb }: Action): string {
  return verb === 'mark for recreation' ? 'FailedUpdatePodReCreate' : 'FailedUpdatePodInPlace';
}
