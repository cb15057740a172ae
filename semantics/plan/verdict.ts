import type { RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import { type Accepted, hasVerdict, activePlan, newestFirst } from './memory.ts';
import type { RolloutView } from './rollout-view.ts';
import { remediationCommand } from './remediation-command.ts';

/**
 * A failure or a person's word about a change stands until `Resume`, or a higher `attempt` (plan, section 6): the latest
 * plan to the same revision tells. When another plan has been in force since, attempts count anew, as they do in git,
 * where the plan file in between knew of none; but a plan that has failed itself has had its attempt.
 *
 * @param plan the one that asks; undefined: none does, as in Auto
 * @returns a sentence about where it leads and what to do; undefined: nothing stands
 */
export function verdictOn(
  memory: readonly Accepted[],
  view: RolloutView,
  hash: string,
  plan?: Pick<RolloutPlanSpec, 'digest' | 'attempt'>,
): string | undefined {
  const accepted = newestFirst(memory).filter((m) => m.progress.phase !== 'Pending');
  const last = accepted.find((m) => m.spec.to.hash === hash);
  if (last === undefined || !hasVerdict(last.progress)) return undefined;
  const elsewhere = accepted[0]?.spec.to.hash !== hash;
  const itself = accepted.some((m) => m.spec.digest === plan?.digest && hasVerdict(m.progress));
  const had = elsewhere ? 1 : (last.spec.attempt ?? 1);
  if (!itself && (plan?.attempt ?? 1) > had) return undefined;
  const ended = `leads to a revision whose rollout ended ${last.progress.phase} (${last.progress.reason ?? ''})`;
  const resume =
    last.spec.digest === activePlan(memory)?.spec.digest
      ? `${remediationCommand('resume', view, last)}, `
      : '';
  return `${ended}; ${resume}revert the manifest, or plan it again with kruise plan --again`;
}
