import type { Accepted } from './memory.ts';
import type { RolloutView } from './rollout-view.ts';

/** The command line that says it, as a person would type it. */
export function remediationCommand(
  verb: 'approve' | 'pause' | 'resume' | 'abort' | 'revert',
  view: RolloutView,
  { spec }: Pick<Accepted, 'spec'>,
  step?: string,
): string {
  const at = step === undefined ? '' : ` --step ${step}`;
  const where = view.namespace === '' ? '' : ` -n ${view.namespace}`;
  return `kruise ${verb} ${view.kind}/${view.name}${where}${at} --digest ${spec.digest}`;
}
