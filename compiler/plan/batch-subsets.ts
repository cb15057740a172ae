import type { Batch, KruiseConfig, StepRule } from '../../schemas/generated/types/config.ts';
import { subsetNames } from '../../semantics/kinds/git-units.ts';
import { subsetsText } from '../../semantics/plan/step-subsets.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Locate } from '../validate/schema-errors.ts';
import { pathOfRule, ruleIndexFor, rulesOf } from './match.ts';
import { shownName, type Target } from './target.ts';

/** Reports a last batch that is not for every subset. */
export function lastBySubset(
  { batches = [] }: StepRule,
  at: readonly string[],
  locate: Locate,
): Diagnostic[] {
  const subsets = batches.at(-1)?.subsets;
  if (subsets === undefined) return [];
  const position = locate([...at, 'batches', String(batches.length - 1), 'subsets'], 'key');
  return [diagnostic('KR3041', { number: batches.length, subsets: subsetsText(subsets) }, position)];
}

/** Whether two batches are about the same pods: of the same subsets, or both of all. */
export function areOfSameSubsets(
  { subsets: one }: Pick<Batch, 'subsets'>,
  { subsets: other }: Pick<Batch, 'subsets'>,
): boolean {
  const [a, b] = [new Set(one), new Set(other)];
  return a.size === b.size && [...a].every((name) => b.has(name));
}

/** Reports batches for subsets that a target of their rule does not have: each once, for the first. `before`: by ID, of the state before. */
export function unknownSubsets(
  config: KruiseConfig,
  targets: Iterable<Pick<Target, 'manifest' | 'normal'>>,
  locate: Locate,
  before: ReadonlyMap<string, Pick<Target, 'normal'>>,
): Diagnostic[] {
  const seen = new Set<string>();
  const found: Diagnostic[] = [];
  for (const { manifest, normal } of targets) {
    const [has, had] = [normal, before.get(manifest.id)?.normal].map(subsetNames);
    const rule = ruleIndexFor(config, manifest);
    if (has === undefined || rule === undefined) continue;
    for (const [index, { subsets = [] }] of (rulesOf(config)[rule]?.batches ?? []).entries()) {
      const unknown = subsets.filter((name) => !has.includes(name));
      const [first] = unknown;
      const path = [...pathOfRule(config, rule), 'batches', String(index), 'subsets'];
      if (first === undefined || seen.has(path.join('/'))) continue;
      seen.add(path.join('/'));
      const isRemoved = unknown.every((name) => had?.includes(name));
      const target = `${manifest.kind} ${shownName(manifest)}`;
      const args = { number: index + 1, subsets: unknown, target, has, isRemoved };
      found.push(diagnostic('KR4046', args, locate(path, 'value')));
    }
  }
  return found;
}
