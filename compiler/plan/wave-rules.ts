import type { KruiseConfig, StepRule } from '../../schemas/generated/types/config.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Manifest } from '../load/manifest.ts';
import type { Locate } from '../validate/schema-errors.ts';
import { pathOfRule, ruleIndexFor, rulesOf } from './match.ts';
import { shownName } from './target.ts';

/** The waves of a rule as a rule of their own, with its path. */
export function rulesOfWaves({ waves }: StepRule, at: readonly string[]): { rule: StepRule; at: string[] }[] {
  return waves === undefined ? [] : [{ rule: { match: {}, ...waves }, at: [...at, 'waves'] }];
}

/** The fields of a batch that only updates have. */
const OF_UPDATES = ['window', 'nodes', 'subsets'] as const;

/** Reports settings of waves that only updates have, as a wave is a part of a run. */
export function settingsOfUpdates(
  { batches = [] }: StepRule,
  at: readonly string[],
  locate: Locate,
): Diagnostic[] {
  return batches.flatMap((batch, index) =>
    OF_UPDATES.filter((field) => batch[field] !== undefined).map((field) =>
      diagnostic(
        'KR3040',
        { number: index + 1, field },
        locate([...at, 'batches', String(index), field], 'key'),
      ),
    ),
  );
}

/** Reports waves in rules for targets that create nothing that runs on nodes: once a rule, for the first of its targets. */
export function wavesOfOtherKinds(
  config: KruiseConfig,
  targets: Iterable<Manifest>,
  locate: Locate,
): Diagnostic[] {
  const withWaves = new Set(
    rulesOf(config).flatMap((rule, index) => (rule.waves === undefined ? [] : [index])),
  );
  if (withWaves.size === 0) return [];
  const found = new Map<number, { first: Manifest; more: number }>();
  for (const target of targets) {
    const index = ruleIndexFor(config, target);
    if (index === undefined || !withWaves.has(index) || createsRuns(target)) continue;
    const known = found.get(index);
    if (known === undefined) found.set(index, { first: target, more: 0 });
    else known.more += 1;
  }
  return [...found].map(([index, { first, more }]) => {
    const args = { target: `${first.kind} ${shownName(first)}`, more };
    return diagnostic('KR4035', args, locate([...pathOfRule(config, index), 'waves'], 'key'));
  });
}

function createsRuns({ type, object }: Manifest): boolean {
  const { units } = type.git.read(object);
  return units.of === 'ticks' && units.schedule.runs !== undefined;
}
