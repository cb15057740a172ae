import type { KruiseConfig } from '../../schemas/generated/types/config.ts';
import { mostDisruptive } from '../../semantics/template/mode.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Args } from '../diagnostics/registry.ts';
import { suggest } from '../text/suggest.ts';
import type { PlanFile } from './read-plans.ts';
import type { Action, Change } from './change.ts';
import { leadsTo } from './committed-plan.ts';
import { NO_PLAN, uncontinued } from './continuation.ts';
import { ruleFor } from './match.ts';
import type { Target } from './target.ts';
import { leastMode, underPolicy, unknownMode } from './update-policy.ts';

/**
 * Which targets to plan that do not change: all, or one. Without a namespace, in any. `continue`: the plan at base goes on with
 * other limits; else it runs once more.
 */
export interface RepeatRequest {
  how: 'again' | 'continue';
  kind: string | undefined;
  name: string | undefined;
  namespace: string | undefined;
}

/**
 * Marks targets with the same template and partition in both states. `Again`: the plan at base leads to the template;
 * `Unplanned`: it leads elsewhere; `Continue`: it goes on with other limits. Only the base decides, so a second run writes the
 * same plans.
 *
 * @returns an error if there is no such target
 */
export function markRepeated(
  changes: readonly Change[],
  plansAtBase: ReadonlyMap<string, PlanFile>,
  request: RepeatRequest,
  config: KruiseConfig,
): Diagnostic[] {
  const { how, name } = request;
  const matching = changes.filter((change) => isRequested(change, request));
  const isNamed = name !== undefined;
  const refusals = matching.map((change) => {
    const atBase = plansAtBase.get(change.id);
    return how === 'again' ? mark(change, atBase, isNamed) : markIfContinued(change, atBase, config, isNamed);
  });
  if (refusals.includes(undefined)) return [];
  const refused = (args: Args<'KR3011'>): Diagnostic[] => [
    how === 'again' ? diagnostic('KR3011', args) : diagnostic('KR3029', { ...args, unstated: unstated() }),
  ];
  // A plan of an older kruise: git does not show which limits it is held to.
  const unstated = (): string | undefined => {
    const found = isNamed
      ? undefined
      : matching.find((each) => whyNotContinued(each, plansAtBase.get(each.id), config, true) === undefined);
    return found && `${found.kind}/${found.name}`;
  };
  if (name === undefined) {
    const reason = how === 'again' ? NONE_AGAIN : NONE_CONTINUED;
    return refused({ target: undefined, reason, suggestion: undefined, lacksPlan: how === 'again' });
  }
  const target = request.kind === undefined ? name : `${request.kind}/${name}`;
  const [reason] = refusals;
  const names = changes.map((change) => change.name);
  return reason === undefined
    ? refused({ target, reason: 'it has no manifest', suggestion: suggest(name, names), lacksPlan: false })
    : refused({ target, reason, suggestion: undefined, lacksPlan: reason === NO_PLAN });
}

const NONE_AGAIN = 'no plan at base is for a target whose template and partition are the same in both states';
const NONE_CONTINUED =
  'no plan at base leads to its manifest with limits other than those that it and kruise.yaml give';

function isRequested({ kind, name, namespace }: Change, request: RepeatRequest): boolean {
  const isInNamespace = namespace === undefined || (request.namespace ?? namespace) === namespace;
  return isInNamespace && (request.kind ?? kind) === kind && (request.name ?? name) === name;
}

/** Changes that are planned without a request. */
const CHANGING: ReadonlySet<Action> = new Set<Action>(['Update', 'Bound', 'Claims', 'Run']);

/** Marks a change that can be planned again; else returns the reason why not. */
function mark(change: Change, atBase: PlanFile | undefined, isNamed: boolean): string | undefined {
  const { base, head } = change;
  if (head === undefined) return 'its manifest is removed';
  if (CHANGING.has(change.action)) return 'its manifest changes, which is planned as usual';
  if (base === undefined) return 'its manifest is new, and a first rollout needs no plan';
  // A run that has no plan starts nothing, so that nothing is known to have happened.
  if (atBase === undefined && !(isNamed && head.normal.units.of === 'run')) return NO_PLAN;
  if (atBase === undefined) asUnplanned(change, head);
  else markAgain(change, atBase);
  return undefined;
}

/** Marks a target whose plan at base may go on with other limits; else returns the reason why not. */
function markIfContinued(
  change: Change,
  atBase: PlanFile | undefined,
  config: KruiseConfig,
  isNamed: boolean,
): string | undefined {
  const reason = whyNotContinued(change, atBase, config, isNamed);
  if (reason === undefined && atBase !== undefined) markContinued(change, atBase);
  return reason;
}

function whyNotContinued(
  change: Change,
  atBase: PlanFile | undefined,
  config: KruiseConfig,
  isNamed: boolean,
): string | undefined {
  if (CHANGING.has(change.action)) return 'its manifest changes, which is planned as usual';
  const rule = change.head && ruleFor(config, change.head.manifest);
  return uncontinued(change, atBase?.plan.spec, rule, isNamed);
}

/** Marks a target whose plan at base goes on with other limits, and is as disruptive as it was. */
export function markContinued(change: Change, { plan }: PlanFile): void {
  const [from] = plan.spec.from;
  const fields = from?.fields ?? [];
  change.action = 'Continue';
  change.classification = {
    mode: from?.mode ?? 'MetadataOnly',
    fields: fields.map((field) => ({ ...field, reason: 'as in the plan at base', rule: '' })),
  };
}

/** Marks a target whose manifest stays the same to be planned again, after the plan at base. */
export function markAgain(change: Change, atBase: PlanFile): void {
  const { head } = change;
  if (head === undefined) return;
  if (leadsTo(atBase.plan.spec, head)) asBefore(change, head, atBase);
  else asUnplanned(change, head);
}

function asUnplanned(change: Change, head: Target): void {
  change.action = 'Unplanned';
  // The templates of the pods may be in neither state, so assume the most disruptive mode that the policy allows.
  change.classification = { mode: unknownMode(head), fields: [] };
}

/** Classifies the change as the plan at base does, or more disruptive if the current update policy is. */
function asBefore(change: Change, head: Target, { plan }: PlanFile): void {
  const [from] = plan.spec.from;
  change.action = 'Again';
  change.classification = {
    mode: mostDisruptive([from?.mode ?? 'MetadataOnly', leastMode(head.normal)]),
    fields: (from?.fields ?? []).map((field) => underPolicy(head, field)),
  };
}
