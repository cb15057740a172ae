import type { Batch, KruiseConfig, StepRule } from '../../schemas/generated/types/config.ts';
import { updatesNodes } from '../../semantics/kinds/node-updates.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Manifest } from '../load/manifest.ts';
import type { Locate } from '../validate/schema-errors.ts';
import { checkOf } from './check-steps.ts';
import { pathOfRule, ruleIndexFor, rulesOf } from './match.ts';
import { shownName } from './target.ts';

/** What batches are about: nodes on which something runs once, nodes whose pods are updated, pods of subsets, or pods. */
type BatchesOf = 'run' | 'nodes' | 'subsets' | 'pods';

/** The fields of a batch that have no meaning for some kinds. */
const WITHOUT_MEANING: Readonly<Record<BatchesOf, readonly SettingOfKinds[]>> = {
  run: ['window', 'nodes', 'subsets'],
  nodes: ['parallelism', 'subsets'],
  subsets: ['parallelism', 'nodes', 'spread'],
  pods: ['parallelism', 'nodes', 'spread', 'subsets'],
};

type SettingOfKinds = 'window' | 'parallelism' | 'nodes' | 'spread' | 'subsets';

/** Why a field has no meaning, and what to write instead. */
function reasonOf(field: SettingOfKinds, of: BatchesOf): { why: string; help: string } {
  if (field === 'nodes')
    return {
      why: of === 'run' ? 'a run goes over every node that fits' : 'its steps count pods, and no nodes',
      help: 'leave it out in a rule for this kind',
    };
  if (field === 'subsets') return { why: 'it has no subsets', help: 'leave it out in a rule for this kind' };
  return of === 'run'
    ? {
        why: 'a run makes no pod unavailable',
        help: 'write parallelism and spread instead, in a rule for this kind',
      }
    : {
        why: 'its pods are updated, and run on no node in turn',
        help: 'write a window instead, in a rule for this kind',
      };
}

function batchesOf({ type }: Manifest): BatchesOf {
  if (type.shape === 'Run') return 'run';
  if (type.subsets === true) return 'subsets';
  return updatesNodes(type) ? 'nodes' : 'pods';
}

/** The targets of one sort that a rule is for. */
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
  const all = [...targets];
  const taken = takenBy(config, all, ({ type }) => type.shape);
  const byBatches = takenBy(config, all, batchesOf);
  return rulesOf(config).flatMap(({ batches = [], onFailure, between }, index) => {
    const at = pathOfRule(config, index);
    const { Run: runs, Rollout: rollouts } = taken.get(index) ?? {};
    const { run, nodes, subsets, pods } = byBatches.get(index) ?? {};
    return [
      ...faults(batches, 'run', run, at, locate),
      ...faults(batches, 'nodes', nodes, at, locate),
      ...faults(batches, 'subsets', subsets, at, locate),
      ...faults(batches, 'pods', pods, at, locate),
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

/** The targets of each rule, by its index and what tells them apart. */
function takenBy<Sort extends string>(
  config: KruiseConfig,
  targets: readonly Manifest[],
  sortOf: (target: Manifest) => Sort,
): Map<number, Partial<Record<Sort, Taken>>> {
  const found = new Map<number, Partial<Record<Sort, Taken>>>();
  for (const target of targets) {
    const index = ruleIndexFor(config, target);
    if (index === undefined) continue;
    const sort = sortOf(target);
    const known: Partial<Record<Sort, Taken>> = found.get(index) ?? {};
    const taken = known[sort];
    if (taken === undefined) found.set(index, { ...known, [sort]: { first: target, more: 0 } });
    else taken.more += 1;
  }
  return found;
}

function faults(
  batches: readonly Batch[],
  of: BatchesOf,
  taken: Taken | undefined,
  at: readonly string[],
  locate: Locate,
): Diagnostic[] {
  if (taken === undefined) return [];
  return batches.flatMap((batch, index) =>
    WITHOUT_MEANING[of]
      .filter((field) => batch[field] !== undefined)
      .map((field) => {
        const args = { number: index + 1, field, ...namesOf(taken), ...reasonOf(field, of) };
        return diagnostic('KR4027', args, locate([...at, 'batches', String(index), field], 'key'));
      }),
  );
}

function namesOf({ first, more }: Taken): { target: string; more: number } {
  return { target: `${first.kind} ${shownName(first)}`, more };
}
