import type { Accepted } from './memory.ts';
import type { RolloutView } from './rollout-view.ts';

/** Plans a change that is committed already: compares with the state before COMMIT, which the text around it has to name. */
export const PLAN_FROM_BEFORE = planFromBefore('MANIFEST');

/** The same for a manifest, or the folder that is planned; a shell reads it. Without a path, an older base is refused. */
export function planFromBefore(path: string): string {
  return `kruise plan ${path} --base COMMIT~1`;
}

/** Plans from the state of COMMIT, which the text around it has to name. */
export const PLAN_FROM_RUNNING = 'kruise plan MANIFEST --base COMMIT';

/** Alternatives, numbered, as a sentence. */
export function chooseOne(ways: readonly string[]): string {
  return `Choose one: ${ways.map((way, at) => `(${at + 1}) ${way}`).join('; ')}`;
}

/** The command line that sends a command about a plan, to be copied from a message. */
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
