import type { RolloutPlan } from '../schemas/generated/types/rolloutplan.ts';
import { diagnostic, hasErrors, sortDiagnostics, strictly } from './diagnostics/diagnostic.ts';
import type { Diagnostic } from './diagnostics/diagnostic.ts';
import type { Code } from './diagnostics/registry.ts';
import { chooseSimulated } from './forecast/simulation-cost.ts';
import type { CompilerHost } from './host.ts';
import { createBudget } from './load/budget.ts';
import type { Budget } from './load/budget.ts';
import { findFiles, joinPath, shownPath } from './load/files.ts';
import { loadConfig } from './load/configuration.ts';
import type { Configuration } from './load/configuration.ts';
import { bounded } from './load/findings.ts';
import { LIMITS } from './load/limits.ts';
import type { Limits } from './load/limits.ts';
import { createLocator } from './load/locate.ts';
import type { Locator } from './load/locate.ts';
import { createParseCache, loadState } from './load/manifests.ts';
import type { Loaded, Manifest, State } from './load/manifests.ts';
import { loadPlan, loadPlans } from './load/plan-files.ts';
import { markRepeated } from './plan/repeat.ts';
import type { RepeatRequest } from './plan/repeat.ts';
import type { PlanFile } from './plan/read-plans.ts';
import { compareStates, MOST_FORECASTS } from './plan/change.ts';
import type { Change, StepsFrom } from './plan/change.ts';
import { idleBatches, unusedRules } from './plan/config-rules.ts';
import { orderProblems } from './plan/order-rules.ts';
import { PLANNED_ACTIONS, planChange } from './plan/plan.ts';
import { isSuccessor, committedPlanProblems } from './plan/committed-plan.ts';
import { ruleIndexFor } from './plan/steps.ts';
import { planPath, shownName, toTarget } from './plan/target.ts';
import type { Target } from './plan/target.ts';
import { changeRules } from './validate/change-rules.ts';
import { orphanedClaims } from './validate/claim-rules.ts';
import { readyByStart } from './validate/readiness-rules.ts';
import type { Locate } from './validate/schema-errors.ts';
import { locateIn, unsupportedFields, validateManifest } from './validate/validate.ts';

/** Two states to compare. Both keep their plans in the same place below their root. */
export interface CompileInput {
  head: State;
  base: State;
  strict: boolean;
  /** Also plan once more what did not change; undefined: only what did. */
  again?: RepeatRequest;
  /** How much the run takes; default: the documented limits. */
  limits?: Limits;
}

export interface Compiled {
  /** Every target of both states, sorted; those with a plan carry it. */
  changes: Change[];
  diagnostics: Diagnostic[];
  /** Diagnostics by target id, for its forecast. */
  byTarget: ReadonlyMap<string, Diagnostic[]>;
  /** Plans of the base state by target id. */
  plansAtBase: ReadonlyMap<string, PlanFile>;
  ignored: ReadonlyMap<string, number>;
  /** What is left of the limits of the run, for what is read after it. */
  budget: Budget;
}

/** Everything wrong with the manifests of one state, each by itself. */
export function checkState(
  host: CompilerHost,
  state: State,
  strict: boolean,
  limits: Limits = LIMITS,
): { loaded: Loaded; diagnostics: Diagnostic[] } {
  const budget = createBudget(limits);
  const loaded = loadState(host, state, createParseCache(), budget);
  const configuration = loadConfig(host, state.root, budget);
  const { config } = configuration;
  const lists = [loaded.diagnostics, configuration.diagnostics, rulesFor(configuration, loaded, budget)];
  const { plans, diagnostics: problems } = loadPlans(host, state, budget);
  lists.push(problems);
  const locator = createLocator(budget);
  const judged = judgedBefore(loaded);
  const misnamed = new Set(loaded.misnamed);
  for (const manifest of [...legible(loaded), ...legible(loaded, loaded.misnamed)]) {
    const locate = locateIn(manifest, locator);
    const found = judged(validateManifest(manifest, config.images ?? 'tag', locate));
    // Nothing is rolled out here: the field is worth a warning.
    const unsupported = unsupportedFields(manifest, locate).map(asWarning);
    const plan = plans.get(manifest.id)?.plan;
    const stands = plan === undefined || hasErrors(found) || misnamed.has(manifest);
    const standing = stands ? [] : committedPlanProblems(toTarget(manifest), undefined, plan, locate);
    lists.push(bounded([...found, ...unsupported, ...standing], budget));
  }
  lists.push(hiddenManifests(host, state, budget), budget.problems());
  return { loaded, diagnostics: finish(lists.flat(), strict) };
}

/**
 * Load, validate, normalize, plan. Nothing is written and nothing thrown for bad input; with an error among the
 * diagnostics the plans are not to be used.
 */
