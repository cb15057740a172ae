import { runOnNodes } from '../../semantics/kinds/git-units.ts';
import type { IntOrPercent } from '../../semantics/values/int-or-percent.ts';
import { withoutEarlierErrors } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { CompilerHost } from '../host.ts';
import type { Budget } from '../load/budget.ts';
import type { Configuration } from '../load/configuration.ts';
import { joinPath } from '../load/files.ts';
import { bounded } from '../load/findings.ts';
import type { Locator } from '../load/locate.ts';
import { loadPlan } from '../load/plan-files.ts';
import type { State } from '../load/manifests.ts';
import { idleBatches } from '../plan/batch-rules.ts';
import type { Change } from '../plan/change.ts';
import { goesBack } from '../plan/committed-plan.ts';
import { runningLimits, uncontinued } from '../plan/continuation.ts';
import { addsHistoryAlone, NO_HISTORY } from '../plan/earlier-plans.ts';
import type { PlanHistory } from '../plan/earlier-plans.ts';
import { handover } from '../plan/handover.ts';
import { successor } from '../plan/successor.ts';
import type { Natives } from '../plan/handover.ts';
import { ruleFor } from '../plan/match.ts';
import { hasEarlier, plansInHistory } from '../plan/plan-history.ts';
import type { ReadEarlier } from '../plan/plan-history.ts';
import { PLANNED_ACTIONS, planChange } from '../plan/plan.ts';
import type { PlansBefore } from '../plan/plan.ts';
import type { PlanFile } from '../plan/read-plans.ts';
import { standingPlanProblems } from '../plan/standing-plan.ts';
import { stepsFrom } from '../plan/steps-from.ts';
import { planPath } from '../plan/target.ts';
import { changeRules } from '../validate/change-rules.ts';
import { orphanedClaims } from '../validate/claim-rules.ts';
import { brokenUnitStops, ordinalRules } from '../validate/ordinal-rules.ts';
import { readyByStart } from '../validate/readiness-rules.ts';
import { resizeRules } from '../validate/resize-rules.ts';
import { revertRules } from '../validate/revert-rules.ts';
import type { Locate } from '../validate/schema-errors.ts';
import { locateIn, unsupportedFields } from '../validate/validate.ts';

/** What planning reads besides the changes. */
interface PlanningInput {
  host: CompilerHost;
  head: State;
  /** The folder of plans at base. */
  basePlans: string;
  configuration: Configuration;
  /** Plan files in the folder of plans at head. */
  planPaths: readonly string[];
  earlierPlans: ReadEarlier | undefined;
  /** How many units change at a time in a cluster that goes back; undefined: as head has it, or as for every change. */
  goingBack: IntOrPercent | undefined;
  natives: Natives;
  locator: Locator;
  budget: Budget;
  /** Called as targets are planned, with how many are done. */
  onPlanned?: ((done: number, of: number) => void) | undefined;
}

/** What was found while changes were planned. */
interface Planned {
  /** By target ID. */
  problems: ReadonlyMap<string, Diagnostic[]>;
  /** What the history of base knows of the plans of targets, as far as it was read. */
  histories: ReadonlyMap<string, PlanHistory>;
  /** Plans at base that lie in another folder there, by target ID. */
  movedPlans: ReadonlyMap<string, PlanFile>;
  isHistoryCut: boolean;
}

/**
 * Plans the changes whose target head has, in the order of the files, so that the locator parses each document once. The plan
 * and what belongs to it is written into its change.
 *
 * @param plansAtBase plans in the folder of plans at base, by target ID
 */
export function planChanges(
  changes: readonly Change[],
  plansAtBase: ReadonlyMap<string, PlanFile>,
  input: PlanningInput,
): Planned {
  const { host, head, natives, locator, budget } = input;
  const problems = new Map<string, Diagnostic[]>();
  const histories = new Map<string, PlanHistory>();
  const movedPlans = new Map<string, PlanFile>();
  let isHistoryCut = false;
  const earlierOf = plansInHistory(
    input.earlierPlans,
    changesWithHistory(changes, plansAtBase, input),
    input.basePlans,
    budget,
  );
  for (const [done, change] of changes.entries()) {
    input.onPlanned?.(done, changes.length);
    if (change.head === undefined) continue;
    const locate = locateIn(change.head.manifest, locator);
    const { history, moved, isCut } = earlierOf(change);
    isHistoryCut ||= isCut;
    if (moved !== undefined && !plansAtBase.has(change.id)) movedPlans.set(change.id, moved);
    const atBase = plansAtBase.get(change.id) ?? moved;
    if (history !== undefined) histories.set(change.id, history);
    const isLeft = !PLANNED_ACTIONS.has(change.action) || change.action === 'Continue';
    const planProblems = !isLeft
      ? []
      : standingPlanProblems(host, head, change, atBase?.plan, locate, budget);
    const changeProblems =
      change.action === 'Unchanged'
        ? []
        : planAndCheck(change, { atBase, history: history ?? NO_HISTORY }, locate, input);
    changeProblems.push(...handover(change, natives, locate), ...successor(change, natives, locate));
    if (planProblems.length + changeProblems.length === 0) continue;
    problems.set(change.id, bounded([...planProblems, ...changeProblems], budget));
  }
  return { problems, histories, movedPlans, isHistoryCut };
}

