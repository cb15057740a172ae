import type { StepRule } from '../../schemas/generated/types/config.ts';
import { maxDurationMs, parseDuration } from '../../semantics/values/duration.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Locate } from '../validate/schema-errors.ts';
import { formatPath } from '../validate/schema-errors.ts';
import { nodesProblems } from './batch-nodes.ts';
import { batchProblems } from './batch-rules.ts';
import { lastBySubset } from './batch-subsets.ts';
import { checkProblems } from './check-rules.ts';
import { checkOf } from './check-steps.ts';
import type { CheckedRule } from './config-part.ts';
import { idleFields } from './idle-settings.ts';
import { PLANNED } from './kinds.ts';
import { matchProblems } from './match-rules.ts';
import { afterProblems } from './order-rules.ts';
import { rulesOfWaves, settingsOfUpdates } from './wave-rules.ts';

/**
 * Reports problems of a rule by itself that the schema cannot express, as far as its fields fit the schema.
 *
 * @param checks the names of checks that `kruise.yaml` lists; undefined: it has no list
 */
export function ruleProblems(
  { rule, at, isFaulty }: CheckedRule,
  checks: readonly string[] | undefined,
  locate: Locate,
): Diagnostic[] {
  return [
    ...matchProblems(rule.match, [...at, 'match'], locate, PLANNED),
    ...(isFaulty('batches') ? [] : sizeProblems(rule, at, locate)),
    ...timeProblems(rule, at, checks, locate),
    ...(isFaulty('waves') ? [] : rulesOfWaves(rule, at)).flatMap((waves) => [
      ...sizeProblems(waves.rule, waves.at, locate),
      ...timeProblems(waves.rule, waves.at, checks, locate),
      ...settingsOfUpdates(waves.rule, waves.at, locate),
    ]),
    ...afterProblems(isFaulty('match') ? { ...rule, match: {} } : rule, at, locate),
  ];
}

function sizeProblems(rule: StepRule, at: string[], locate: Locate): Diagnostic[] {
  return [
    ...batchProblems(rule, at, locate),
    ...nodesProblems(rule, at, locate),
    ...lastBySubset(rule, at, locate),
    ...gateProblems(rule, at, locate),
    ...idleFields(rule, at, locate),
  ];
}

function timeProblems(
  rule: StepRule,
  at: string[],
  checks: readonly string[] | undefined,
  locate: Locate,
): Diagnostic[] {
  return [...checkProblems(rule, at, checks, locate), ...durationProblems(rule, at, locate)];
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