export function compile(host: CompilerHost, input: CompileInput): Compiled {
  const budget = createBudget(input.limits);
  const cache = createParseCache();
  const configuration = loadConfig(host, input.head.root, budget);
  const { config } = configuration;
  const head = loadState(host, input.head, cache, budget);
  const lists = [configuration.diagnostics, rulesFor(configuration, head, budget)];
  const base = loadState(host, input.base, cache, budget);
  lists.push(head.diagnostics, base.diagnostics.filter(({ code }) => !STRANGERS.has(code)).map(asBase));

  const byTarget = new Map<string, Diagnostic[]>();
  const locator = createLocator(budget);
  const judged = judgedBefore(head);
  const targets = new Map<string, Target>();
  for (const manifest of legible(head)) {
    const locate = locateIn(manifest, locator);
    const found = judged(validateManifest(manifest, config.images ?? 'tag', locate));
    byTarget.set(manifest.id, bounded(found, budget));
    if (!hasErrors(found)) targets.set(manifest.id, toTarget(manifest));
  }
  for (const manifest of legible(head, head.misnamed)) {
    const found = judged(validateManifest(manifest, config.images ?? 'tag', locateIn(manifest, locator)));
    lists.push(bounded(found, budget));
  }
  const before = new Map<string, Target>();
  for (const manifest of base.manifests.values()) {
    // A target that cannot be judged at head is neither deleted nor changed.
    if (targets.has(manifest.id) || !head.manifests.has(manifest.id)) {
      before.set(manifest.id, baseTarget(manifest, targets.get(manifest.id)));
    }
  }
  lists.push(hiddenManifests(host, input.head, budget));
  const changes = compareStates(before, targets, budget);
  const byId = new Map(changes.map((change) => [change.id, change] as const));
  // With a file that was not read nobody knows what is gone.
  if (!hasErrors(head.diagnostics)) {
    for (const { id } of base.manifests.values()) {
      const gone = removal(byId.get(id), locator);
      if (gone.length > 0) byTarget.set(id, [...(byTarget.get(id) ?? []), ...gone]);
    }
  }
  const { plans: plansAtBase, diagnostics: problems } = loadPlans(host, input.base, budget);
  lists.push(problems);
  if (input.again !== undefined) {
    const obstacles = markRepeated(changes, plansAtBase, input.again);
    // What was not read may be what is looked for.
    if (![...lists, ...byTarget.values()].some(hasErrors)) lists.push(obstacles);
  }
  // In the order of the files, so that a finder of places parses each document once.
  for (const { id } of head.manifests.values()) {
    const change = byId.get(id);
    if (change?.head === undefined) continue;
    const found = byTarget.get(id) ?? [];
    const locate = locateIn(change.head.manifest, locator);
    const atBase = plansAtBase.get(id);
    const standing = PLANNED_ACTIONS.has(change.action)
      ? []
      : standingProblems(host, input.head, change, atBase?.plan, locate, budget);
    const judgedChange =
      change.action === 'Unchanged' ? [] : judgeChange(change, configuration, atBase, locate, budget);
    if (standing.length + judgedChange.length === 0) continue;
    byTarget.set(id, [...found, ...bounded([...standing, ...judgedChange], budget)]);
  }
  summarize(changes);
  for (const [id, found] of byTarget) byTarget.set(id, finish(found, input.strict));
  lists.push(budget.problems(), ...byTarget.values());
  return {
    changes,
    diagnostics: finish(lists.flat(), input.strict),
    byTarget,
    plansAtBase,
    ignored: head.ignored,
    budget,
  };
}

/** Plans a change, and says what is wrong with it. */
function judgeChange(
  change: Change,
  configuration: Configuration,
  atBase: PlanFile | undefined,
  locate: Locate,
  budget: Budget,
): Diagnostic[] {
  const { config } = configuration;
  const { plan, diagnostics: problems } = planChange(change, config, atBase, locate, budget);
  const manifest = change.head?.manifest;
  const unsupported = manifest === undefined ? [] : unsupportedFields(manifest, locate);
  const found = [...changeRules(change, locate), ...problems, ...unsupported];
  change.plan = plan;
  if (!PLANNED_ACTIONS.has(change.action)) return found;
  const idle = configuration.locate === undefined ? [] : idleBatches(config, change, configuration.locate);
  if (plan === undefined) return [...found, ...idle];
  change.stepsFrom = stepsFrom(configuration, change);
  return [...found, ...idle, ...orphanedClaims(change, locate), ...readyByStart(change, locate)];
}

function summarize(changes: readonly Change[]): void {
  const many = changes.filter(({ plan }) => plan !== undefined).length > MOST_FORECASTS;
  for (const change of changes) change.summarized = many;
  if (!many) chooseSimulated(changes);
}

/** What is wrong with the plan that a target goes on with. The way out may stand at head already. */
function standingProblems(
  host: CompilerHost,
  head: State,
  change: Change,
  atBase: RolloutPlan | undefined,
  locate: Locate,
  budget: Budget,
): Diagnostic[] {
  const { base, head: target } = change;
  if (atBase === undefined || base === undefined || target === undefined) return [];
  const problems = committedPlanProblems(target, base, atBase, locate);
  if (problems.length === 0) return [];
  const next = loadPlan(host, joinPath(head.plans, planPath(change)), budget);
  const isNext = next !== undefined && isSuccessor(next, change, atBase);
  return isNext ? committedPlanProblems(target, base, next, locate) : problems;
}

