import type { RolloutPlan, RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import { mostDisruptive } from '../../semantics/template/mode.ts';
import type { GitField } from '../../semantics/kinds/git-side.ts';
import { canonicalJson } from '../../semantics/values/canonical-json.ts';
import { partitionValue } from '../../semantics/values/int-or-percent.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Locate } from '../validate/schema-errors.ts';
import type { Change } from './change.ts';
import { fieldPath, shownName } from './target.ts';
import type { Target } from './target.ts';
import { leastMode, policyText } from './update-policy.ts';

/**
 * What is wrong with the plan of a target that gets no new one in this run, and so goes on to stand: it leads elsewhere
 * than to the manifest, or it promises less than what would be done. Which clusters have run it is not in git.
 *
 * @param base the target before; undefined where there is one state alone, and nobody knows what it was
 */
export function committedPlanProblems(
  head: Target,
  base: Target | undefined,
  { spec }: RolloutPlan,
  locate: Locate,
): Diagnostic[] {
  const { kind, name } = head.manifest;
  const pathOf = (field: GitField): string[] => fieldPath(head, field);
  const args = { target: `${kind} ${shownName(head.manifest)}`, again: `${kind}/${name}` };
  if (!leadsTo(spec, head)) {
    // Going back to where a plan starts from needs no other.
    if (spec.from.some(({ hash, depart }) => hash === head.hash && depart !== true)) return [];
    return [diagnostic('KR3013', { ...args, what: 'template' }, locate(pathOf('template'), 'key'))];
  }
  if (isLoosened(spec, head)) {
    const place = locate(pathOf('partition'), 'value');
    return [diagnostic('KR3013', { ...args, what: 'partition' }, place)];
  }
  const least = leastMode(head.normal);
  const promised = spec.from.map(({ mode }) => mode).find((mode) => mostDisruptive([mode, least]) !== mode);
  // Said in the commit that changes the policy, and not in every one after it.
  if (promised === undefined || (base !== undefined && leastMode(base.normal) === least)) return [];
  const place = locate(pathOf('policy'), 'value');
  return [diagnostic('KR3012', { ...args, promised, because: policyText(head) }, place)];
}

/** Whether the plan leads to the template of the manifest, under whatever bound. */
export function leadsTo({ to }: Pick<RolloutPlanSpec, 'to'>, { hash }: Target): boolean {
  return to.hash === hash;
}

/**
 * Whether a plan at head was made on top of the one at base for the manifest that both states have: with `--again`, or
 * with another base. It stays as it is, for this run cannot know better.
 */
export function isSuccessor(
  { spec }: RolloutPlan,
  { head }: Pick<Change, 'head'>,
  atBase: RolloutPlan,
): boolean {
  if (head === undefined || !leadsTo(spec, head)) return false;
  const isBound = canonicalJson(spec.to.bound.partition ?? 0) === canonicalJson(head.normal.partition);
  return isBound && spec.supersedes?.includes(atBase.spec.digest) === true;
}

/** Whether the manifest lets more pods go than the plan does. */
function isLoosened({ to }: Pick<RolloutPlanSpec, 'to'>, { normal }: Target): boolean {
  const { replicas } = normal;
  return partitionValue(normal.partition, replicas) < partitionValue(to.bound.partition ?? 0, replicas);
}
