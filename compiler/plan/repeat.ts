import { mostDisruptive } from '../../semantics/template/mode.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { suggest } from '../text/suggest.ts';
import type { PlanFile } from './read-plans.ts';
import type { Change } from './change.ts';
import { leadsTo } from './committed-plan.ts';
import type { Target } from './target.ts';
import { leastMode, underPolicy } from './update-policy.ts';

/** Which changes shall be tried once more: all, or those of one target; without a namespace, in whatever. */
export interface RepeatRequest {
  kind: string | undefined;
  name: string | undefined;
  namespace: string | undefined;
}

/**
 * Turns into `Again` what has one template in both states and where the plan at base leads to it, and into `Unplanned`
 * where that plan leads elsewhere. Only base decides: a second run finds the same and writes the same.
 *
 * @returns an error where there is no such target
 */
export function markRepeated(
  changes: readonly Change[],
  plansAtBase: ReadonlyMap<string, PlanFile>,
  asked: RepeatRequest,
): Diagnostic[] {
  const meant = changes.filter((change) => isMeant(change, asked));
  const obstacles = meant.map((change) => mark(change, plansAtBase.get(change.id)));
  if (obstacles.includes(undefined)) return [];
  if (asked.name === undefined) return [diagnostic('KR3011', NOTHING)];
  const target = asked.kind === undefined ? asked.name : `${asked.kind}/${asked.name}`;
  const [reason] = obstacles;
  if (reason === undefined) {
    const name = suggest(
      asked.name,
      changes.map((change) => change.name),
    );
    return [diagnostic('KR3011', { target, reason: 'there is no manifest of it', suggestion: name })];
  }
  return [diagnostic('KR3011', { target, reason, suggestion: undefined })];
}

const NOTHING = {
  target: undefined,
  reason: 'no plan at base is for a target whose template and partition are the same in both states',
  suggestion: undefined,
};

function isMeant({ kind, name, namespace }: Change, asked: RepeatRequest): boolean {
  const isThere = namespace === undefined || (asked.namespace ?? namespace) === namespace;
  return isThere && (asked.kind ?? kind) === kind && (asked.name ?? name) === name;
}

/** Marks a change that can be planned once more; else says what stands in the way. */
function mark(change: Change, atBase: PlanFile | undefined): string | undefined {
  const { base, head } = change;
  if (base === undefined) return 'its manifest is new, and a first rollout needs no plan';
  if (head === undefined) return 'its manifest is removed';
  if (change.action === 'Update' || change.action === 'Bound') {
    return 'its manifest changes, which is planned as usual';
  }
  if (atBase === undefined) return 'no plan at base is for it';
  if (leadsTo(atBase.plan.spec, head)) asBefore(change, head, atBase);
  else {
    change.action = 'Unplanned';
    // The templates that pods may be on are in neither state: the most is taken for true that the policy lets happen.
    const mode = head.normal.policy === 'InPlaceOnly' ? 'InPlace' : 'Recreate';
    change.classification = { mode, fields: [] };
  }
  return undefined;
}

/** What the plan at base says of the change, unless the update policy of now makes more of it. */
function asBefore(change: Change, head: Target, { plan }: PlanFile): void {
  const [from] = plan.spec.from;
  change.action = 'Again';
  change.classification = {
    mode: mostDisruptive([from?.mode ?? 'MetadataOnly', leastMode(head.normal)]),
    fields: (from?.fields ?? []).map((field) => underPolicy(head, field)),
  };
}
