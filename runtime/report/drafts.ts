import type { ApiError } from '../../schemas/wire/cluster.ts';
import type { Action, EventDraft } from '../../semantics/decision.ts';
import type { Turn } from '../../semantics/plan/state.ts';

/** The Event that tells of a turn of a roll-out. */
export function turnEvent({ reason, message, warning }: Turn): EventDraft {
  return { type: warning ? 'Warning' : 'Normal', reason, message };
}

const reasons = {
  create: 'FailedCreate',
  delete: 'FailedDelete',
  patch: 'FailedUpdatePodInPlace',
} as const satisfies Record<Action['do'], string>;

/** The Event that tells what the server refused. */
export function refusalEvent(action: Action, error: ApiError): EventDraft {
  return { type: 'Warning', reason: reasons[action.do], message: `${action.verb}: ${error.status.message}` };
}
