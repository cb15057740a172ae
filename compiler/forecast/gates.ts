import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import { parseDuration } from '../../semantics/values/duration.ts';

/** What the gates of a plan ask for, and what a failed step does. */
export interface Gates {
  /** IDs of the steps that wait for approval. */
  approvals: string[];
  /** IDs of the steps that wait for a check. */
  checks: string[];
  /** The sum of all soaks, milliseconds. */
  soakMs: number;
  /** The sum of the times for which checks must pass, milliseconds. The time until a check answers is unknown. */
  checksMs: number;
  /** The effect of a failed step: `Halt` stops the rollout, `Revert` goes back. */
  onFailure: 'Halt' | 'Revert';
}

export function gatesOf(steps: readonly Step[]): Gates {
  return {
    approvals: idsOf(steps, 'approve'),
    checks: idsOf(steps, 'check'),
    soakMs: sum(steps.map(({ soak }) => parseDuration(soak?.for ?? '') ?? 0)),
    checksMs: sum(steps.map(({ check }) => parseDuration(check?.for ?? '') ?? 0)),
    onFailure: steps.some(({ onFailure }) => onFailure === 'Revert') ? 'Revert' : 'Halt',
  };
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function idsOf(steps: readonly Step[], verb: 'approve' | 'check'): string[] {
  return steps.filter((step) => step[verb] !== undefined).map(({ id }) => id);
}
