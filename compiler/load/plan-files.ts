import type { RolloutPlan } from '../../schemas/generated/types/rolloutplan.ts';
import type { Diagnostic, Source } from '../diagnostics/diagnostic.ts';
import type { CompilerHost } from '../host.ts';
import { readPlan, readPlans } from '../plan/read-plans.ts';
import type { ReadPlans } from '../plan/read-plans.ts';
import { createBudget } from './budget.ts';
import type { Budget } from './budget.ts';
import { findFiles, isInside } from './files.ts';
import { bounded } from './findings.ts';
import type { State } from './manifests.ts';
import { readSource } from './read.ts';

/** The plan at a path; undefined if there is no valid one. */
export function loadPlan(host: CompilerHost, path: string, budget: Budget): RolloutPlan | undefined {
  if (host.inspect(path)?.kind !== 'file') return undefined;
  const { source } = readSource(host, path, budget);
  return source === undefined ? undefined : readPlan(source, budget).plan;
}

/** The `plan.yaml` files in the folder of plans; none if the folder does not exist. */
export function planSources(
  host: CompilerHost,
  state: Pick<State, 'root' | 'plans'>,
  budget: Budget,
): { sources: { path: string; source: Source }[]; diagnostics: Diagnostic[] } {
  if (!isInside(state.plans, state.root) || host.inspect(state.plans)?.kind !== 'folder')
    return { sources: [], diagnostics: [] };
  const found = findFiles(host, state.root, state.plans, {}, budget);
  const unreadable: Diagnostic[] = [];
  const sources: { path: string; source: Source }[] = [];
  for (const { path } of found.files) {
    if (!path.endsWith('/plan.yaml')) continue;
    if (budget.exceeded !== undefined) break;
    const { source, diagnostics } = readSource(host, path, budget);
    unreadable.push(...diagnostics);
    if (source !== undefined && budget.take('keptText', source.text.length)) sources.push({ path, source });
  }
  return { sources, diagnostics: [...found.diagnostics, ...bounded(unreadable, budget)] };
}

/** Reads and verifies every `plan.yaml` in the folder of plans. Also returns their texts, by path. */
export function loadPlans(
  host: CompilerHost,
  state: Pick<State, 'root' | 'plans'>,
  budget: Budget = createBudget(),
): ReadPlans & { texts: ReadonlyMap<string, string> } {
  const { sources, diagnostics } = planSources(host, state, budget);
  const read = readPlans(
    sources.map(({ source }) => source),
    budget,
  );
  return {
    ...read,
    texts: new Map(sources.map(({ path, source }) => [path, source.text])),
    diagnostics: [...diagnostics, ...bounded(read.diagnostics, budget), ...budget.problems()],
  };
}
