import type { RolloutPlan } from '../schemas/generated/types/rolloutplan.ts';
import { diagnostic, hasErrors, sortDiagnostics, strictly } from './diagnostics/diagnostic.ts';
import type { Diagnostic } from './diagnostics/diagnostic.ts';
import type { Code } from './diagnostics/registry.ts';
import type { Host } from './host.ts';
import { findFiles, joinPath, shownPath } from './load/files.ts';
import { loadConfig } from './load/configuration.ts';
import type { Configuration } from './load/configuration.ts';
import { createLocator } from './load/locate.ts';
import { loadState } from './load/manifests.ts';
import type { Loaded, Manifest, ParseCache, State } from './load/manifests.ts';
import { loadPlan, loadPlans } from './load/plan-files.ts';
import { markAgain } from './plan/again.ts';
import type { Again } from './plan/again.ts';
import type { PlanFile } from './plan/read-plans.ts';
import { compareStates, MOST_FORECASTS } from './plan/change.ts';
import type { Change, StepsFrom } from './plan/change.ts';
import { idleBatches, unusedRules } from './plan/config-rules.ts';
import { orderProblems } from './plan/order-rules.ts';
import { PLANNED_ACTIONS, planChange } from './plan/plan.ts';
import { isSuccessor, standingPlanProblems } from './plan/standing-plan.ts';
import { ruleIndexFor } from './plan/steps.ts';
import { planPath, shownName, toTarget } from './plan/target.ts';
import type { Target } from './plan/target.ts';
import { changeRules } from './validate/change-rules.ts';
import { lostClaims } from './validate/claim-rules.ts';
import type { Locate } from './validate/schema-errors.ts';
import { locateIn, unsupportedFields, validateManifest } from './validate/validate.ts';

/** Two states to compare. Both keep their plans in the same place below their root. */
export interface CompileInput {
  head: State;
  base: State;
  strict: boolean;
  /** Also plan once more what did not change; undefined: only what did. */
  again?: Again;
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
}

/** Everything wrong with the manifests of one state, each by itself. */
export function checkState(
  host: Host,
  state: State,
  strict: boolean,
): { loaded: Loaded; diagnostics: Diagnostic[] } {
  const loaded = loadState(host, state, new Map());
  const configuration = loadConfig(host, state.root);
  const { config } = configuration;
  const diagnostics = [...configuration.diagnostics, ...rulesFor(configuration, loaded)];
  const plans = plansOf(host, state, diagnostics);
  const locator = createLocator();
  for (const manifest of [...legible(loaded), ...legible(loaded, loaded.misnamed)]) {
    const locate = locateIn(manifest, locator);
    const found = first(loaded, validateManifest(manifest, config.images ?? 'tag', locate));
    diagnostics.push(...found);
    // Nothing is rolled out here: the field is worth a warning.
    diagnostics.push(...unsupportedFields(manifest, locate).map(asWarning));
    if (hasErrors(found) || loaded.misnamed.includes(manifest)) continue;
    const plan = plans.get(manifest.id)?.plan;
    if (plan !== undefined)
      diagnostics.push(...standingPlanProblems(toTarget(manifest), undefined, plan, locate));
  }
  diagnostics.push(...hiddenManifests(host, state));
  return { loaded, diagnostics: finish([...loaded.diagnostics, ...diagnostics], strict) };
}

/**
 * Load, validate, normalize, plan. Nothing is written and nothing thrown for bad input; with an error among the
 * diagnostics the plans are not to be used.
 */
