import { withoutEarlierErrors } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Configuration } from '../load/configuration.ts';
import { idleBatches } from './batch-rules.ts';
import type { Change } from './change.ts';
import { PLANNED_ACTIONS } from './plan.ts';

/** Reports what kruise.yaml makes of all rollouts of the run: batches that update no pod. */
export function rulesOverTargets(
  { config, locate, diagnostics: earlier }: Configuration,
  changes: readonly Change[],
): Diagnostic[] {
  if (locate === undefined) return [];
  const targets = changes.flatMap(({ action, head }) =>
    PLANNED_ACTIONS.has(action) && head !== undefined ? [head] : [],
  );
  return withoutEarlierErrors(earlier)(idleBatches(config, targets, locate));
}
