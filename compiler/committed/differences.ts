import type { RolloutPlan, RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import { canonicalJson } from '../../semantics/values/canonical-json.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic, Source } from '../diagnostics/diagnostic.ts';
import { createLocator, wholeOf } from '../load/locate.ts';
import type { Budget } from '../load/budget.ts';
import { boundDifference } from '../plan/bound.ts';
import type { Change } from '../plan/change.ts';
import { PLAN_ANNOTATIONS } from '../plan/plan.ts';
import { planKind, planName } from '../plan/target.ts';
import { targetName } from './finding.ts';

/**
 * What of the metadata is not as `kruise plan` writes it for a target. The digest does not cover the metadata, which decides
 * what the plan is for.
 */
export function metadataProblem(
  plan: RolloutPlan,
  change: Pick<Change, 'kind' | 'namespace' | 'name' | 'type'>,
  source: Source,
  budget: Budget,
): Diagnostic | undefined {
  const { name, namespace, annotations, ...others } = plan.metadata;
  const expected: readonly (readonly [field: string, value: unknown, wanted: unknown])[] = [
    ['kind', plan.kind, planKind(change.type)],
    ['metadata.name', name, planName(change)],
    ['metadata.namespace', namespace, change.namespace],
    ['metadata.annotations', annotations, PLAN_ANNOTATIONS],
    ...Object.entries(others).map(([key, value]) => [`metadata.${key}`, value, undefined] as const),
    ['spec.target.kind', plan.spec.target.kind, change.kind],
    ['spec.target.name', plan.spec.target.name, change.name],
  ];
  const wrong = expected.find(([, value, wanted]) => textOf(value) !== textOf(wanted));
  if (wrong === undefined) return undefined;
  const [field, value, wanted] = wrong;
  const path = field.split('.');
  const position = createLocator(budget)(wholeOf(source), value === undefined ? ['metadata'] : path, 'value');
  const args = { target: targetName(change), field, value: textOf(value), wanted: textOf(wanted) };
  return diagnostic('KR3023', args, position);
}

function textOf(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  return typeof value === 'string' ? `'${value}'` : canonicalJson(value);
}

/** Why a committed plan with a valid digest is not the planned one: it is of another base, or is out of date. */
export function planDifference(
  committed: RolloutPlanSpec,
  planned: RolloutPlanSpec,
  atBase: RolloutPlanSpec | undefined,
  target: string,
): { code: 'KR3019' | 'KR3020'; why: string } {
  if (committed.to.hash !== planned.to.hash)
    return { code: 'KR3019', why: `it leads to another template than that of ${target}` };
  const bound = boundDifference(committed.to.bound, planned.to.bound);
  if (bound !== undefined)
    return { code: 'KR3019', why: `it leads to another ${bound} than that of ${target}` };
  if (committed.to.claims !== planned.to.claims)
    return { code: 'KR3019', why: `it is for other claim templates than those of ${target}` };
  const [from] = planned.from;
  if (from !== undefined && committed.from[0]?.hash !== from.hash)
    return { code: 'KR3020', why: `it does not start from the template that ${target} has at this base` };
  if (committed.digest === atBase?.digest) return { code: 'KR3019', why: 'it is still the plan at base' };
  if (committed.supersedes?.[0] !== atBase?.digest && atBase !== undefined)
    return { code: 'KR3020', why: `it does not supersede the plan that ${target} has at this base` };
  const fields = differingFields(committed, planned);
  return {
    code: 'KR3019',
    why:
      fields.length === 0
        ? 'its text is not the one that kruise plan writes'
        : `its ${fields.join(', ')} ${fields.length === 1 && fields[0] !== 'steps' ? 'is' : 'are'} not what the manifests and kruise.yaml give now`,
  };
}

/** The fields of the spec that differ, but for the digest, which follows from them. */
function differingFields(one: RolloutPlanSpec, other: RolloutPlanSpec): string[] {
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]) as Set<keyof RolloutPlanSpec>;
  return [...keys].filter(
    (key) => key !== 'digest' && canonicalJson(one[key] ?? null) !== canonicalJson(other[key] ?? null),
  );
}
