import type { RolloutPlan } from '../../schemas/generated/types/rolloutplan.ts';
import { validateRolloutPlan } from '../../schemas/generated/validate/rolloutplan.js';
import { planDigest } from '../../semantics/plan/digest.ts';
import { diagnostic, hasErrors } from '../diagnostics/diagnostic.ts';
import type { Diagnostic, Source } from '../diagnostics/diagnostic.ts';
import type { Json } from '../../schemas/wire/json.ts';
import { isObject } from '../load/identity.ts';
import { createBudget } from '../load/budget.ts';
import type { Budget } from '../load/budget.ts';
import { createLocator, wholeOf } from '../load/locate.ts';
import { readYaml } from '../load/read.ts';
import { plannedKindOf } from '../../semantics/registry/registry.ts';
import { groupKindOf, tupleId } from '../../semantics/owner.ts';
import { planKind } from './target.ts';

/** A plan file in one of the two states. */
export interface PlanFile {
  source: Source;
  plan: RolloutPlan;
  /** Reads the forecast beside it. Undefined: it is at the place that the target has in both states. */
  readForecast?: () => string | undefined;
}

export interface ReadPlans {
  /** By the ID of their target. */
  plans: Map<string, PlanFile>;
  /** Targets with more than one plan. */
  twice: Set<string>;
  diagnostics: Diagnostic[];
}

/**
 * Reads the plans of a state, by the ID of their target. A plan whose digest does not verify, that is not valid or that
 * shares its target with another is an error, because its entries for older revisions would be lost.
 */
export function readPlans(sources: readonly Source[], budget: Budget): ReadPlans {
  const plans = new Map<string, PlanFile>();
  const twice = new Set<string>();
  const diagnostics: Diagnostic[] = [];
  for (const source of sources) {
    const read = readPlan(source, budget);
    for (const each of read.diagnostics) diagnostics.push(each);
    if (read.plan === undefined) continue;
    const id = targetId(read.plan);
    const first = plans.get(id);
    if (first === undefined) {
      plans.set(id, { source, plan: read.plan });
      continue;
    }
    twice.add(id);
    const related = [{ message: 'the other plan', position: { source: first.source, start: 0, end: 0 } }];
    const { kind, name } = read.plan.spec.target;
    diagnostics.push(
      diagnostic('KR3003', { target: `${kind} ${name}` }, { source, start: 0, end: 0 }, related),
    );
  }
  return { plans, twice, diagnostics };
}

/** The ID of the target, equal to that of its `Manifest`. */
export function targetId(plan: RolloutPlan): string {
  const { target } = plan.spec;
  return tupleId(groupKindOf(target), plan.metadata.namespace, target.name);
}

/** One plan, or what is wrong with it. */
export interface ReadPlan {
  plan: RolloutPlan | undefined;
  /** A valid plan whose digest does not verify. */
  edited?: RolloutPlan;
  /** It is not valid here, but its digest verifies: another version may have written it, and clusters may execute it. */
  isForeign?: true;
  diagnostics: Diagnostic[];
}

/** Reads one plan, or returns what is wrong with it. */
export function readPlan(source: Source, budget: Budget = createBudget()): ReadPlan {
  const { documents, diagnostics } = readYaml(source, budget);
  const [document] = documents;
  const whole = { source, start: 0, end: 0 };
  if (hasErrors(diagnostics)) return { plan: undefined, diagnostics };
  if (document === undefined || documents.length !== 1) {
    const detail = document === undefined ? 'it is empty' : 'it holds several documents';
    return { plan: undefined, diagnostics: [diagnostic('KR3002', { detail }, whole)] };
  }
  const { value } = document;
  const odd = document.findings.list();
  const [error] = validateRolloutPlan(value);
  if (hasErrors(odd) || error !== undefined) {
    const detail =
      error === undefined ? 'it is not plain YAML' : `${['plan', ...error.path].join('.')} ${error.message}`;
    const position = createLocator(budget)(wholeOf(source), error?.path ?? [], 'value');
    const found = [...odd, diagnostic('KR3002', { detail }, position)];
    const isForeign = error?.path[0] === 'spec' && isSealed(value);
    return { plan: undefined, ...(isForeign ? { isForeign } : {}), diagnostics: found };
  }
  // The validator has checked the structure.
  const plan = value as unknown as RolloutPlan;
  const misplaced = scopeFault(plan);
  if (misplaced !== undefined) {
    const position = createLocator(budget)(wholeOf(source), ['kind'], 'value');
    return { plan: undefined, diagnostics: [diagnostic('KR3002', { detail: misplaced }, position)] };
  }
  const actual = planDigest(plan.spec);
  if (actual === plan.spec.digest) return { plan, diagnostics: [] };
  const position = createLocator(budget)(wholeOf(source), ['spec', 'digest'], 'value');
  return {
    plan: undefined,
    edited: plan,
    diagnostics: [diagnostic('KR3001', { stated: plan.spec.digest, actual }, position)],
  };
}

/** Whether the digest of what may be a plan verifies. */
function isSealed(value: Json): boolean {
  const spec = isObject(value) ? value['spec'] : undefined;
  return isObject(spec) && spec['digest'] === planDigest(spec as unknown as RolloutPlan['spec']);
}

/** A plan must be namespaced like its target. Undefined: it is, as far as that is known. */
function scopeFault({ kind, metadata, spec: { target } }: RolloutPlan): string | undefined {
  const rules = plannedKindOf(groupKindOf(target));
  const wanted = rules === undefined ? kind : planKind(rules);
  if (kind !== wanted) return `the plan of a ${target.kind} is a ${wanted}, not a ${kind}`;
  return kind === 'ClusterRolloutPlan' && metadata.namespace !== undefined
    ? 'a ClusterRolloutPlan is cluster-scoped'
    : undefined;
}
