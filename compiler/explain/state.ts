import type { RolloutPlan } from '../../schemas/generated/types/rolloutplan.ts';
import { hasErrors, sortDiagnostics } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { CompilerHost } from '../host.ts';
import type { Budget } from '../load/budget.ts';
import { loadHeadConfig } from '../load/configuration.ts';
import { readAutoscalers } from '../load/autoscalers.ts';
import { readGitPods } from '../load/git-pods.ts';
import { joinPath, shownPath } from '../load/files.ts';
import { ignoredPaths } from '../load/ignored-paths.ts';
import { createLocator } from '../load/locate.ts';
import { loadState } from '../load/manifests.ts';
import type { State } from '../load/manifests.ts';
import { createParseCache } from '../load/parse-cache.ts';
import { planSources } from '../load/plan-files.ts';
import type { Change } from '../plan/change.ts';
import { writtenKind } from '../plan/kinds.ts';
import { isFor, leadsTo, mayReturnTo } from '../plan/committed-plan.ts';
import { readPlan, targetId } from '../plan/read-plans.ts';
import { planPath, toTarget } from '../plan/target.ts';
import type { Target } from '../plan/target.ts';
import { groupKindOf } from '../../semantics/owner.ts';
import { onceOnly } from '../load/once-only.ts';
import { validateInRoot } from '../reach/root-namespaces.ts';
import { withAssumedUnits } from '../stages/replicas.ts';
import { addReach } from '../stages/reach.ts';
import { explainedChange } from './change.ts';
import { locateIn } from '../validate/validate.ts';

/**
 * What a plan is to the manifest beside it: it leads to it, or only with another partition or other claim sizes; it starts
 * from it, so that the manifest went back; or it leads elsewhere.
 */
export type Fit = 'leads' | 'other bound' | 'goes back' | 'other';

/** A workload with the plan that is committed for it. One of the two may be missing. */
export interface Explained {
  kind: string;
  namespace: string | undefined;
  name: string;
  /** Undefined: there is no manifest of it, or it is invalid. */
  head: Target | undefined;
  /** The committed plan, and where it lies. */
  plan: { plan: RolloutPlan; file: string } | undefined;
  /** Its plan file is damaged, or was edited. */
  isPlanInvalid: boolean;
  /** Where its plan belongs; undefined without a manifest. */
  expectedFile: string | undefined;
  fit: Fit | undefined;
  /**
   * The manifest as a change that is planned: by the committed plan if that leads to it, else by what kruise.yaml would give
   * the next change of the template.
   */
  change: Change | undefined;
}

/** What is asked about an object, or a plan, by its own name or that of its target. */
export interface Asked {
  /** As users write it. */
  kind: string;
  namespace: string | undefined;
  name: string;
  /** As shown: of the manifest, or of the plan. */
  file: string;
  /** The name of the plan object; undefined for a manifest. */
  plan?: string;
}

/**
 * Explains objects of one state from its manifests, kruise.yaml and committed plans.
 *
 * @param isAsked whether an object is one of them; their problems are reported, and those of others are not
 */
export function explainState(
  host: CompilerHost,
  state: State,
  isAsked: (object: Asked) => boolean,
  budget: Budget,
): { explained: Explained[]; diagnostics: Diagnostic[]; known: Asked[] } {
  const configuration = loadHeadConfig(host, state.root, budget);
  const loaded = loadState(host, state, createParseCache(), budget, ignoredPaths(configuration));
  const { sources, diagnostics: unreadable } = planSources(host, state, budget);
  const found: Diagnostic[] = [...unreadable];
  const known: Asked[] = [];
  const asked = new Set<string>();
  const plans = new Map<string, { plan: RolloutPlan; file: string }>();
  const broken: { file: string; id: string | undefined; problems: Diagnostic[] }[] = [];
  for (const { source } of sources) {
    const { plan, edited, diagnostics } = readPlan(source, budget);
    const any = plan ?? edited;
    if (plan === undefined)
      broken.push({ file: source.file, id: any && targetId(any), problems: diagnostics });
    if (any === undefined) continue;
    const object = askedOf(any, source.file);
    known.push(object);
    if (isAsked(object)) asked.add(targetId(any));
    if (plan !== undefined && !plans.has(targetId(plan)))
      plans.set(targetId(plan), { plan, file: source.file });
  }
  for (const { id, type, namespace, name, origin } of [...loaded.manifests.values(), ...loaded.checkedOnly]) {
    const object = { kind: writtenKind(type.id), namespace, name, file: origin.source.file };
    known.push(object);
    if (isAsked(object)) asked.add(id);
  }
  const locator = createLocator(budget);
  const scalers = onceOnly(() => readAutoscalers(host, loaded.scalerFiles, budget));
  const explained: Explained[] = [];
  const places = new Set<string>();
  for (const id of asked) {
    const manifest = loaded.manifests.get(id);
    const invalid =
      manifest === undefined
        ? []
        : validateInRoot(manifest, configuration.config, state.namespaces, locateIn(manifest, locator));
    found.push(...invalid.filter(({ severity }) => severity === 'error'));
    const head =
      manifest === undefined || hasErrors(invalid)
        ? undefined
        : withAssumedUnits(toTarget(manifest), configuration.config.assume, scalers);
    if (manifest !== undefined) places.add(shownPath(host, joinPath(state.plans, planPath(manifest))));
    const plan = plans.get(id);
    const named = manifest ?? (plan && askedOf(plan.plan, plan.file));
    if (named === undefined || hasErrors(invalid)) continue;
    const { kind, namespace, name } = named;
    const expectedFile = manifest && shownPath(host, joinPath(state.plans, planPath(manifest)));
    const fit = head && plan && fitOf(plan.plan, head);
    const change = head && explainedChange(id, head, fit === 'leads' ? plan?.plan : undefined, configuration);
    const isPlanInvalid = broken.some((each) => each.id === id || each.file === expectedFile);
    explained.push({ kind, namespace, name, head, plan, isPlanInvalid, expectedFile, fit, change });
  }
  const pods = onceOnly(() => readGitPods(host, loaded.podFiles, budget));
  addReach(
    explained.flatMap(({ change }) => change ?? []),
    configuration.config.assume,
    pods,
    () => undefined,
  );
  for (const { file, id, problems } of broken) {
    const isTheirs = (id !== undefined && asked.has(id)) || places.has(file);
    if (isTheirs || isAsked({ kind: '', namespace: undefined, name: '', file })) found.push(...problems);
  }
  // What is not found may be in a file that does not parse.
  if (explained.length === 0 && found.length === 0)
    found.push(...loaded.diagnostics.filter(({ severity }) => severity === 'error'));
  return {
    explained,
    diagnostics: sortDiagnostics([...found, ...configuration.diagnostics.filter(isError)]),
    known,
  };
}

function isError({ severity }: Diagnostic): boolean {
  return severity === 'error';
}

function askedOf({ metadata, spec: { target } }: RolloutPlan, file: string): Asked {
  const kind = writtenKind(groupKindOf(target));
  return { kind, namespace: metadata.namespace, name: target.name, file, plan: metadata.name };
}

function fitOf(plan: RolloutPlan, head: Target): Fit {
  if (!leadsTo(plan.spec, head)) return mayReturnTo(plan.spec, head) ? 'goes back' : 'other';
  return isFor(plan, head) ? 'leads' : 'other bound';
}
