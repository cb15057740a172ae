import { validateRolloutPlan } from '../../schemas/generated/validate/rolloutplan.js';
import type { RolloutPlan, RolloutPlanSpec } from '../../schemas/generated/types/rolloutplan.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { checkArgsProblems, isBuiltInCheck } from '../../semantics/plan/checks.ts';
import { PLAN_FORMAT, PLAN_SEMANTICS, planDigest } from '../../semantics/plan/digest.ts';
import { groupKindOf } from '../../semantics/owner.ts';
import { reconciledAtOnce } from '../../semantics/plan/held-undecided.ts';
import { PLAN_FROM_BEFORE } from '../../semantics/plan/remediation-command.ts';
import type { PlanObject } from '../../semantics/plan/plan-object.ts';
import { referredKey } from '../observe/target-key.ts';
import { EXECUTED_VERBS, stepVerb } from '../../semantics/plan/step.ts';
import { endsWithin, subsetsOfStep, subsetsText } from '../../semantics/plan/step-subsets.ts';
import { updatesNodes } from '../../semantics/kinds/node-updates.ts';
import { pullsImages } from '../../semantics/kinds/pulls.ts';
import { kindOf, plannedKindOf, plannedKinds } from '../../semantics/registry/registry.ts';

/** Why a check cannot be executed here; undefined: it can. */
export type CheckRefusal = (use: string, args: Readonly<Record<string, string>>) => string | undefined;

/**
 * Reads plan objects, each with the result of its verification. The digest is checked before anything of the plan is
 * trusted, and an unknown field is a refusal, because ignoring it could change the meaning of the plan.
 *
 * @returns a function of the object and the time since which it has been observed with its spec
 */
export function createPlanReader(
  checkRefusal: CheckRefusal,
): (object: KubeObject, since: number) => PlanObject {
  /** Cached objects are immutable, and each reconcile reads them several times: each is verified once. */
  const verified = new WeakMap<KubeObject, Pick<PlanObject, 'spec' | 'refused'>>();

  function verify(object: KubeObject): Pick<PlanObject, 'spec' | 'refused'> {
    const known = verified.get(object);
    if (known !== undefined) return known;
    const plan = object as unknown as RolloutPlan;
    const refused = refusal(object, plan, checkRefusal);
    const spec = refused === undefined ? plan.spec : { ...emptySpec, digest: textOf(plan.spec?.digest) };
    verified.set(object, { spec, refused });
    return { spec, refused };
  }

  return (object, since) => {
    const { status } = object as unknown as RolloutPlan;
    return {
      since,
      wasStale: status?.phase === 'Stale' && status.observedGeneration === object.metadata.generation,
      name: object.metadata.name,
      uid: object.metadata.uid ?? '',
      ...verify(object),
    };
  };
}

/** Replaces the spec of a refused plan, which may have any shape. */
const emptySpec: Omit<RolloutPlanSpec, 'digest'> = {
  format: PLAN_FORMAT,
  semantics: PLAN_SEMANTICS,
  target: { apiVersion: '', kind: '', name: '' },
  to: { hash: '', bound: {} },
  from: [],
  steps: [],
};

