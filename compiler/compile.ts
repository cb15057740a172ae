import { runsOnUnits } from '../semantics/kinds/git-side.ts';
import { diagnostic, hasErrors, withoutEarlierErrors, finish } from './diagnostics/diagnostic.ts';
import type { Diagnostic, Source } from './diagnostics/diagnostic.ts';
import { chooseSimulated } from './forecast/simulation-cost.ts';
import type { CompilerHost } from './host.ts';
import { createBudget } from './load/budget.ts';
import type { Budget } from './load/budget.ts';
import { joinPath } from './load/files.ts';
import { loadConfig } from './load/configuration.ts';
import type { Configuration } from './load/configuration.ts';
import { bounded } from './load/findings.ts';
import { ignoredPaths } from './load/ignored-paths.ts';
import type { IgnoredPaths } from './load/ignored-paths.ts';
import type { Limits } from './load/limits.ts';
import { createLocator } from './load/locate.ts';
import type { Locator } from './load/locate.ts';
import { loadState } from './load/manifests.ts';
import { readNatives } from './load/native.ts';
import { createParseCache } from './load/parse-cache.ts';
import type { Manifest } from './load/manifest.ts';
import type { State } from './load/manifests.ts';
import { nothingFound } from './load/nothing-found.ts';
import { plansFolder } from './load/plans-folder.ts';
import { NO_HISTORY } from './plan/earlier-plans.ts';
import type { PlanHistory } from './plan/earlier-plans.ts';
import { hasEarlier, plansInHistory } from './plan/plan-history.ts';
import type { ReadEarlier } from './plan/plan-history.ts';
import { handover, type Natives } from './plan/handover.ts';
import { withMoved } from './plan/moved.ts';
import type { WholeBase } from './plan/moved.ts';
import { markRepeated } from './plan/repeat.ts';
import type { RepeatRequest } from './plan/repeat.ts';
import { markRepeatedAtHead } from './plan/repeated-at-head.ts';
import type { PlanFile } from './plan/read-plans.ts';
import { loadBasePlans } from './plan/base-plans.ts';
import { otherLayout } from './plan/base-layout.ts';
import { compareStates, MOST_FORECASTS } from './plan/change.ts';
import type { Change } from './plan/change.ts';
import { idleBatches } from './plan/batch-rules.ts';
import { rulesOverTargets } from './plan/rules-over-targets.ts';
import { stepsFrom } from './plan/steps-from.ts';
import { PLANNED_ACTIONS, planChange, type PlansBefore } from './plan/plan.ts';
import { goesBack } from './plan/committed-plan.ts';
import { standingPlanProblems } from './plan/standing-plan.ts';
import { planPath, shownName, toTarget } from './plan/target.ts';
import type { Target } from './plan/target.ts';
import { changeRules } from './validate/change-rules.ts';
import { disruptionRules } from './validate/disruption-rules.ts';
import { claimsWithTarget, orphanedClaims } from './validate/claim-rules.ts';
import { brokenUnitStops, ordinalRules } from './validate/ordinal-rules.ts';
import { injectorRules } from './validate/injector-rules.ts';
import { selectorOverlaps } from './validate/overlap-rules.ts';
import { readyByStart } from './validate/readiness-rules.ts';
import { revertRules } from './validate/revert-rules.ts';
import type { Locate } from './validate/schema-errors.ts';
import { locateIn, unsupportedFields, validateManifest } from './validate/validate.ts';
import { problemsAtBase } from './load/base-problems.ts';
import { loadBase } from './load/base-state.ts';
import { validatable } from './load/intact.ts';
import { batchesOfTargets, rulesFor } from './plan/rule-problems.ts';

/** Two states to compare. Both have their plans at the same path below their root. */
export interface CompileInput {
  head: State;
  base: State;
  strict: boolean;
  /**
   * Other runs plan other roots of kruise.yaml. Problems of kruise.yaml itself, and unused rules, are left to the caller.
   * Default: false.
   */
  isPart?: boolean;
  /** Also plan these again although they did not change; undefined: only changed targets. */
  again?: RepeatRequest;
  /** What the base is read from. Default: the host of head. */
  baseHost?: CompilerHost;
  /** The whole state at base, if the run compares a part of it: workloads that moved into that are looked up there. */
  whole?: WholeBase | undefined;
  /** Reads earlier versions of the plans at base. Default: there are none. */
  earlierPlans?: ReadEarlier;
  /** The history of base is known in part alone, as in a shallow clone. Default: false. */
  isHistoryCut?: boolean;
  /** The limits of the run. Default: the documented ones. */
  limits?: Limits;
}