export function compile(host: Host, input: CompileInput): Compiled {
  const cache: ParseCache = new Map();
  const configuration = loadConfig(host, input.head.root);
  const { config } = configuration;
  const head = loadState(host, input.head, cache);
  const diagnostics = [...configuration.diagnostics, ...rulesFor(configuration, head)];
  const base = loadState(host, input.base, cache);
  diagnostics.push(
    ...head.diagnostics,
    ...base.diagnostics.filter(({ code }) => !STRANGERS.has(code)).map(asBase),
  );

  const byTarget = new Map<string, Diagnostic[]>();
  const locator = createLocator();
  const targets = new Map<string, Target>();
  for (const manifest of legible(head)) {
    const found = first(
      head,
      validateManifest(manifest, config.images ?? 'tag', locateIn(manifest, locator)),
    );
    byTarget.set(manifest.id, found);
    if (!hasErrors(found)) targets.set(manifest.id, toTarget(manifest));
  }
  for (const manifest of legible(head, head.misnamed)) {
    const locate = locateIn(manifest, locator);
    diagnostics.push(...first(head, validateManifest(manifest, config.images ?? 'tag', locate)));
  }
  const before = new Map<string, Target>();
  for (const manifest of base.manifests.values()) {
    // A target that cannot be judged at head is neither deleted nor changed.
    if (targets.has(manifest.id) || !head.manifests.has(manifest.id)) {
      before.set(manifest.id, baseTarget(manifest, targets.get(manifest.id)));
    }
  }
  diagnostics.push(...hiddenManifests(host, input.head));
  const changes = compareStates(before, targets);
  // With a file that was not read nobody knows what is gone.
  if (!hasErrors(head.diagnostics)) {
    for (const change of changes)
      byTarget.set(change.id, [...(byTarget.get(change.id) ?? []), ...removal(change)]);
  }
  const plansAtBase = plansOf(host, input.base, diagnostics);
  if (input.again !== undefined) {
    const problems = markAgain(changes, plansAtBase, input.again);
    // What was not read may be what is looked for.
    if (!hasErrors([...diagnostics, ...[...byTarget.values()].flat()])) diagnostics.push(...problems);
  }
  for (const change of changes) {
    if (change.head === undefined) continue;
    const found = byTarget.get(change.id) ?? [];
    const locate = locateIn(change.head.manifest, locator);
    const atBase = plansAtBase.get(change.id);
    if (!PLANNED_ACTIONS.has(change.action)) {
      found.push(...standingProblems(host, input.head, change, atBase?.plan, locate));
    }
    if (change.action === 'Unchanged') continue;
    found.push(...changeRules(change, locate));
    const { plan, diagnostics: problems } = planChange(change, config, atBase, locate);
    found.push(...problems);
    found.push(...unsupportedFields(change.head.manifest, locate));
    change.plan = plan;
    if (plan === undefined) continue;
    found.push(...lostClaims(change, locate));
    change.stepsFrom = stepsFrom(configuration, change);
    if (configuration.locate !== undefined) found.push(...idleBatches(config, change, configuration.locate));
  }
  const many = changes.filter(({ plan }) => plan !== undefined).length > MOST_FORECASTS;
  for (const change of changes) change.summarised = many;
  for (const [id, found] of byTarget) byTarget.set(id, finish(found, input.strict));
  return {
    changes,
    diagnostics: finish([...diagnostics, ...[...byTarget.values()].flat()], input.strict),
    byTarget,
    plansAtBase,
    ignored: head.ignored,
  };
}

/** What is wrong with the plan that a target goes on with. The way out may stand at head already. */
function standingProblems(
  host: Host,
  head: State,
  change: Change,
  atBase: RolloutPlan | undefined,
  locate: Locate,
): Diagnostic[] {
  const { base, head: target } = change;
  if (atBase === undefined || base === undefined || target === undefined) return [];
  const problems = standingPlanProblems(target, base, atBase, locate);
  if (problems.length === 0) return [];
  const next = loadPlan(host, joinPath(head.plans, planPath(change)));
  const isNext = next !== undefined && isSuccessor(next, change, atBase);
  return isNext ? standingPlanProblems(target, base, next, locate) : problems;
}

/** Nothing gates the end of a workload, so a reviewer should see it among the warnings. */
function removal({ action, base, kind, namespace, name }: Change): Diagnostic[] {
  if (action !== 'Delete' || base === undefined || base.normal.replicas === 0) return [];
  const place = locateIn(base.manifest)(['metadata', 'name'], 'value');
  const args = { kind, name: shownName({ namespace, name }), pods: base.normal.replicas };
  return [diagnostic('KR2120', args, place)];
}

