import type { RolloutPlan } from '../../schemas/generated/types/rolloutplan.ts';
import { KINDS, PLANNED, REGISTERED, writtenKind } from '../../compiler/plan/kinds.ts';
import { planRulesOf } from '../../semantics/kinds/kind.ts';
import { groupKindOf } from '../../semantics/owner.ts';
import { reconciledAtOnce } from '../../semantics/plan/held-undecided.ts';
import { listed } from '../../semantics/values/listed.ts';
import { isLabel, isName } from '../../compiler/text/names.ts';
import { byText } from '../../compiler/text/order.ts';
import { suggest } from '../../compiler/text/suggest.ts';
import { exampleTarget, kindNamed, kindsNamed, namespaceOption } from './kind-names.ts';
import type { Refusal } from './refusal.ts';

/** A target as a user names it. */
export interface RequestedTarget {
  /** Undefined: any kind. */
  kind: string | undefined;
  name: string;
  namespace: string | undefined;
}

/** A target, and the plan committed for it, if there is one. */
export interface FoundTarget {
  kind: string;
  name: string;
  namespace: string | undefined;
  plan: RolloutPlan | undefined;
}

/** The same as `parseObject` of a target that may have a plan. */
export function parseTarget(text: string, option: string | undefined): RequestedTarget | Refusal {
  const parsed = parseObject(text, option);
  if ('problem' in parsed || parsed.kind === undefined) return parsed;
  const { kind, name, namespace = '' } = parsed;
  const type = REGISTERED.get(kind);
  if (type === undefined || planRulesOf(type) !== undefined) return parsed;
  const help = `kruise status ${kind}/${name}${namespaceOption(namespace)} shows how far it is`;
  return { problem: reconciledAtOnce(kind), help };
}

/** Reads `NAMESPACE/KIND/NAME`, `KIND/NAME` or `NAME`; the kind by any of its names, ignoring case. */
export function parseObject(text: string, option: string | undefined): RequestedTarget | Refusal {
  const parts = text.split('/');
  const prefix = parts.length === 3 ? parts.shift() : undefined;
  const [first = '', second, ...more] = parts;
  if (more.length > 0) {
    const help = `write KIND/NAME, such as ${exampleTarget()}, or NAMESPACE/KIND/NAME`;
    return { problem: `'${text}' is not a target`, help };
  }
  if (prefix !== undefined && option !== undefined && prefix !== option) {
    return { problem: `'${text}' is not in namespace ${option}`, help: 'name one namespace only' };
  }
  const namespace = option ?? prefix;
  const name = second ?? first;
  if (!isName(name)) {
    return {
      problem: `'${name}' is not a valid object name`,
      help: 'use lower-case letters, digits, dashes and dots',
    };
  }
  if (namespace !== undefined && !isLabel(namespace)) {
    return {
      problem: `'${namespace}' is not a valid namespace`,
      help: 'use lower-case letters, digits and dashes',
    };
  }
  if (second === undefined) return { kind: undefined, name, namespace };
  const planning = kindNamed(first);
  if (planning !== undefined) {
    const kind = writtenKind(planning.id);
    if (planning.resource.namespaced || namespace === undefined) return { kind, name, namespace };
    return { problem: `${kind} is cluster-scoped`, help: `omit the namespace ${namespace}` };
  }
  const choices = kindsNamed(first).map(({ id }) => `${writtenKind(id)}/${name}`);
  if (choices.length > 0) {
    return { problem: `several groups have a kind '${first}'`, help: `write ${listed(choices, 'or')}` };
  }
  const kind = KINDS.find((known) => known.toLowerCase() === first.toLowerCase());
  const planned = [...PLANNED.keys()].join(', ');
  if (kind !== undefined) {
    return { problem: `this version does not plan ${kind}`, help: `it plans ${planned}` };
  }
  const suggestion = suggest(first, KINDS);
  const help =
    suggestion === undefined ? `this version plans ${planned}` : `did you mean ${suggestion}/${name}?`;
  return { problem: `apps.kruise.io has no kind '${first}'`, help };
}

/**
 * The kind of a target that a user names without one; undefined: there is no such target. Refuses a name that several kinds have.
 *
 * @param kinds those that have an object or a plan of that name, in any order and any number of times
 */
export function kindOfName(name: string, kinds: readonly string[]): { kind: string | undefined } | Refusal {
  const [first, ...more] = [...new Set(kinds)];
  if (first === undefined || more.length === 0) return { kind: first };
  const problem = `there are several targets named ${name}: the kinds are ${listed([first, ...more], 'and')}`;
  return { problem, help: `name one, such as ${first}/${name}` };
}

/**
 * Finds the committed plan of a target; undefined if there is none. A given namespace selects its plans, else those whose
 * manifests name no namespace: they apply to any.
 */
export function findTarget(
  requested: RequestedTarget,
  plans: readonly RolloutPlan[],
): FoundTarget | Refusal | undefined {
  const named = plansNamed(requested, plans);
  const inNamespace = (namespace: string | undefined): RolloutPlan[] =>
    named.filter(({ metadata }) => metadata.namespace === namespace);
  const exact = requested.namespace === undefined ? named : inNamespace(requested.namespace);
  const found = exact.length > 0 ? exact : inNamespace(undefined);
  const [plan] = found;
  if (plan !== undefined && found.length === 1) {
    const { name } = plan.spec.target;
    const kind = writtenKind(groupKindOf(plan.spec.target));
    return { kind, name, namespace: plan.metadata.namespace ?? requested.namespace, plan };
  }
  if (plan === undefined) return undefined;
  const kinds = new Set(found.map(({ spec: { target } }) => writtenKind(groupKindOf(target))));
  return {
    problem: `${found.length} plans are for ${requestedText(requested)}: ${found.map(targetText).sort(byText).join(', ')}`,
    help: kinds.size > 1 ? 'write KIND/NAME' : 'choose one with -n NAMESPACE',
  };
}

/**
 * Reports that no plan is for the target, and suggests a similar one.
 *
 * @param shownPlans the folder of plans, as shown to the user
 */
export function noPlanFor(
  requested: RequestedTarget,
  plans: readonly RolloutPlan[],
  shownPlans: string,
): Refusal {
  return {
    problem: `no plan in ${shownPlans} is for ${requestedText(requested)}`,
    help: nearest(requested, plans),
  };
}

function nearest(requested: RequestedTarget, plans: readonly RolloutPlan[]): string {
  const [elsewhere] = plansNamed(requested, plans).map(targetText).sort(byText);
  if (elsewhere !== undefined) return `there is one for ${elsewhere}`;
  const names = plans.map(({ spec: { target } }) => target.name);
  const near = suggest(requested.name, names);
  const other = plans.find(({ spec: { target } }) => target.name === near);
  if (other !== undefined) return `did you mean ${targetText(other)}?`;
  return 'commit the plan first, or name KIND/NAME with the --digest that kruise status shows';
}

function plansNamed({ kind, name }: RequestedTarget, plans: readonly RolloutPlan[]): RolloutPlan[] {
  return plans.filter(
    ({ spec: { target } }) =>
      target.name === name && (kind === undefined || kind === writtenKind(groupKindOf(target))),
  );
}

function requestedText({ kind, name, namespace }: RequestedTarget): string {
  const where = namespace === undefined ? '' : ` in ${namespace}`;
  return `${kind === undefined ? name : `${kind}/${name}`}${where}`;
}

function targetText({ metadata: { namespace }, spec: { target } }: RolloutPlan): string {
  return requestedText({
    ...target,
    kind: writtenKind(groupKindOf(target)),
    namespace: namespace ?? 'no namespace',
  });
}