/** Nothing gates the end of a workload, so a reviewer should see it among the warnings. */
function removal(change: Change | undefined, locator: Locator): Diagnostic[] {
  if (change?.action !== 'Delete' || change.base === undefined) return [];
  const { base, kind, namespace, name } = change;
  if (base.normal.replicas === 0) return [];
  const place = locateIn(base.manifest, locator)(['metadata', 'name'], 'value');
  const args = { kind, name: shownName({ namespace, name }), pods: base.normal.replicas };
  return [diagnostic('KR2120', args, place)];
}

function finish(diagnostics: readonly Diagnostic[], strict: boolean): Diagnostic[] {
  return sortDiagnostics(strict ? strictly(diagnostics) : diagnostics);
}

/** What the rules mean for the targets that there are; with errors nobody knows which those are. */
function rulesFor({ config, locate }: Configuration, head: Loaded, budget: Budget): Diagnostic[] {
  if (locate === undefined || hasErrors(head.diagnostics)) return [];
  const targets = [...head.manifests.values()];
  return bounded(
    [...unusedRules(config, targets, locate), ...orderProblems(config, targets, locate)],
    budget,
  );
}

function stepsFrom({ config, locate }: Configuration, change: Change): StepsFrom {
  const rule = ruleIndexFor(config, change);
  if (rule !== undefined) return rule + 1;
  return locate === undefined ? 'no file' : 'none';
}

/** Mistakes after which the values of a file are not what its author wrote. */
const TORN: ReadonlySet<Code> = new Set<Code>([
  ...(['KR1004', 'KR1005', 'KR1011', 'KR1012', 'KR1035', 'KR1036'] as const),
]);

/** Of two mistakes at one place leaves the first: what a reader could not read needs no second word. */
function judgedBefore(loaded: Loaded): (found: Diagnostic[]) => Diagnostic[] {
  const places = new Set(loaded.diagnostics.filter(({ severity }) => severity === 'error').map(placeKey));
  return (found) => (places.size === 0 ? found : found.filter((each) => !places.has(placeKey(each))));
}

function placeKey({ position }: Diagnostic): string {
  return position === undefined ? '' : `${position.start} ${position.source.file}`;
}

/** The manifests that can be judged, file by file, so that a finder of places parses each file once. */
function legible(loaded: Loaded, manifests: Iterable<Manifest> = loaded.manifests.values()): Manifest[] {
  const torn = new Set(
    loaded.diagnostics.flatMap(({ code, position }) =>
      TORN.has(code) && position !== undefined ? [position.source] : [],
    ),
  );
  return [...manifests].filter(({ origin }) => !torn.has(origin.source));
}

/** The same manifest, taken from the same text, need not be normalized twice. */
function baseTarget(manifest: Manifest, head: Target | undefined): Target {
  return head !== undefined && head.manifest.object === manifest.object ? head : toTarget(manifest);
}

/** Files that name nothing of ours: at base, what they were is no concern. */
const STRANGERS: ReadonlySet<Code> = new Set<Code>(['KR1022', 'KR1026', 'KR1027']);

/** Files and folders that were not read to the end: what they hold is not known. */
const UNREAD: ReadonlySet<Code> = new Set<Code>([
  ...(['KR1001', 'KR1002', 'KR1003', 'KR1004', 'KR1011', 'KR1012', 'KR1015', 'KR1020'] as const),
  ...(['KR1035', 'KR1036', 'KR1037'] as const),
]);

/**
 * What is wrong in a manifest at base cannot be mended any more; the cluster never took it. But a base that was not
 * read would make every object in it look new.
 */
function asBase(found: Diagnostic): Diagnostic {
  const message = `at base: ${found.message}`;
  return UNREAD.has(found.code)
    ? { ...found, severity: 'error', message, help: 'give a base that can be read' }
    : { ...found, severity: 'warning', message };
}

function asWarning(found: Diagnostic): Diagnostic {
  return { ...found, severity: 'warning' };
}

/**
 * In the folder of plans no manifest is read; one that stands there would look removed. What cannot be read there cannot be
 * written there either.
 */
function hiddenManifests(host: CompilerHost, state: State, budget: Budget): Diagnostic[] {
  if (host.inspect(state.plans)?.kind !== 'folder') return [];
  const listed = findFiles(host, state.root, state.plans, '', budget);
  const paths = listed.files.map(({ path }) => path).filter((path) => !path.endsWith('/plan.yaml'));
  const loaded = loadState(host, { ...state, paths, plans: '' }, createParseCache(), budget);
  // What else is wrong within these files is no concern, but that not all of them were read.
  const limit = loaded.diagnostics.filter(({ code }) => code === 'KR1035');
  const locator = createLocator(budget);
  const found = [...loaded.manifests.values()].map((manifest) => {
    const { kind, namespace, name } = manifest;
    const args = { out: shownPath(host, state.plans), kind, name: shownName({ namespace, name }) };
    return diagnostic('KR1025', args, locateIn(manifest, locator)(['metadata', 'name'], 'value'));
  });
  return [...listed.diagnostics, ...bounded(found, budget), ...limit];
}
