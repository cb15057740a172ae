import type { RolloutPlan } from '../../schemas/generated/types/rolloutplan.ts';
import { KINDS, PLANNED, writtenKind } from '../../compiler/plan/kinds.ts';
import { groupKindOf } from '../../semantics/owner.ts';
import { listed } from '../../semantics/values/listed.ts';
import { isLabel, isName } from '../../compiler/text/names.ts';
import { byText } from '../../compiler/text/order.ts';
import { suggest } from '../../compiler/text/suggest.ts';
import { exampleTarget, kindNamed, kindsNamed } from './kind-names.ts';
import type { Refusal } from './refusal.ts';

/** A target as a person names it. */
export interface RequestedTarget {
  /** Undefined: of whatever kind. */
  kind: string | undefined;
  name: string;
  namespace: string | undefined;
}

/** A target with the plan that is committed for it, if there is one. */
export interface FoundTarget {
  kind: string;
  name: string;
  namespace: string | undefined;
  plan: RolloutPlan | undefined;
}

/** Reads `NAMESPACE/KIND/NAME`, `KIND/NAME` or `NAME`; the kind by any of its names, in any case. */
export function parseTarget(text: string, given: string | undefined): RequestedTarget | Refusal {
  const words = text.split('/');
  const place = words.length === 3 ? words.shift() : undefined;
  const [first = '', second, ...more] = words;
  if (more.length > 0) {
    const help = `write KIND/NAME, such as ${exampleTarget()}, or NAMESPACE/KIND/NAME`;
    return { problem: `'${text}' is not a target`, help };
  }
  if (place !== undefined && given !== undefined && place !== given) {
    return { problem: `'${text}' is not in namespace ${given}`, help: 'name one namespace only' };
  }
  const namespace = given ?? place;
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
  const meant = suggest(first, KINDS);
  const help = meant === undefined ? `this version plans ${planned}` : `did you mean ${meant}/${name}?`;
  return { problem: `apps.kruise.io has no kind '${first}'`, help };
}

/**
 * The committed plan that is meant; undefined where there is none. A namespace that was given takes plans of that
 * namespace, else those whose manifests name none: they go wherever they are applied.
 */
export function findTarget(
  asked: RequestedTarget,
  plans: readonly RolloutPlan[],
): FoundTarget | Refusal | undefined {
  const named = plansNamed(asked, plans);
  const inNamespace = (namespace: string | undefined): RolloutPlan[] =>
    named.filter(({ metadata }) => metadata.namespace === namespace);
  const exact = asked.namespace === undefined ? named : inNamespace(asked.namespace);
  const found = exact.length > 0 ? exact : inNamespace(undefined);
  const [plan] = found;
  if (plan !== undefined && found.length === 1) {
    const { name } = plan.spec.target;
    const kind = writtenKind(groupKindOf(plan.spec.target));
    return { kind, name, namespace: plan.metadata.namespace ?? asked.namespace, plan };
  }
  if (plan === undefined) return undefined;
  const kinds = new Set(found.map(({ spec: { target } }) => writtenKind(groupKindOf(target))));
  return {
    problem: `${found.length} plans are for ${shownAsked(asked)}: ${found.map(placed).sort(byText).join(', ')}`,
    help: kinds.size > 1 ? 'write KIND/NAME' : 'choose one with -n NAMESPACE',
  };
}

/**
 * Says that no plan is for the target, and what was perhaps meant.
 *
 * @param shownPlans the folder of plans, as people write it
 */
export function noPlanFor(
  asked: RequestedTarget,
  plans: readonly RolloutPlan[],
  shownPlans: string,
): Refusal {
  return { problem: `no plan in ${shownPlans} is for ${shownAsked(asked)}`, help: nearest(asked, plans) };
}

function nearest(asked: RequestedTarget, plans: readonly RolloutPlan[]): string {
  const [elsewhere] = plansNamed(asked, plans).map(placed).sort(byText);
  if (elsewhere !== undefined) return `there is one for ${elsewhere}`;
  const names = plans.map(({ spec: { target } }) => target.name);
  const near = suggest(asked.name, names);
  const other = plans.find(({ spec: { target } }) => target.name === near);
  if (other !== undefined) return `did you mean ${placed(other)}?`;
  return 'commit the plan first, or name KIND/NAME with the --digest that kruise status shows';
}

function plansNamed({ kind, name }: RequestedTarget, plans: readonly RolloutPlan[]): RolloutPlan[] {
  return plans.filter(
    ({ spec: { target } }) =>
      target.name === name && (kind === undefined || kind === writtenKind(groupKindOf(target))),
  );
}

function shownAsked({ kind, name, namespace }: RequestedTarget): string {
  const place = namespace === undefined ? '' : ` in ${namespace}`;
  return `${kind === undefined ? name : `${kind}/${name}`}${place}`;
}

function placed({ metadata: { namespace }, spec: { target } }: RolloutPlan): string {
  return shownAsked({
    ...target,
    kind: writtenKind(groupKindOf(target)),
    namespace: namespace ?? 'no namespace',
  });
}
