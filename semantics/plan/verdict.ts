import type { RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import { withoutStop } from './capacity.ts';
import { type Accepted, hasVerdict, activePlan, newestFirst } from './memory.ts';
import type { RolloutView } from './rollout-view.ts';
import { chooseOne, remediationCommand } from './remediation-command.ts';

/**
 * The verdict on a revision: a failure, or a user's command, applies until `Resume` or a higher `attempt`
 * (docs/explanation/steps.md). The latest plan to the same revision decides. If a plan to another revision was accepted
 * since, attempts count anew, as they do in git; but a plan that has failed itself is not tried again.
 *
 * A plan that only grew claims says nothing of other sizes.
 *
 * @param to the revision, and the sizes of claims
 * @param plan the plan that would start; undefined: none, as in Auto
 * @returns the verdict and what to do, as the end of a sentence; undefined: none applies
 */
export function verdictOn(
  memory: readonly Accepted[],
  view: RolloutView,
  to: { hash: string; claims?: string | undefined },
  plan?: Pick<RolloutPlanSpec, 'digest' | 'attempt'>,
): string | undefined {
  const accepted = newestFirst(memory).filter((m) => m.progress.phase !== 'Pending');
  const { hash } = to;
  const last = accepted.find(
    ({ spec, progress }) =>
      spec.to.hash === hash && (spec.to.claims === to.claims || progress.before?.stable !== hash),
  );
  if (last === undefined || !hasVerdict(last.progress)) return undefined;
  const elsewhere = accepted[0]?.spec.to.hash !== hash;
  const itself = accepted.some((m) => m.spec.digest === plan?.digest && hasVerdict(m.progress));
  const had = elsewhere ? 1 : (last.spec.attempt ?? 1);
  if (!itself && (plan?.attempt ?? 1) > had) return undefined;
  const { phase, reason = '', message = '' } = last.progress;
  const why = message === '' ? '' : `: ${withoutStop(message)}`;
  const ended = `leads to a revision whose rollout ended ${phase} (${reason})${why}`;
  const again = `kruise plan --again --target ${view.kind}/${view.name}`;
  const ways = ['revert the commit in git', `commit another attempt, where the change is merged: ${again}`];
  if (last.spec.digest === activePlan(memory)?.spec.digest)
    ways.push(`retry: ${remediationCommand('resume', view, last)}`);
  return `${ended}. ${chooseOne(ways)}`;
}
