import { metadataProblem } from './committed/differences.ts';
import { misplacedInState } from './committed/misplaced-plans.ts';
import { hasErrors, withoutEarlierErrors, finish } from './diagnostics/diagnostic.ts';
import type { Diagnostic } from './diagnostics/diagnostic.ts';
import { foundIn } from './diagnostics/shared.ts';
import type { CompilerHost } from './host.ts';
import { createBudget } from './load/budget.ts';
import type { Budget } from './load/budget.ts';
import { loadHeadConfig } from './load/configuration.ts';
import { readAutoscalers } from './load/autoscalers.ts';
import { type OtherRoot, readElsewhere } from './load/elsewhere.ts';
import { joinPath, shownPath } from './load/files.ts';
import { bounded } from './load/findings.ts';
import { readGitPods } from './load/git-pods.ts';
import { ignoredPaths } from './load/ignored-paths.ts';
import { createLocator } from './load/locate.ts';
import { createParseCache } from './load/parse-cache.ts';
import { allStanding, type Loaded, loadState, type State } from './load/manifests.ts';
import { readNatives } from './load/native.ts';
import { onceOnly } from './load/once-only.ts';
import { loadPlans } from './load/plan-files.ts';
import { plansFolder } from './load/plans-folder.ts';
import { committedPlanProblems } from './plan/committed-plan.ts';
import { pathToPlan } from './plan/path-to-plan.ts';
import { planPath, toTarget } from './plan/target.ts';
import type { Target } from './plan/target.ts';
import { validateInRoot, validateStandingInRoot } from './reach/root-namespaces.ts';
import { standingThatSelectNothing } from './reach/selects-nothing.ts';
import { reachProblems } from './stages/reach.ts';
import { disruptionRules } from './validate/disruption-rules.ts';
import { influenceRules } from './validate/influence-rules.ts';
import { gateRules } from './validate/gate-rules.ts';
import { placingRules } from './validate/placing-rules.ts';
import { autoscalerRules } from './validate/autoscaler-rules.ts';
import { copyRules } from './validate/copy-rules.ts';
import { exclusionRules } from './validate/standing-pairs.ts';
import { foreignLaunchRules } from './validate/foreign-launch-rules.ts';
import { injectorRules } from './validate/injector-rules.ts';
import { protectionValues } from './validate/protection-rules.ts';
import { selectorOverlaps } from './validate/overlap-rules.ts';
import { locateIn, unsupportedFields } from './validate/validate.ts';
import { validatable } from './load/intact.ts';
import { batchesOfTargets, rulesFor } from './plan/rule-problems.ts';

