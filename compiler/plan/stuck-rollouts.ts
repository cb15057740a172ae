import { withoutEarlierErrors } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Configuration } from '../load/configuration.ts';
import { stuckBatches } from './batch-rules.ts';
import type { Change } from './change.ts';
import { PLANNED_ACTIONS } from './plan.ts';

/** Reports windows of kruise.yaml in which rollouts of the run would never progress. */
export function stuckRollouts(
  { config, locate, diagnostics: earlier }: Configuration,
  changes: readonly Change[],
): Diagnostic[] {
  if (locate === undefined) return [];
  const targets = changes.flatMap(({ action, head }) =>
    PLANNED_ACTIONS.has(action) && head !== undefined ? [head] : [],
  );
  return withoutEarlierErrors(earlier)(stuckBatches(config, targets, locate));
}
