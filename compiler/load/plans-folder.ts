import type { Root } from '../../schemas/generated/types/config.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic, Source } from '../diagnostics/diagnostic.ts';
import type { CompilerHost } from '../host.ts';
import { shownName } from '../plan/target.ts';
import { locateIn } from '../validate/validate.ts';
import type { Budget } from './budget.ts';
import { findFiles, shownPath } from './files.ts';
import { bounded } from './findings.ts';
import { createLocator } from './locate.ts';
import { loadState } from './manifests.ts';
import { createParseCache } from './parse-cache.ts';
import type { State } from './manifests.ts';

/** What lies in the folder of plans. */
export interface PlansFolder {
  /** The files of plans, without those of roots that this run is not for. */
  planPaths: readonly string[];
  /** Other files that seem to hold a plan. */
  unexpectedPlans: readonly Source[];
  diagnostics: Diagnostic[];
}

/**
 * Lists the folder of plans. Reports manifests in it: they are not read, so they would look deleted. What cannot be read in
 * that folder could not be written either.
 *
 * @param roots those of kruise.yaml
 */
export function plansFolder(
  host: CompilerHost,
  state: State,
  roots: readonly Pick<Root, 'name'>[],
  budget: Budget,
): PlansFolder {
  if (host.inspect(state.plans)?.kind !== 'folder')
    return { planPaths: [], unexpectedPlans: [], diagnostics: [] };
  const listed = findFiles(host, state.root, state.plans, {}, budget);
  const found = listed.files.map(({ path }) => path);
  const planPaths = found.filter((path) => path.endsWith('/plan.yaml') && !isOfRoot(path, state, roots));
  const paths = found.filter((path) => !path.endsWith('/plan.yaml'));
  const loaded = loadState(
    host,
    { root: state.root, paths, plans: '', isFound: true },
    createParseCache(),
    budget,
  );
  // Other problems of these files do not matter, except that a limit was reached.
  const limit = loaded.diagnostics.filter(({ code }) => code === 'KR1035');
  const locator = createLocator(budget);
  const hidden = [...loaded.manifests.values()].map((manifest) => {
    const { kind, namespace, name } = manifest;
    const args = { out: shownPath(host, state.plans), kind, name: shownName({ namespace, name }) };
    return diagnostic('KR1025', args, locateIn(manifest, locator)(['metadata', 'name'], 'value'));
  });
  const diagnostics = [...listed.diagnostics, ...bounded(hidden, budget), ...limit];
  return { planPaths, unexpectedPlans: loaded.unexpectedPlans, diagnostics };
}

/** The parts of the path of a plan below the folder of a root of kruise.yaml: namespace, kind and name, file. */
const PLACE_PARTS = 3;

/** Whether a root of kruise.yaml has a plan, where this run is for no root: it reads other manifests, and knows nothing of it. */
function isOfRoot(path: string, { plans, allPlans }: State, roots: readonly Pick<Root, 'name'>[]): boolean {
  if (allPlans !== undefined) return false;
  const [name, ...place] = path.slice(plans.length + 1).split('/');
  return place.length === PLACE_PARTS && roots.some((root) => root.name === name);
}
