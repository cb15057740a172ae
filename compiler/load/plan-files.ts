import type { RolloutPlan } from '../../schemas/generated/types/rolloutplan.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Source } from '../diagnostics/diagnostic.ts';
import { HostError } from '../host.ts';
import type { Host } from '../host.ts';
import { readPlan, readPlans } from '../plan/read-plans.ts';
import type { ReadPlans } from '../plan/read-plans.ts';
import { findFiles, isInside, shownPath } from './files.ts';
import type { State } from './manifests.ts';
import { decode } from './parse.ts';

/** The plan at a path; undefined where there is none that is in order. */
export function loadPlan(host: Host, path: string): RolloutPlan | undefined {
  if (host.inspect(path)?.kind !== 'file') return undefined;
  try {
    const { source, diagnostics } = decode(shownPath(host, path), host.readFile(path));
    return diagnostics.length > 0 ? undefined : readPlan(source).plan;
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    return undefined;
  }
}

/** Every `plan.yaml` in the folder of plans, read and verified; none where there is no such folder. */
export function loadPlans(host: Host, state: Pick<State, 'root' | 'plans'>): ReadPlans {
  if (!isInside(state.plans, state.root) || host.inspect(state.plans)?.kind !== 'folder')
    return readPlans([]);
  const found = findFiles(host, state.root, state.plans, '');
  const diagnostics = [...found.diagnostics];
  const sources: Source[] = [];
  for (const { path } of found.files) {
    if (!path.endsWith('/plan.yaml')) continue;
    try {
      const { source, diagnostics: undecodable } = decode(shownPath(host, path), host.readFile(path));
      diagnostics.push(...undecodable);
      if (undecodable.length === 0) sources.push(source);
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      diagnostics.push(diagnostic('KR1001', { path: shownPath(host, path), reason: error.reason }));
    }
  }
  const read = readPlans(sources);
  return { ...read, diagnostics: [...diagnostics, ...read.diagnostics] };
}
