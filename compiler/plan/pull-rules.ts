import type { KruiseConfig } from '../../schemas/generated/types/config.ts';
import { pullsImages } from '../../semantics/kinds/pulls.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Manifest } from '../load/manifest.ts';
import type { Locate } from '../validate/schema-errors.ts';
import { pathOfRule, ruleIndexFor, rulesOf } from './match.ts';
import { shownName } from './target.ts';

/** Reports a pull in rules for targets whose plans pull no images: once a rule, for the first of its targets. */
export function pullsOfOtherKinds(
  config: KruiseConfig,
  targets: Iterable<Manifest>,
  locate: Locate,
): Diagnostic[] {
  const withPull = new Set(
    rulesOf(config).flatMap((rule, index) => (rule.pull === undefined ? [] : [index])),
  );
  if (withPull.size === 0) return [];
  const found = new Map<number, { first: Manifest; more: number }>();
  for (const target of targets) {
    const index = ruleIndexFor(config, target);
    if (index === undefined || !withPull.has(index) || pullsImages(target.type)) continue;
    const known = found.get(index);
    if (known === undefined) found.set(index, { first: target, more: 0 });
    else known.more += 1;
  }
  return [...found].map(([index, { first, more }]) => {
    const args = { target: `${first.kind} ${shownName(first)}`, more };
    return diagnostic('KR4036', args, locate([...pathOfRule(config, index), 'pull'], 'key'));
  });
}
