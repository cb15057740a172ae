import type { Batch, KruiseConfig, StepRule } from '../../schemas/generated/types/config.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Manifest } from '../load/manifest.ts';
import type { Locate } from '../validate/schema-errors.ts';
import { checkOf } from './check-steps.ts';
import { pathOfRule, ruleIndexFor, rulesOf } from './match.ts';
import { shownName } from './target.ts';

/** The fields of a batch that only kinds of one shape have a meaning for. */
const OF_ROLLOUTS = ['window'] as const;
const OF_RUNS = ['parallelism', 'spread'] as const;

/** The targets of one shape that a rule is for. */
interface Taken {
  first: Manifest;
  more: number;
}

/**
 * Reports settings of rules that have no meaning for a target that they are for: each once, for the first of its targets. A
 * rule for all kinds may ask for a way back, which a run does not have; that is a warning.
 */
export function settingsOfOtherKinds(
  config: KruiseConfig,
  targets: Iterable<Manifest>,
  locate: Locate,
): Diagnostic[] {
  const taken = takenBy(config, targets);
  return rulesOf(config).flatMap(({ batches = [], onFailure, between }, index) => {
    const at = pathOfRule(config, index);
    const { Run: runs, Rollout: rollouts } = taken.get(index) ?? {};
    return [
      ...(runs === undefined ? [] : faults(batches, OF_ROLLOUTS, runs, true, at, locate)),
      ...(rollouts === undefined ? [] : faults(batches, OF_RUNS, rollouts, false, at, locate)),
      ...(rollouts === undefined ? [] : restartsOnNodes(between, rollouts, at, locate)),
      ...(runs === undefined || onFailure !== 'Revert'
        ? []
        : [diagnostic('KR4028', namesOf(runs), locate([...at, 'onFailure'], 'value'))]),
    ];
  });
}

/** Restarts that a check `nodes` tolerates: only runs are judged by the pods on their nodes. */
function restartsOnNodes(
  between: StepRule['between'],
  taken: Taken,
  at: readonly string[],
  locate: Locate,
): Diagnostic[] {
  return (between?.check ?? []).flatMap((item, index) => {
    const { use, args = {} } = checkOf(item);
    if (use !== 'nodes' || args['restarts'] === undefined) return [];
    const path = [...at, 'between', 'check', String(index), 'args', 'restarts'];
    return [diagnostic('KR4045', namesOf(taken), locate(path, 'key'))];
  });
}

/** The targets of each rule, by its index and the shape of their kinds. */
function takenBy(
  config: KruiseConfig,
  targets: Iterable<Manifest>,
): Map<number, { Run?: Taken; Rollout?: Taken }> {
  const found = new Map<number, { Run?: Taken; Rollout?: Taken }>();
  for (const target of targets) {
    const index = ruleIndexFor(config, target);
    if (index === undefined) continue;
    const { shape } = target.type;
    const known = found.get(index) ?? {};
    const taken = known[shape];
    if (taken === undefined) found.set(index, { ...known, [shape]: { first: target, more: 0 } });
    else taken.more += 1;
  }
  return found;
}

function faults(
  batches: readonly Batch[],
  fields: readonly (keyof Batch)[],
  taken: Taken,
  isRun: boolean,
  at: readonly string[],
  locate: Locate,
): Diagnostic[] {
  return batches.flatMap((batch, index) =>
    fields
      .filter((field) => batch[field] !== undefined)
      .map((field) => {
        const args = { number: index + 1, field, ...namesOf(taken), isRun };
        return diagnostic('KR4027', args, locate([...at, 'batches', String(index), field], 'key'));
      }),
  );
}

function namesOf({ first, more }: Taken): { target: string; more: number } {
  return { target: `${first.kind} ${shownName(first)}`, more };
}
