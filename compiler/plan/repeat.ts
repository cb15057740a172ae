import { mostDisruptive } from '../../semantics/template/mode.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { suggest } from '../text/suggest.ts';
import type { PlanFile } from './read-plans.ts';
import type { Action, Change } from './change.ts';
import { leadsTo } from './committed-plan.ts';
import type { Target } from './target.ts';
import { leastMode, underPolicy, unknownMode } from './update-policy.ts';

/** Which changes to plan again: all, or those of one target. Without a namespace, in any. */
export interface RepeatRequest {
  kind: string | undefined;
  name: string | undefined;
  namespace: string | undefined;
}

/**
 * Marks targets with the same template and partition in both states: `Again` if the plan at base leads to the template,
 * `Unplanned` if it leads elsewhere. Only the base decides, so a second run writes the same plans.
 *
 * @returns an error if there is no such target
 */
export function markRepeated(
  changes: readonly Change[],
  plansAtBase: ReadonlyMap<string, PlanFile>,
  request: RepeatRequest,
): Diagnostic[] {
  const matching = changes.filter((change) => isRequested(change, request));
  const isNamed = request.name !== undefined;
  const refusals = matching.map((change) => mark(change, plansAtBase.get(change.id), isNamed));
  if (refusals.includes(undefined)) return [];
  if (request.name === undefined) return [diagnostic('KR3011', NOTHING)];
  const target = request.kind === undefined ? request.name : `${request.kind}/${request.name}`;
  const [reason] = refusals;
  if (reason === undefined) {
    const name = suggest(
      request.name,
      changes.map((change) => change.name),
    );
    return [
      diagnostic('KR3011', {
        target,
        reason: 'it has no manifest',
        suggestion: name,
        lacksPlan: false,
      }),
    ];
  }
  return [diagnostic('KR3011', { target, reason, suggestion: undefined, lacksPlan: reason === NO_PLAN })];
}

const NOTHING = {
  target: undefined,
  reason: 'no plan at base is for a target whose template and partition are the same in both states',
  suggestion: undefined,
  lacksPlan: true,
};

const NO_PLAN = 'no plan at base is for it';

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
  if (atBase === undefined && !(isNamed && head.normal.run !== undefined)) return NO_PLAN;
  if (atBase === undefined) asUnplanned(change, head);
  else markAgain(change, atBase);
  return undefined;
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
