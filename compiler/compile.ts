import type { IntOrPercent } from '../semantics/values/int-or-percent.ts';
import { diagnostic, hasErrors, withoutEarlierErrors, finish } from './diagnostics/diagnostic.ts';
import type { Diagnostic, Source } from './diagnostics/diagnostic.ts';
import { filedByTarget, isOfIdleBatches, type SharedDiagnostic } from './diagnostics/shared.ts';
import { chooseNamed } from './forecast/names.ts';
import { chooseSimulated } from './forecast/simulation-cost.ts';
import type { CompilerHost } from './host.ts';
import { readAutoscalers } from './load/autoscalers.ts';
import { createBudget } from './load/budget.ts';
import type { Budget } from './load/budget.ts';
import { loadHeadConfig } from './load/configuration.ts';
import { bounded } from './load/findings.ts';
import { hiddenByIgnore } from './load/hidden.ts';
import { ignoredPaths } from './load/ignored-paths.ts';
import type { IgnoredPaths } from './load/ignored-paths.ts';
import { droppedConfigs } from './load/config-objects.ts';
import { createLocator } from './load/locate.ts';
import { fileLeftOut, loadState } from './load/manifests.ts';
import { type OtherRoot, readElsewhere } from './load/elsewhere.ts';
import { readGitPods } from './load/git-pods.ts';
import { onceOnly } from './load/once-only.ts';
import { readNatives } from './load/native.ts';
import { createParseCache } from './load/parse-cache.ts';
import type { Loaded, State } from './load/manifests.ts';
import { nothingFound } from './load/nothing-found.ts';
import { plansFolder } from './load/plans-folder.ts';
import { withUnchangedFiles } from './load/unchanged-files.ts';
import type { PlanHistory } from './plan/earlier-plans.ts';
import type { ReadEarlier } from './plan/plan-history.ts';
import { type Natives } from './plan/handover.ts';
import { withMoved } from './plan/moved.ts';
import type { WholeBase } from './plan/moved.ts';
import { markRepeated } from './plan/repeat.ts';
import type { RepeatRequest } from './plan/repeat.ts';
import { markRepeatedAtHead } from './plan/repeated-at-head.ts';
import type { PlanFile } from './plan/read-plans.ts';
import { loadBasePlans } from './plan/base-plans.ts';
import { type ChangeAtOnce, changesAtOnce } from './plan/at-once.ts';
import { otherLayout } from './plan/base-layout.ts';
import { compareStates } from './plan/change.ts';
import type { Change } from './plan/change.ts';
import { rulesOverTargets } from './plan/rules-over-targets.ts';
import { validatable } from './load/intact.ts';
import { droppedReferences } from './validate/dropped-references.ts';
import { locateIn } from './validate/validate.ts';
import { disruptionRules } from './validate/disruption-rules.ts';
import { influenceRules } from './validate/influence-rules.ts';
import { gateRollout, gateRules } from './validate/gate-rules.ts';
import { spreadsOf, placingRules } from './validate/placing-rules.ts';
import { injectorRules } from './validate/injector-rules.ts';
import { protectedRemovals, protectionValues } from './validate/protection-rules.ts';
import { autoscalerRules } from './validate/autoscaler-rules.ts';
import { copyRules } from './validate/copy-rules.ts';
import { exclusionRules, fixedFieldRules } from './validate/standing-pairs.ts';
import { problemsAtBase } from './load/base-problems.ts';
import { loadBase } from './load/base-state.ts';
import { batchesOfTargets, rulesFor } from './plan/rule-problems.ts';
import { copyChangesOf } from './stages/copies.ts';
import { planChanges, takesReturnLimit } from './stages/plans.ts';
import { removal } from './stages/removals.ts';
import { withAssumedUnits } from './stages/replicas.ts';
import { addLimits } from './stages/limits.ts';
import { standingThatSelectNothing } from './reach/selects-nothing.ts';
import { addReach, reachProblems } from './stages/reach.ts';
import { readTargets } from './stages/targets.ts';

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
  /** Also plan these although they did not change; undefined: only changed targets. */
  repeat?: RepeatRequest;
  /** How many units change at a time in a cluster that goes back, for changes that go back. Default: as for every change. */
  goingBack?: IntOrPercent;
  /** What the base is read from. Default: the host of head. */
  baseHost?: CompilerHost;
  /** The whole state at base, if the run compares a part of it: workloads that moved into that are looked up there. */
  whole?: WholeBase | undefined;
  /** Reads earlier versions of the plans at base. Default: there are none. */
  earlierPlans?: ReadEarlier;
  /** The history of base is known in part alone, as in a shallow clone. Default: false. */
  isHistoryCut?: boolean;
  /** The other roots of the run at head, for what holds over all of them. Default: there are none. */
  otherRoots?: readonly OtherRoot[];
  /** What the run may read. Default: what is documented. */
  budget?: Budget;
  /** Called as targets are planned, with how many are done. */
  onPlanned?: ((done: number, of: number) => void) | undefined;
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
  /** What changes without a plan, of all that is reconciled at once; sorted. */
  atOnce: readonly ChangeAtOnce[];
  /** What the history of base knows of the plans of targets, as far as it was read. */
  histories: ReadonlyMap<string, PlanHistory>;
  isHistoryCut: boolean;
  /** Workloads of base that kruise.yaml of head leaves out: errors of a check, and warnings of another run. */
  hidden: readonly Diagnostic[];
  /** The limit that was asked for, for changes that go back. */
  goingBack: IntOrPercent | undefined;
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
  const { budget = createBudget() } = input;
  const cache = createParseCache();
  const configuration = loadHeadConfig(host, input.head.root, budget);
  const { config } = configuration;
  const ignoredFiles = ignoredPaths(configuration);
  const read = loadState(host, input.head, cache, budget, ignoredFiles);
  const isPart = input.isPart === true;
  const baseHost = input.baseHost ?? host;
  const headRoot = input.base.headRoot ?? input.head.root;
  const loaded = loadBase({ host, root: headRoot }, baseHost, input.base, cache, budget, ignoredFiles);
  const states = { head: { host, state: input.head }, host: baseHost, state: input.base };
  const atBase = { ...states, cache, budget, configuration };
  const { base: shown, problems: hidden } = hiddenByIgnore(atBase, loaded, read);
  const base = withMoved(shown, read, input, ignoredFiles, budget);
  const head = withUnchangedFiles(read, base);
  const lists = [rulesFor(configuration, head, isPart, budget)];
  if (!isPart) lists.push(configuration.diagnostics);
  lists.push(ignoredFiles.unused(input.head.paths));
  lists.push(head.diagnostics, problemsAtBase(base.diagnostics, head.diagnostics));
  // A tree of git has one layout.
  if (input.baseHost === undefined)
    lists.push(otherLayout(host, { ...input.head, root: headRoot, ...head }, { ...input.base, ...base }));

  const locator = createLocator(budget);
  const filter = withoutEarlierErrors(head.diagnostics);
  const images = config.images ?? 'tag';
  const made = readTargets({
    ...{ head, base, config, filter, locator, budget },
    namespaces: input.head.namespaces,
  });
  const { head: targets, byTarget } = made;
  const scalers = onceOnly(() => readAutoscalers(host, head.scalerFiles, budget));
  for (const each of [targets, made.base])
    for (const [id, target] of each) each.set(id, withAssumedUnits(target, config.assume, scalers));
  const add = (id: string, found: readonly Diagnostic[]): void =>
    void byTarget.set(id, [...(byTarget.get(id) ?? []), ...found]);
  // What is about several targets stands in the forecast of each.
  const share = (shared: readonly SharedDiagnostic[]): void => {
    const { byTarget: filed, others } = filedByTarget(shared, (id) => targets.has(id));
    for (const [id, found] of filed) add(id, bounded(filter(found), budget));
    lists.push(bounded(filter(others), budget));
  };
  lists.push(made.diagnostics);
  const folder = plansFolder(host, input.head, config.roots ?? [], budget);
  share(disruptionRules(head, targets.values(), locator));
  lists.push(protectionValues({ host, ...head }, budget, locator));
  const pods = onceOnly(() => readGitPods(host, head.podFiles, budget));
  const podsAtBase = onceOnly(() => readGitPods(baseHost, base.podFiles, budget));
  share(influenceRules(head, targets.values(), pods, locator));
  const natives: Natives = {
    base: onceOnly(() => readNatives(baseHost, base.nativeFiles, budget)),
    head: onceOnly(() => readNatives(host, head.nativeFiles, budget)),
  };
  share(placingRules(head, targets.values(), natives.head, locator));
  share(autoscalerRules(targets.values(), scalers, locator));
  lists.push(bounded(filter(gateRules(head, host, budget, locator)), budget));
  const standing = [...validatable(head, head.standing.values())];
  const otherPods = () => readElsewhere(input.otherRoots ?? []).pods();
  lists.push(
    bounded(filter(exclusionRules(standing, locator)), budget),
    bounded(filter(fixedFieldRules(base.standing, standing, locator)), budget),
    bounded(filter(copyRules(standing, { host, ...head }, pods, budget, locator)), budget),
    bounded(filter(standingThatSelectNothing(head, standing, pods, otherPods, locator)), budget),
  );
  const otherRoots = head.injectors.length === 0 ? [] : (input.otherRoots ?? []);
  const elsewhere = readElsewhere(otherRoots);
  const injected = injectorRules(head.injectors, base.injectors, images, locator, true, elsewhere.injectors);
  share(injected);
  const valid = [...targets.values()].map(({ manifest }) => manifest);
  for (const [id, found] of reachProblems(head, valid, pods, elsewhere, locator))
    add(id, bounded(found, budget));
  lists.push(
    batchesOfTargets(configuration, head, [...targets.values()], budget, made.base),
    folder.diagnostics,
  );
  const changes = compareStates(made.base, targets, budget);
  const byId = new Map(changes.map((change) => [change.id, change] as const));
  // If a file was not read, its targets are not known to be deleted.
  if (!hasErrors(head.diagnostics)) {
    for (const { id } of base.manifests.values()) {
      const removed = removal(byId.get(id), natives, locator);
      if (removed.length > 0) add(id, removed);
    }
    const leftOut = (path: string) => fileLeftOut(host, input.head, path, budget);
    lists.push(protectedRemovals({ host, leftOut, ...head }, { host: baseHost, ...base }, budget, locator));
  }
  const {
    plans: plansAtBase,
    damaged: damagedAtBase,
    diagnostics: problems,
  } = loadBasePlans({ host, state: input.head }, baseHost, input.base, changes, input.earlierPlans, budget);
  lists.push(problems);
  if (input.repeat !== undefined) {
    const refused = markRepeated(changes, plansAtBase, input.repeat, config);
    // The requested target may be in a file that was not read.
    if (![...lists, ...byTarget.values()].some(hasErrors)) lists.push(refused);
  }
  const textsAtHead = markRepeatedAtHead(
    ...([host, input.head, changes, plansAtBase, folder.planPaths, config, budget] as const),
  );
  // What seems to be gone may be in a file that was not read.
  const dropped = onceOnly(() =>
    hasErrors(head.diagnostics)
      ? new Map<string, never>()
      : droppedConfigs(
          { host, files: head.configFiles },
          { host: baseHost, files: base.configFiles },
          budget,
        ),
  );
  for (const change of changes)
    if (change.head !== undefined) {
      const found = droppedReferences(change, dropped, locateIn(change.head.manifest, locator));
      if (found.length > 0) add(change.id, bounded(found, budget));
    }
  addReach(
    changes,
    config.assume,
    pods,
    onceOnly(() => readGitPods(baseHost, base.podFiles, budget)),
  );
  addLimits(changes, head, targets.values(), pods);
  const inOrder = [...head.manifests.keys()].flatMap((id) => byId.get(id) ?? []);
  const planned = planChanges(inOrder, plansAtBase, {
    ...{ host, head: input.head, basePlans: input.base.plans, configuration, planPaths: folder.planPaths },
    ...{ earlierPlans: input.earlierPlans, goingBack: input.goingBack, natives, locator, budget },
    onPlanned: input.onPlanned,
  });
  for (const [id, found] of planned.problems) add(id, found);
  const goesNowhere = input.goingBack !== undefined && !changes.some(takesReturnLimit);
  if (goesNowhere && ![...lists, ...byTarget.values()].some(hasErrors))
    lists.push([diagnostic('KR3030', {})]);
  for (const [id, plan] of planned.movedPlans) plansAtBase.set(id, plan);
  lists.push(bounded(rulesOverTargets(configuration, changes), budget));
  if (base.manifests.size === 0) {
    const created = changes.filter(({ action }) => action === 'Create').length;
    if (created > 1) lists.push([diagnostic('KR3016', { workloads: created })]);
  }
  lists.push(nothingFound(host, input.head, head, base));
  chooseSimulated(changes);
  chooseNamed(changes);
  for (const [id, found] of byTarget) byTarget.set(id, finish(found, input.strict));
  lists.push(
    budget.problems(),
    ...[...byTarget.values()].map((found) => found.filter((each) => !isOfIdleBatches(each))),
  );
  return {
    changes,
    diagnostics: finish(lists.flat(), input.strict),
    byTarget,
    plansAtBase,
    damagedAtBase,
    atOnce: changesAtOnce(standingAtBase(base, head), head.standing, !hasErrors(head.diagnostics), {
      copiesOf: copyChangesOf(podsAtBase, pods),
      spreadsOf: spreadsOf(head, targets.values(), natives.head),
      spreadsBefore: spreadsOf(base, made.base.values(), natives.base),
      rolloutOf: (before, after) => gateRollout(natives, before, after),
    }),
    histories: planned.histories,
    isHistoryCut: input.isHistoryCut === true || planned.isHistoryCut,
    hidden: bounded(hidden, budget),
    goingBack: input.goingBack,
    ignored: head.ignored,
    ignoredFiles,
    planPaths: folder.planPaths,
    textsAtHead,
    unexpectedPlans: [...head.unexpectedPlans, ...folder.unexpectedPlans],
    budget,
  };
}

/** The objects of base that are reconciled at once. One that asks for a plan by now is not deleted: its change has a plan. */
function standingAtBase(base: Loaded, head: Loaded): Loaded['standing'] {
  return new Map([...base.standing].filter(([id]) => !head.manifests.has(id)));
}
