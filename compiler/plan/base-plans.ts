import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic, Source, SourcePosition } from '../diagnostics/diagnostic.ts';
import type { Args } from '../diagnostics/registry.ts';
import type { CompilerHost } from '../host.ts';
import { plansOfRoot } from '../load/base-state.ts';
import type { Budget } from '../load/budget.ts';
import { joinPath } from '../load/files.ts';
import { bounded } from '../load/findings.ts';
import type { State } from '../load/manifests.ts';
import { planSources } from '../load/plan-files.ts';
import { readSource } from '../load/read.ts';
import type { Change } from './change.ts';
import type { ReadEarlier } from './plan-history.ts';
import { PLANNED_ACTIONS } from './plan.ts';
import { readPlan, targetId } from './read-plans.ts';
import type { PlanFile } from './read-plans.ts';
import { pathToPlan } from './path-to-plan.ts';
import { planPath, shownName } from './target.ts';

/** The plans at base. */
export interface BasePlans {
  /** By the ID of their target. */
  plans: Map<string, PlanFile>;
  /** Targets whose file at base is no plan of them: clusters have not executed it, and head need not have it either. */
  damaged: ReadonlySet<string>;
  diagnostics: Diagnostic[];
}

/**
 * Reads the plans at base. A cluster executes only a plan whose digest verifies, so a file that was edited, or is no plan of
 * the target at its place, does not count: the newest version in the history of base that is one counts instead. Of two plans
 * for one target, that at its place counts, or that of the root that had its manifest. All of this can only be mended at head, so it is a warning; but a plan that
 * another version of the format may have sealed is an error.
 */
export function loadBasePlans(
  head: { host: CompilerHost; state: State },
  host: CompilerHost,
  state: State,
  changes: readonly Change[],
  readEarlier: ReadEarlier | undefined,
  budget: Budget,
): BasePlans {
  const { sources, diagnostics } = planSources(host, state, budget);
  const { byTarget, others, editedAt } = filed(sources, budget);
  const plans = new Map<string, PlanFile>();
  const found: Diagnostic[] = [];
  const forecastBeside =
    ({ path }: { path: string }) =>
    (): string | undefined =>
      readSource(host, path.replace(/plan\.yaml$/, 'forecast.md'), budget).source?.text;
  const report = (change: Change, args: Pick<Args<'KR3025'>, 'problem' | 'counts'>, ...at: At): void =>
    void found.push(diagnostic('KR3025', { ...named(change, head), ...args }, ...at));
  const lost: { change: Change; place: string; file: OtherFile }[] = [];
  for (const change of changes) {
    const place = joinPath(state.plans, planPath(change));
    const own = byTarget.get(change.id) ?? [];
    const [first, second] = own;
    const at = own.find(({ path }) => path === place);
    const ofRoot =
      second === undefined || at !== undefined
        ? undefined
        : planOfRoot(head, host, state, change, own, budget);
    const chosen = second === undefined ? first : (at ?? ofRoot);
    if (chosen !== undefined)
      plans.set(
        change.id,
        chosen.path === place ? chosen : { ...chosen, readForecast: forecastBeside(chosen) },
      );
    if (first !== undefined && second !== undefined && ofRoot === undefined) {
      const counts = chosen === undefined ? 'none' : 'its place';
      const related = [{ message: 'the other plan', position: startOf(first.source) }];
      report(change, { problem: 'two', counts }, startOf(second.source), related);
    }
    const file = others.get(place) ?? others.get(editedAt.get(change.id) ?? '');
    if (first !== undefined || file === undefined) continue;
    if (file.isForeign) found.push(...(file.error === undefined ? [] : [file.error]));
    else if (change.base !== undefined && change.head !== undefined) lost.push({ change, place, file });
  }
  const textsOf = lost.length === 0 ? undefined : readEarlier?.(lost.map(({ place }) => place));
  for (const { change, place, file } of lost) {
    const valid = newestValid(change.id, place, textsOf?.(place).texts ?? [], budget);
    if (valid !== undefined) plans.set(change.id, valid);
    const problem =
      file.error === undefined ? 'another' : file.error.code === 'KR3001' ? 'edited' : 'invalid';
    const counts = valid === undefined ? 'none' : 'earlier';
    report(change, { problem, counts }, file.error?.position ?? startOf(file.source));
  }
  return {
    plans,
    damaged: new Set(lost.map(({ change }) => change.id)),
    diagnostics: [...diagnostics, ...bounded(found, budget), ...budget.problems()],
  };
}

/** Of several plans of a target, that of the root which had its manifest at base, if head has no roots any more. */
function planOfRoot(
  head: { host: CompilerHost; state: State },
  host: CompilerHost,
  state: State,
  change: Change,
  found: readonly (PlanFile & { path: string })[],
  budget: Budget,
): (PlanFile & { path: string }) | undefined {
  const file = change.head?.manifest.origin.source.file;
  const folder = file === undefined ? undefined : plansOfRoot(head, host, state, file, budget);
  return folder === undefined
    ? undefined
    : found.find(({ path }) => path === joinPath(folder, planPath(change)));
}

type At = [position: SourcePosition, related?: Diagnostic['related']];

/** A file that may be no plan of the target whose place it has. */
interface OtherFile {
  source: Source;
  /** Why it is no plan. */
  error: Diagnostic | undefined;
  isForeign: boolean;
}

/** The files by what they are: plans by their targets, each file by its path, and edited plans by their targets. */
function filed(
  sources: readonly { path: string; source: Source }[],
  budget: Budget,
): {
  byTarget: Map<string, (PlanFile & { path: string })[]>;
  others: Map<string, OtherFile>;
  editedAt: Map<string, string>;
} {
  const byTarget = new Map<string, (PlanFile & { path: string })[]>();
  const others = new Map<string, OtherFile>();
  const editedAt = new Map<string, string>();
  for (const { path, source } of sources) {
    const { plan, edited, isForeign = false, diagnostics } = readPlan(source, budget);
    others.set(path, { source, error: diagnostics.find(({ severity }) => severity === 'error'), isForeign });
    if (edited !== undefined) editedAt.set(targetId(edited), path);
    if (plan === undefined) continue;
    const id = targetId(plan);
    byTarget.set(id, [...(byTarget.get(id) ?? []), { source, plan, path }]);
  }
  return { byTarget, others, editedAt };
}

function newestValid(
  id: string,
  place: string,
  texts: readonly string[],
  budget: Budget,
): PlanFile | undefined {
  for (const text of texts) {
    const source = { file: place, text };
    const { plan } = readPlan(source, budget);
    if (plan !== undefined && targetId(plan) === id) return { source, plan };
  }
  return undefined;
}

/** How a message names a target, and the path to plan if this run does not plan it. */
function named(
  { kind, namespace, name, action, head }: Change,
  { host, state }: { host: CompilerHost; state: State },
): Pick<Args<'KR3025'>, 'target' | 'path'> {
  const isPlanned = head === undefined || PLANNED_ACTIONS.has(action);
  return {
    target: `${kind} ${shownName({ namespace, name })}`,
    path: isPlanned ? undefined : pathToPlan(host, state, head.manifest),
  };
}

function startOf(source: Source): SourcePosition {
  return { source, start: 0, end: 0 };
}