export interface Compiled {
  /** Every target of both states, sorted; those with a rollout have a plan. */
  changes: Change[];
  diagnostics: Diagnostic[];
  /** Diagnostics by target ID, for the forecast of the target. */
  byTarget: ReadonlyMap<string, Diagnostic[]>;
  /** Plans of the base state by target ID. */
  plansAtBase: ReadonlyMap<string, PlanFile>;
  /** Targets whose file of the plan at base is no plan that a cluster executes. */
  damagedAtBase: ReadonlySet<string>;
  /** What the history of base knows of the plans of targets, as far as it was read. */
  histories: ReadonlyMap<string, PlanHistory>;
  isHistoryCut: boolean;
  ignored: ReadonlyMap<string, number>;
  /** The files that kruise.yaml leaves out. */
  ignoredFiles: IgnoredPaths;
  /** The plan files in the folder of plans at head. */
  planPaths: readonly string[];
  /** Texts of some of them, by path: what was read need not be read again. */
  textsAtHead: ReadonlyMap<string, string>;
  /** Files at head that hold a plan and are none of these. */
  unexpectedPlans: readonly Source[];
  /** The remaining budget, for later reads. */
  budget: Budget;
}

/**
 * Loads, validates, normalizes and plans. Writes nothing and throws nothing for bad input. If the diagnostics contain an
 * error, the plans must not be used.
 */
export function compile(host: CompilerHost, input: CompileInput): Compiled {
  const budget = createBudget(input.limits);
  const cache = createParseCache();
  const configuration = loadConfig(host, input.head.root, budget);
  const { config } = configuration;
  const ignoredFiles = ignoredPaths(configuration);
  const head = loadState(host, input.head, cache, budget, ignoredFiles);
  const isPart = input.isPart === true;
  const lists = [rulesFor(configuration, head, isPart, budget)];
  if (!isPart) lists.push(configuration.diagnostics);
  const baseHost = input.baseHost ?? host;
  const base = withMoved(
    loadBase({ host, root: input.head.root }, baseHost, input.base, cache, budget, ignoredFiles),
    head,
    input,
    ignoredFiles,
  );
  lists.push(ignoredFiles.unused(input.head.paths));
  lists.push(head.diagnostics, problemsAtBase(base.diagnostics, head.diagnostics));
  // A tree of git has one layout.
  if (input.baseHost === undefined)
    lists.push(otherLayout(host, { ...input.head, ...head }, { ...input.base, ...base }));

  const byTarget = new Map<string, Diagnostic[]>();
  const locator = createLocator(budget);
  const filter = withoutEarlierErrors(head.diagnostics);
  const targets = new Map<string, Target>();
  for (const manifest of validatable(head)) {
    const locate = locateIn(manifest, locator);
    const found = validateManifest(manifest, config.images ?? 'tag', locate);
    byTarget.set(manifest.id, bounded(filter(found), budget));
    // An error that is not repeated makes the manifest no more valid.
    if (!hasErrors(found)) targets.set(manifest.id, toTarget(manifest));
  }
  for (const [id, each] of selectorOverlaps(targets.values(), locator))
    byTarget.set(id, [...(byTarget.get(id) ?? []), ...bounded([each], budget)]);
  for (const manifest of validatable(head, head.checkedOnly)) {
    const found = filter(validateManifest(manifest, config.images ?? 'tag', locateIn(manifest, locator)));
    lists.push(bounded(found, budget));
  }
  const before = new Map<string, Target>();
  for (const manifest of base.manifests.values()) {
    // A target that is invalid at head is neither deleted nor changed.
    if (targets.has(manifest.id) || !head.manifests.has(manifest.id)) {
      before.set(manifest.id, baseTarget(manifest, targets.get(manifest.id)));
    }
  }
  const folder = plansFolder(host, input.head, config.roots ?? [], budget);
  lists.push(bounded(disruptionRules(head, targets.values(), locator), budget));
  lists.push(
    bounded(filter(injectorRules(head.injectors, base.injectors, config.images ?? 'tag', locator)), budget),
  );
  lists.push(batchesOfTargets(configuration, head, [...targets.values()], budget), folder.diagnostics);
  const changes = compareStates(before, targets, budget);
  const byId = new Map(changes.map((change) => [change.id, change] as const));
  const natives: Natives = {
    base: onceOnly(() => readNatives(baseHost, base.nativeFiles, budget)),
    head: onceOnly(() => readNatives(host, head.nativeFiles, budget)),
  };
  // If a file was not read, its targets are not known to be deleted.
  if (!hasErrors(head.diagnostics)) {
    for (const { id } of base.manifests.values()) {
      const removed = removal(byId.get(id), natives, locator);
      if (removed.length > 0) byTarget.set(id, [...(byTarget.get(id) ?? []), ...removed]);
    }
  }
  const {
    plans: plansAtBase,
    damaged: damagedAtBase,
    diagnostics: problems,
  } = loadBasePlans({ host, state: input.head }, baseHost, input.base, changes, input.earlierPlans, budget);
  lists.push(problems);
  if (input.again !== undefined) {
    const refused = markRepeated(changes, plansAtBase, input.again);
    // The requested target may be in a file that was not read.
    if (![...lists, ...byTarget.values()].some(hasErrors)) lists.push(refused);
  }
  const textsAtHead = markRepeatedAtHead(host, input.head, changes, plansAtBase, folder.planPaths, budget);
  const histories = new Map<string, PlanHistory>();
  let isHistoryCut = input.isHistoryCut === true;
  const atHead = new Set(folder.planPaths);
  const wanted = [...head.manifests.keys()].flatMap((id) => {
    const change = byId.get(id);
    const path = change && joinPath(input.head.plans, planPath(change));
    return change !== undefined &&
      hasEarlier(change, plansAtBase.has(id) || path === undefined || !atHead.has(path))
      ? [change]
      : [];
  });
  const earlierOf = plansInHistory(input.earlierPlans, wanted, input.base.plans, budget);
  // In the order of the files, so that the locator parses each document once.
  for (const { id } of head.manifests.values()) {
    const change = byId.get(id);
    if (change?.head === undefined) continue;
    const found = byTarget.get(id) ?? [];
    const locate = locateIn(change.head.manifest, locator);
    const { history, moved, isCut } = earlierOf(change);
    isHistoryCut ||= isCut;
    const atBase = plansAtBase.get(id) ?? moved;
    if (atBase !== undefined) plansAtBase.set(id, atBase);
    if (history !== undefined) histories.set(id, history);
    const planProblems = PLANNED_ACTIONS.has(change.action)
      ? []
      : standingPlanProblems(host, input.head, change, atBase?.plan, locate, budget);
    const changeProblems =
      change.action === 'Unchanged'
        ? []
        : planAndCheck(change, configuration, { atBase, history: history ?? NO_HISTORY }, locate, budget);
    changeProblems.push(...handover(change, natives, locate));
    if (planProblems.length + changeProblems.length === 0) continue;
    byTarget.set(id, [...found, ...bounded([...planProblems, ...changeProblems], budget)]);
  }
  lists.push(bounded(rulesOverTargets(configuration, changes), budget));
  if (base.manifests.size === 0) {
    const created = changes.filter(({ action }) => action === 'Create').length;
    if (created > 1) lists.push([diagnostic('KR3016', { workloads: created })]);
  }
  lists.push(nothingFound(host, input.head, head, base));
  summarize(changes);
  for (const [id, found] of byTarget) byTarget.set(id, finish(found, input.strict));
  // A forecast has what idles for its target; the run says it once for all of them.
  const idles = ({ code }: Diagnostic): boolean => code === 'KR4010';
  lists.push(
    budget.problems(),
    ...[...byTarget.values()].map((found) => found.filter((each) => !idles(each))),
  );
  return {
    changes,
    diagnostics: finish(lists.flat(), input.strict),
    byTarget,
    plansAtBase,
    damagedAtBase,
    histories,
    isHistoryCut,
    ignored: head.ignored,
    ignoredFiles,
    planPaths: folder.planPaths,
    textsAtHead,
    unexpectedPlans: [...head.unexpectedPlans, ...folder.unexpectedPlans],
    budget,
  };
}

