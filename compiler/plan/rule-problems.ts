import { hasErrors, withoutEarlierErrors } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Budget } from '../load/budget.ts';
import type { Configuration } from '../load/configuration.ts';
import { bounded } from '../load/findings.ts';
import type { Loaded } from '../load/manifests.ts';
import { countsLikePercentages, partsOfWholes, stuckBatches } from './batch-rules.ts';
import { unknownSubsets } from './batch-subsets.ts';
import { settingsOfOtherKinds } from './batch-kinds.ts';
import { unmatchedTargets, unusedRules } from './match-rules.ts';
import { orderProblems } from './order-rules.ts';
import { pullsOfOtherKinds } from './pull-rules.ts';
import type { Target } from './target.ts';
import { wavesOfOtherKinds } from './wave-rules.ts';

/** Reports problems of the rules for the existing targets; none if there are errors, because the targets are incomplete then. */
export function rulesFor(
  { config, isMatchKnown, locate, diagnostics: earlier }: Configuration,
  head: Loaded,
  isPart: boolean,
  budget: Budget,
): Diagnostic[] {
  if (locate === undefined || !isMatchKnown || hasErrors(head.diagnostics)) return [];
  const targets = [...head.manifests.values()];
  const found = [
    ...(isPart ? [] : unusedRules(config, targets, locate)),
    ...unmatchedTargets(config, targets, locate),
    ...orderProblems(config, targets, locate),
    ...settingsOfOtherKinds(config, targets, locate),
    ...wavesOfOtherKinds(config, targets, locate),
    ...pullsOfOtherKinds(config, targets, locate),
  ];
  return bounded(withoutEarlierErrors(earlier)(found), budget);
}

/**
 * Reports what the batches of the rules mean for all valid targets, changed or not: windows in which no pod is ever updated, subsets
 * that do not exist, parts of subsets that have none, and counts of pods that look like percentages. The counts only if no manifest has errors: its target may have as many pods.
 *
 * @param before the targets of the state before, by ID. Default: there is none
 */
export function batchesOfTargets(
  { config, locate, diagnostics: earlier }: Configuration,
  head: Loaded,
  targets: readonly Pick<Target, 'manifest' | 'normal'>[],
  budget: Budget,
  before: ReadonlyMap<string, Pick<Target, 'normal'>> = new Map(),
): Diagnostic[] {
  if (locate === undefined) return [];
  const wrong = [
    ...stuckBatches(config, targets, locate),
    ...unknownSubsets(config, targets, locate, before),
    ...partsOfWholes(config, targets, locate),
  ];
  const stuck = bounded(withoutEarlierErrors(earlier)(wrong), budget);
  return hasErrors(head.diagnostics) ? stuck : [...stuck, ...countsLikePercentages(config, targets, locate)];
}