/** The changes whose plans are looked up in the history of base. */
function changesWithHistory(
  changes: readonly Change[],
  plansAtBase: ReadonlyMap<string, PlanFile>,
  { head, planPaths }: Pick<PlanningInput, 'head' | 'planPaths'>,
): Change[] {
  const atHead = new Set(planPaths);
  return changes.filter((change) =>
    hasEarlier(change, plansAtBase.has(change.id) || !atHead.has(joinPath(head.plans, planPath(change)))),
  );
}

/** Plans a change and reports its problems. */
function planAndCheck(
  change: Change,
  before: PlansBefore,
  locate: Locate,
  input: PlanningInput,
): Diagnostic[] {
  const { configuration } = input;
  const { config } = configuration;
  change.goesBack = goesBack(change, before.atBase?.plan, before.history);
  const { plan, stepsOfRule, diagnostics: problems } = planOf(change, before, locate, input);
  const manifest = change.head?.manifest;
  const unsupported = manifest === undefined ? [] : unsupportedFields(manifest, locate, 'KR2114');
  const rules = [
    ...changeRules(change, locate),
    ...ordinalRules(change, locate),
    ...resizeRules(change, config.assume?.kubernetes, locate),
  ];
  const found = [...rules, ...problems, ...unsupported];
  change.plan = plan;
  change.stepsOfRule = stepsOfRule;
  if (change.head !== undefined && runOnNodes(change.head.normal.units) !== undefined)
    change.assumedUnits = config.assume?.nodes;
  if (!PLANNED_ACTIONS.has(change.action)) {
    const rule = change.head && ruleFor(config, change.head.manifest);
    const spec = before.atBase?.plan.spec;
    change.runningLimits = runningLimits(change, spec, rule);
    change.isContinuable = uncontinued(change, spec, rule, true) === undefined;
    return found;
  }
  const { locate: inConfig, diagnostics: earlier } = configuration;
  const idle =
    inConfig === undefined || change.head === undefined
      ? []
      : withoutEarlierErrors(earlier)(idleBatches(config, [change.head], inConfig));
  if (plan === undefined) return [...found, ...idle];
  if (change.head !== undefined) change.stepsFrom = stepsFrom(configuration, change.head);
  return [
    ...found,
    ...idle,
    ...orphanedClaims(change, locate),
    ...(change.action === 'Claims'
      ? []
      : [...brokenUnitStops(change, locate), ...readyByStart(change, locate)]),
    ...revertRules(change, config.images ?? 'tag', locate),
  ];
}

/** Whether a change goes back to pods that a cluster takes back itself, so that its plan may say how many at a time. */
export function takesReturnLimit({ action, goesBack: isBack, head, type }: Change): boolean {
  const limits = head === undefined ? {} : type.limits.windowFields(head.manifest.object);
  return isBack && action === 'Update' && limits.maxUnavailable !== undefined;
}

/**
 * The plan of a change. One that goes back has the limits that the option asks for, else those of the plan that head has, if
 * that is such a plan: a second run writes the same, and a check accepts it.
 */
function planOf(
  change: Change,
  before: PlansBefore,
  locate: Locate,
  { host, head, configuration: { config }, goingBack, budget }: PlanningInput,
): ReturnType<typeof planChange> {
  const plannedWith = (limit: IntOrPercent | undefined): ReturnType<typeof planChange> =>
    planChange(change, config, before, locate, budget, limit);
  if (!takesReturnLimit(change)) return plannedWith(undefined);
  if (goingBack !== undefined) return plannedWith(goingBack);
  const usual = plannedWith(undefined);
  const committed = loadPlan(host, joinPath(head.plans, planPath(change)), budget);
  const isThere = ({ plan }: ReturnType<typeof planChange>): boolean =>
    committed !== undefined && plan !== undefined && addsHistoryAlone(committed, plan, before.atBase?.plan);
  if (committed === undefined || isThere(usual)) return usual;
  const { window = {} } = committed.spec.steps.find(({ update }) => update)?.update ?? {};
  for (const limit of new Set([window.maxUnavailable, window.maxSurge])) {
    const found = limit === undefined ? usual : plannedWith(limit);
    if (isThere(found)) return found;
  }
  return usual;
}