/** All problems of the manifests of one state, each by itself. */
export function checkState(
  host: CompilerHost,
  state: State,
  strict: boolean,
  {
    budget = createBudget(),
    isPart = false,
    otherRoots = [],
  }: { budget?: Budget; isPart?: boolean; otherRoots?: readonly OtherRoot[] } = {},
): { loaded: Loaded; diagnostics: Diagnostic[] } {
  const configuration = loadHeadConfig(host, state.root, budget);
  const ignoredFiles = ignoredPaths(configuration);
  const loaded = loadState(host, state, createParseCache(), budget, ignoredFiles);
  const { config } = configuration;
  const lists = [loaded.diagnostics, rulesFor(configuration, loaded, isPart, budget)];
  if (!isPart) lists.push(configuration.diagnostics);
  const { plans, texts, diagnostics: problems } = loadPlans(host, state, budget);
  lists.push(problems);
  const locator = createLocator(budget);
  const filter = withoutEarlierErrors(loaded.diagnostics);
  const checkedOnly = new Set(loaded.checkedOnly);
  const targets: Pick<Target, 'manifest' | 'normal'>[] = [];
  for (const manifest of [
    ...validatable(loaded, loaded.manifests.values()),
    ...validatable(loaded, loaded.checkedOnly),
  ]) {
    const locate = locateIn(manifest, locator);
    const all = validateInRoot(manifest, config, state.namespaces, locate);
    const found = filter(all);
    // Nothing is rolled out here, so the field is only worth a warning.
    const unsupported = unsupportedFields(manifest, locate, 'KR2136');
    const plan = plans.get(manifest.id)?.plan;
    const isSkipped = plan === undefined || hasErrors(all) || checkedOnly.has(manifest);
    const path = pathToPlan(host, state, manifest);
    const planProblems = isSkipped
      ? []
      : committedPlanProblems(toTarget(manifest), undefined, plan, locate, path);
    lists.push(bounded([...found, ...unsupported, ...planProblems], budget));
    if (!hasErrors(all) && !checkedOnly.has(manifest))
      targets.push({ manifest, normal: manifest.type.git.read(manifest.object) });
  }
  for (const manifest of validatable(loaded, allStanding(loaded))) {
    const found = validateStandingInRoot(manifest, state.namespaces, locateIn(manifest, locator));
    lists.push(bounded(filter(found), budget));
  }
  for (const { found } of selectorOverlaps(targets, locator)) lists.push(bounded([found], budget));
  lists.push(bounded(foundIn(disruptionRules(loaded, targets, locator)), budget));
  const pods = onceOnly(() => readGitPods(host, loaded.podFiles, budget));
  lists.push(bounded(foundIn(influenceRules(loaded, targets, pods, locator)), budget));
  const natives = onceOnly(() => readNatives(host, loaded.nativeFiles, budget));
  lists.push(bounded(foundIn(placingRules(loaded, targets, natives, locator)), budget));
  const scalers = onceOnly(() => readAutoscalers(host, loaded.scalerFiles, budget));
  lists.push(bounded(foundIn(autoscalerRules(targets, scalers, locator)), budget));
  lists.push(bounded(filter(gateRules(loaded, host, budget, locator)), budget));
  const standing = [...validatable(loaded, loaded.standing.values())];
  lists.push(bounded(filter(exclusionRules(standing, locator)), budget));
  lists.push(bounded(filter(copyRules(standing, { host, ...loaded }, pods, budget, locator)), budget));
  const otherPods = () => readElsewhere(otherRoots).pods();
  lists.push(bounded(filter(standingThatSelectNothing(loaded, standing, pods, otherPods, locator)), budget));
  const elsewhere = readElsewhere(loaded.injectors.length === 0 ? [] : otherRoots);
  const images = config.images ?? 'tag';
  const injected = injectorRules(loaded.injectors, undefined, images, locator, true, elsewhere.injectors);
  lists.push(bounded(filter(foundIn(injected)), budget));
  const reading = { reading: budget, reporting: budget, locator };
  lists.push(filter(foreignLaunchRules(host, loaded.launchFiles, reading)));
  const valid = targets.map(({ manifest }) => manifest);
  for (const found of reachProblems(loaded, valid, pods, elsewhere, locator).values())
    lists.push(bounded(found, budget));
  lists.push(protectionValues({ host, ...loaded }, budget, locator));
  const folder = plansFolder(host, state, config.roots ?? [], budget);
  lists.push(batchesOfTargets(configuration, loaded, targets, budget), folder.diagnostics);
  const changes = [...loaded.manifests.values()].map((manifest) => ({ ...manifest, head: manifest }));
  const byFile = new Map([...plans.values()].map((each) => [each.source.file, each] as const));
  const edited = changes.flatMap((change) => {
    const plan = byFile.get(shownPath(host, joinPath(state.plans, planPath(change))));
    return (plan && metadataProblem(plan.plan, change, plan.source, budget)) ?? [];
  });
  const { planPaths } = folder;
  const unexpectedPlans = [...loaded.unexpectedPlans, ...folder.unexpectedPlans];
  const misplaced = misplacedInState({
    ...{ compiled: { changes, planPaths, unexpectedPlans, budget }, head: state, host },
    read: (path) => texts.get(path),
  });
  lists.push(bounded([...edited, ...misplaced], budget));
  lists.push(ignoredFiles.unused(state.paths), budget.problems());
  return { loaded, diagnostics: finish(lists.flat(), strict) };
}