function finish(diagnostics: readonly Diagnostic[], strict: boolean): Diagnostic[] {
  return sortDiagnostics(strict ? strictly(diagnostics) : diagnostics);
}

/** What the rules mean for the targets that there are; with errors nobody knows which those are. */
function rulesFor({ config, locate }: Configuration, head: Loaded): Diagnostic[] {
  if (locate === undefined || hasErrors(head.diagnostics)) return [];
  const targets = [...head.manifests.values()];
  return [...unusedRules(config, targets, locate), ...orderProblems(config, targets, locate)];
}

function stepsFrom({ config, locate }: Configuration, change: Change): StepsFrom {
  const rule = ruleIndexFor(config, change);
  if (rule !== undefined) return rule + 1;
  return locate === undefined ? 'no file' : 'none';
}

/** Mistakes after which the values of a file are not what its author wrote. */
const TORN: ReadonlySet<Code> = new Set<Code>(['KR1004', 'KR1005', 'KR1011', 'KR1012']);

/** Of two mistakes at one place the first: what a reader could not read needs no second word. */
function first(loaded: Loaded, found: readonly Diagnostic[]): Diagnostic[] {
  const places = new Set(loaded.diagnostics.filter(({ severity }) => severity === 'error').map(placeKey));
  return places.size === 0 ? [...found] : found.filter((each) => !places.has(placeKey(each)));
}

function placeKey({ place }: Diagnostic): string {
  return place === undefined ? '' : `${place.start} ${place.source.file}`;
}

/** The manifests that can be judged, file by file, so that a finder of places parses each file once. */
function legible(loaded: Loaded, manifests: Iterable<Manifest> = loaded.manifests.values()): Manifest[] {
  const torn = new Set(
    loaded.diagnostics.flatMap(({ code, place }) =>
      TORN.has(code) && place !== undefined ? [place.source] : [],
    ),
  );
  return [...manifests].filter(({ origin }) => !torn.has(origin.source));
}

/** The same manifest, taken from the same text, need not be normalised twice. */
function baseTarget(manifest: Manifest, head: Target | undefined): Target {
  return head !== undefined && head.manifest.object === manifest.object ? head : toTarget(manifest);
}

/** Files that name nothing of ours: at base, what they were is no concern. */
const STRANGERS: ReadonlySet<Code> = new Set<Code>(['KR1022', 'KR1026', 'KR1027']);

/** Files and folders that were not read to the end: what they hold is not known. */
const UNREAD: ReadonlySet<Code> = new Set<Code>([
  ...(['KR1001', 'KR1002', 'KR1003', 'KR1004', 'KR1011', 'KR1012', 'KR1015', 'KR1020'] as const),
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
function hiddenManifests(host: Host, state: State): Diagnostic[] {
  if (host.inspect(state.plans)?.kind !== 'folder') return [];
  const found = findFiles(host, state.root, state.plans, '');
  const paths = found.files.map(({ path }) => path);
  const others = paths.filter((path) => !path.endsWith('/plan.yaml'));
  const { manifests } = loadState(host, { ...state, paths: others, plans: '' }, new Map());
  const locator = createLocator();
  const hidden = [...manifests.values()].map((manifest) => {
    const { kind, namespace, name } = manifest;
    const args = { out: shownPath(host, state.plans), kind, name: shownName({ namespace, name }) };
    return diagnostic('KR1025', args, locateIn(manifest, locator)(['metadata', 'name'], 'value'));
  });
  return [...found.diagnostics, ...hidden];
}

function plansOf(host: Host, state: State, diagnostics: Diagnostic[]): ReadonlyMap<string, PlanFile> {
  const read = loadPlans(host, state);
  diagnostics.push(...read.diagnostics);
  return read.plans;
}
