import type { Accepted } from './memory.ts';
import type { RolloutView } from './rollout-view.ts';

/** The command line that says it, as a person would type it. */
export function saying(
  verb: 'approve' | 'pause' | 'resume' | 'abort' | 'revert',
  view: RolloutView,
  { spec }: Pick<Accepted, 'spec'>,
  step?: string,
): string {
  const at = step === undefined ? '' : ` --step ${step}`;
  return `kruise ${verb} ${view.kind}/${view.name} -n ${view.namespace}${at} --digest ${spec.digest}`;
}