function refusal(object: KubeObject, plan: RolloutPlan, checkRefusal: CheckRefusal): PlanObject['refused'] {
  const { name, namespace } = object.metadata;
  const [problem, ...more] = validateRolloutPlan({
    apiVersion: object.apiVersion,
    kind: object.kind,
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    spec: object['spec'],
  });
  const edited = `It was edited after kruise plan wrote it. Restore its file from git, or plan from the state before the commit that changed the manifest (COMMIT): ${PLAN_FROM_BEFORE}`;
  if (plan.spec?.format !== undefined && plan.spec.format !== PLAN_FORMAT) {
    return unsupported(`format ${textOf(plan.spec.format)}`, 'format', PLAN_FORMAT);
  }
  if (problem !== undefined) {
    const rest = more.length === 0 ? '' : ` (and ${more.length} more)`;
    return {
      reason: 'Unverified',
      message: `${problem.path.join('.') || 'spec'}: ${problem.message}${rest}. ${edited}`,
    };
  }
  const digest = planDigest(plan.spec);
  if (digest !== plan.spec.digest) {
    return {
      reason: 'Unverified',
      message: `its digest is ${plan.spec.digest}, that of its content is ${digest}. ${edited}`,
    };
  }
  if (plan.spec.semantics !== PLAN_SEMANTICS)
    return unsupported(`semantics ${plan.spec.semantics}`, 'semantics', PLAN_SEMANTICS);
  const { apiVersion, kind } = plan.spec.target;
  const target = groupKindOf(plan.spec.target);
  const rules = plannedKindOf(target);
  if (rules === undefined && kindOf(target) !== undefined)
    return { reason: 'UnsupportedSemantics', message: reconciledAtOnce(kind) };
  if (rules === undefined) return unsupported(`targets of ${apiVersion} ${kind}`, 'targets of', targets());
  const executed = EXECUTED_VERBS[rules.shape].filter((each) => each !== 'pull' || pullsImages(rules));
  const verb = plan.spec.steps.map(stepVerb).find((each) => !executed.includes(each));
  if (verb !== undefined) return unsupported(`steps of kind ${verb}`, 'steps', executed.join(', '));
  const onNodes = plan.spec.steps.find(
    ({ update }) => update?.nodes !== undefined || update?.spread !== undefined,
  );
  if (onNodes !== undefined && !updatesNodes(rules))
    return unsupported(`step ${onNodes.id} of a ${kind} over nodes`, 'such steps of', kindsOnNodes());
  const bySubset = plan.spec.steps.find((step) => subsetsOfStep(step) !== undefined);
  if (bySubset !== undefined && rules.subsets !== true)
    return unsupported(`step ${bySubset.id} of a ${kind} by subset`, 'such steps of', kindsWithSubsets());
  const last = endsWithin(plan.spec);
  if (last !== undefined)
    return {
      reason: 'UnsupportedSemantics',
      message: `step ${last.id} is the last update, and for ${subsetsText(subsetsOfStep(last) ?? [])} alone: the other pods would never be updated. ${edited}`,
    };
  const unknown = plan.spec.after?.find((reference) => {
    const other = referredKey(reference, '');
    return other === undefined || plannedKindOf(other) === undefined;
  });
  if (unknown !== undefined) return unsupported(`the order after a ${unknown.kind}`, 'targets of', targets());
  for (const { id, check } of plan.spec.steps) {
    const wrong = check && checkProblem(check.use, check.args ?? {}, checkRefusal);
    if (wrong !== undefined) return { reason: 'UnsupportedSemantics', message: `step ${id}: ${wrong}` };
  }
  return undefined;
}

function checkProblem(
  use: string,
  args: Readonly<Record<string, string>>,
  checkRefusal: CheckRefusal,
): string | undefined {
  return isBuiltInCheck(use) ? checkArgsProblems(use, args)[0] : checkRefusal(use, args);
}

/** The text of a value of any shape, without calling its own toString. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

function targets(): string {
  return plannedKinds.map(({ resource }) => `${resource.group} ${resource.kind}`).join(', ');
}

function kindsWithSubsets(): string {
  return plannedKinds
    .filter(({ subsets }) => subsets === true)
    .map(({ resource }) => resource.kind)
    .join(', ');
}

function kindsOnNodes(): string {
  return plannedKinds
    .filter(updatesNodes)
    .map(({ resource }) => resource.kind)
    .join(', ');
}

function unsupported(needed: string, what: string, known: string): PlanObject['refused'] {
  return {
    reason: 'UnsupportedSemantics',
    message: `it needs ${needed}; this runtime executes ${what} ${known}`,
  };
}
