import type { KruiseConfig, StepRule } from '../../schemas/generated/types/config.ts';
import { allowedPods } from '../../semantics/plan/allowed.ts';
import { maxDurationMs, parseDuration } from '../../semantics/values/duration.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { suggest } from '../text/suggest.ts';
import type { Locate } from '../validate/schema-errors.ts';
import { formatPath } from '../validate/schema-errors.ts';
import type { Change } from './change.ts';
import { checkProblems } from './check-rules.ts';
import { checkOf } from './check-steps.ts';
import { choicesFor, KINDS, plannedKind } from './kinds.ts';
import { afterProblems } from './order-rules.ts';
import type { Named } from './predecessors.ts';
import { ruleIndexFor, updateOf } from './steps.ts';
import { shownName } from './target.ts';

/** Reports problems of the rules by themselves that the schema cannot express. */
export function ruleProblems(config: KruiseConfig, locate: Locate): Diagnostic[] {
  return (config.steps ?? []).flatMap((rule, index) => {
    const at = ['steps', String(index)];
    return [
      ...kindProblems(rule, at, locate),
      ...batchProblems(rule, at, locate),
      ...gateProblems(rule, at, locate),
      ...checkProblems(rule, at, locate),
      ...durationProblems(rule, at, locate),
      ...afterProblems(rule, at, locate),
    ];
  });
}

function kindProblems({ match: { kind } }: StepRule, at: string[], locate: Locate): Diagnostic[] {
  if (kind === undefined || plannedKind(kind) !== undefined) return [];
  const position = locate([...at, 'match', 'kind'], 'value');
  const choices = choicesFor(kind);
  return choices === undefined && KINDS.includes(kind)
    ? [diagnostic('KR4008', { kind }, position)]
    : [
        diagnostic(
          'KR4007',
          { kind, suggestion: suggest(kind, KINDS), ...(choices && { choices }) },
          position,
        ),
      ];
}

function batchProblems(rule: StepRule, at: string[], locate: Locate): Diagnostic[] {
  const found: Diagnostic[] = [];
  const batches = rule.batches ?? [];
  for (const [index, batch] of batches.entries()) {
    const position = () => locate([...at, 'batches', String(index), 'to'], 'value');
    const before = batches[index - 1]?.to;
    const to = String(batch.to);
    if (before !== undefined && !exceeds(batch.to, before)) {
      found.push(diagnostic('KR4002', { batch: to, before: String(before) }, position()));
    } else if (batch.to === 0 || percentOf(batch.to) === 0) {
      found.push(diagnostic('KR4011', { to, atLeast: updateOf(batch).atLeast ?? 0 }, position()));
    }
  }
  const last = batches.at(-1)?.to;
  if (last !== undefined && percentOf(last) !== 100) {
    const position = locate([...at, 'batches', String(batches.length - 1), 'to'], 'value');
    found.push(diagnostic('KR4003', { last: String(last) }, position));
  }
  return found;
}

function gateProblems(rule: StepRule, at: string[], locate: Locate): Diagnostic[] {
  const found: Diagnostic[] = [];
  const batches = rule.batches?.length ?? 1;
  if (batches < 2 && rule.between !== undefined) {
    found.push(diagnostic('KR4012', { field: 'between' }, locate([...at, 'between'], 'key')));
  }
  if (rule.batches === undefined && rule.approve !== undefined) {
    found.push(diagnostic('KR4012', { field: 'approve' }, locate([...at, 'approve'], 'key')));
  } else {
    for (const [index, batch] of (rule.approve ?? []).entries()) {
      if (batch >= 1 && batch < batches) continue;
      const position = locate([...at, 'approve', String(index)], 'value');
      found.push(diagnostic('KR4004', { batch, batches }, position));
    }
  }
  return found;
}

function durationProblems(rule: StepRule, at: string[], locate: Locate): Diagnostic[] {
  const durations: [string[], string | undefined][] = [
    [['between', 'soak'], rule.between?.soak],
    ...(rule.between?.check ?? []).map((item, index): [string[], string | undefined] => [
      ['between', 'check', String(index), 'for'],
      checkOf(item).for,
    ]),
    [['timeout'], rule.timeout],
    ...(rule.batches ?? []).map(({ timeout }, index): [string[], string | undefined] => [
      ['batches', String(index), 'timeout'],
      timeout,
    ]),
  ];
  return durations.flatMap(([path, text]) => {
    if (text === undefined) return [];
    const ms = parseDuration(text);
    const position = () => locate([...at, ...path], 'value');
    if (ms === undefined || ms > maxDurationMs) {
      return [diagnostic('KR4014', { field: formatPath([...at, ...path]), value: text }, position())];
    }
    return ms === 0 && path.includes('soak') ? [diagnostic('KR4013', {}, position())] : [];
  });
}

function percentOf(to: number | string): number | undefined {
  return typeof to === 'string' ? Number(to.slice(0, -1)) : undefined;
}

/** Without the number of replicas, a count and a percentage cannot be compared; such a pair is accepted. */
function exceeds(to: number | string, before: number | string): boolean {
  if (typeof to === 'number' && typeof before === 'number') return to > before;
  const [next, previous] = [percentOf(to), percentOf(before)];
  return next === undefined || previous === undefined || (next > previous && next <= 100);
}

/** Reports rules that match no target at head. Rules for kinds that are not planned have their own diagnostic. */
export function unusedRules(config: KruiseConfig, targets: readonly Named[], locate: Locate): Diagnostic[] {
  const used = new Set(targets.map((target) => ruleIndexFor(config, target)));
  return (config.steps ?? []).flatMap((rule, index) => {
    const { kind } = rule.match;
    if (used.has(index) || (kind !== undefined && plannedKind(kind) === undefined)) return [];
    const alone = { steps: [rule] };
    const shadowed = targets.some((target) => ruleIndexFor(alone, target) === 0);
    const position = locate(['steps', String(index), 'match'], 'key');
    return [diagnostic('KR4006', { rule: index + 1, shadowed }, position)];
  });
}

/** Reports batches of the rule that, at the replicas of this target, allow no more pods than the batch before. */
export function idleBatches(config: KruiseConfig, change: Change, locate: Locate): Diagnostic[] {
  const replicas = change.head?.normal.replicas ?? 0;
  const rule = ruleIndexFor(config, change);
  const batches = rule === undefined ? [] : (config.steps?.[rule]?.batches ?? []);
  if (rule === undefined || replicas === 0) return [];
  const allowed = batches.map((batch) => allowedPods(updateOf(batch), replicas));
  const idle = allowed.flatMap((pods, index) =>
    // The last batch completes the rollout after the gates before it, even if no pod is left to update.
    index > 0 && index < allowed.length - 1 && pods <= (allowed[index - 1] ?? 0) ? [index + 1] : [],
  );
  const [first] = idle;
  if (first === undefined) return [];
  const args = {
    target: `${change.kind} ${shownName(change)}`,
    batches: idle.length === 1 ? `batch ${first} allows` : `batches ${idle.join(', ')} allow`,
    replicas,
  };
  const position = locate(['steps', String(rule), 'batches', String(first - 1), 'to'], 'value');
  return [diagnostic('KR4010', args, position)];
}