/** Plans a change and reports its problems. */
function planAndCheck(
  change: Change,
  configuration: Configuration,
  before: PlansBefore,
  locate: Locate,
  budget: Budget,
): Diagnostic[] {
  const { config } = configuration;
  const { plan, diagnostics: problems } = planChange(change, config, before, locate, budget);
  const manifest = change.head?.manifest;
  const unsupported = manifest === undefined ? [] : unsupportedFields(manifest, locate, 'KR2114');
  const rules = [...changeRules(change, locate), ...ordinalRules(change, locate)];
  const found = [...rules, ...problems, ...unsupported];
  change.plan = plan;
  change.goesBack = goesBack(change, before.atBase?.plan, before.history);
  if (runsOnUnits(change.head?.normal)) change.assumedUnits = config.assume?.nodes;
  if (!PLANNED_ACTIONS.has(change.action)) return found;
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

function summarize(changes: readonly Change[]): void {
  const many = changes.filter(({ plan }) => plan !== undefined).length > MOST_FORECASTS;
  for (const change of changes) change.summarized = many;
  if (!many) chooseSimulated(changes);
}

function onceOnly<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** Warns of a deleted workload, because no plan gates the deletion. */
function removal(change: Change | undefined, natives: Natives, locator: Locator): Diagnostic[] {
  if (change?.action !== 'Delete' || change.base === undefined) return [];
  const given = handover(change, natives, locateIn(change.base.manifest, locator));
  if (given.length > 0) return given;
  const { base, kind, namespace, name } = change;
  if (base.normal.replicas === 0) return [];
  const position = locateIn(base.manifest, locator)(['metadata', 'name'], 'value');
  const pods = base.normal.replicas;
  const args = { kind, name: shownName({ namespace, name }), pods, ...claimsWithTarget(base) };
  return [diagnostic('KR2120', args, position)];
}

/** Reuses the target at head if its manifest comes from the same text. */
function baseTarget(manifest: Manifest, head: Target | undefined): Target {
  return head !== undefined && head.manifest.object === manifest.object ? head : toTarget(manifest);
}
