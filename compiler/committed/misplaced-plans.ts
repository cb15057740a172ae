import type { Budget } from '../load/budget.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { kindOf } from '../../semantics/registry/registry.ts';
import { groupKindOf, tupleId } from '../../semantics/owner.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic, Source } from '../diagnostics/diagnostic.ts';
import type { CompilerHost } from '../host.ts';
import { loadConfig } from '../load/configuration.ts';
import { gitRootOf, isInside, joinPath, relativePath, shownPath } from '../load/files.ts';
import type { State } from '../load/manifests.ts';
import { isObject } from '../load/identity.ts';
import { createLocator } from '../load/locate.ts';
import { readYaml } from '../load/read.ts';
import { readPlan, targetId } from '../plan/read-plans.ts';
import { planPath } from '../plan/target.ts';
import { obsolete, targetName, unreadable } from './finding.ts';
import type { CommittedPaths, Finding } from './finding.ts';

interface OtherPaths {
  findings: Finding[];
  /** The places to which plans found elsewhere belong. */
  movedFrom: ReadonlySet<string>;
  /** Files that are no valid plan, which a run does not touch. */
  problems: Diagnostic[];
}

/**
 * Plan files in the folder of plans at a place that is not that of a compared target. A run removes them, if it knows what
 * they are: of a target that has another place, or that has no manifest any more. What is no plan of a kind of this version
 * is left alone.
 */
export function plansAtOtherPaths(committed: CommittedPaths): OtherPaths {
  const { compiled, head, host, read } = committed;
  const byId = new Map(compiled.changes.map((change) => [change.id, change] as const));
  const places = new Set(compiled.changes.map((change) => joinPath(head.plans, planPath(change))));
  // Of a part of the manifests it is not known which targets are left. A root of kruise.yaml has a folder of plans of its own.
  const isWhole =
    head.isIncomplete !== true &&
    (head.allPlans !== undefined || (head.paths.length === 1 && head.paths[0] === head.root));
  const findings: Finding[] = [];
  const movedFrom = new Set<string>();
  const problems: Diagnostic[] = [];
  const remove = (finding: Finding): void => {
    findings.push(finding);
    const forecastAt = finding.path.replace(/plan\.yaml$/, 'forecast.md');
    if (host.inspect(forecastAt)?.kind === 'file')
      findings.push({ path: forecastAt, text: undefined, problem: undefined });
  };
  for (const path of compiled.planPaths) {
    const text = places.has(path) ? undefined : read(path);
    if (text === undefined) continue;
    const shown = shownPath(host, path);
    const source = { file: shown, text };
    const position = { source, start: 0, end: 0 };
    const { plan: valid, edited, diagnostics } = readPlan(source, compiled.budget);
    const plan = valid ?? edited;
    if (plan === undefined) {
      // A run for other targets does not ask for it.
      const problem = isWhole ? unreadable(diagnostics) : undefined;
      if (problem !== undefined) problems.push(problem);
      continue;
    }
    const change = byId.get(targetId(plan));
    if (change?.head !== undefined) {
      const target = targetName(change);
      const place = joinPath(head.plans, planPath(change));
      const other = read(place);
      const wanted = shownPath(host, place);
      if (other === undefined) movedFrom.add(place);
      const related = { source: { file: wanted, text: other ?? '' }, start: 0, end: 0 };
      const problem =
        other === undefined
          ? diagnostic(
              'KR3022',
              { path: shown, target, wanted, folder: undefined, below: undefined },
              position,
            )
          : diagnostic('KR3003', { target }, position, [{ message: 'the other plan', position: related }]);
      remove({ path, text: undefined, problem, why: `the plan of ${target} belongs in ${wanted}` });
    } else if ((change !== undefined || isWhole) && kindOf(groupKindOf(plan.spec.target)) !== undefined) {
      const { kind, name } = plan.spec.target;
      const { namespace } = plan.metadata;
      const why = `${targetName({ kind, name, namespace })} has no manifest any more`;
      remove(obsolete(source, path, undefined, why));
    }
  }
  return { findings, movedFrom, problems };
}

type Places = CommittedPaths & { host: CompilerHost };
type Planned = CommittedPaths['compiled']['changes'][number];

/** Plans of compared targets outside of the folder of plans: among the manifests, and in the folders above. */
export function plansElsewhere(places: Places): Diagnostic[] {
  return misplacedIn(places, [...places.compiled.unexpectedPlans, ...plansAbove(places)], () => true);
}

/**
 * Plans of the targets of one state in a wrong place. Without a change it is not known which folder is planned: plans that
 * lie right for a run in a folder below or above are left to that run.
 */
export function misplacedInState(places: Places): Diagnostic[] {
  const inFolder = plansAtOtherPaths(places).findings.flatMap(({ problem }) =>
    // Two plans of one target are reported where they are read.
    problem?.code === 'KR3022' ? [problem] : [],
  );
  const isLost = ({ folder }: Misplaced): boolean => folder === undefined;
  return [...inFolder, ...misplacedIn(places, places.compiled.unexpectedPlans, isLost)];
}

type Misplaced = Parameters<typeof diagnostic<'KR3022'>>[1];

function misplacedIn(
  { compiled, head, host }: Places,
  sources: readonly Source[],
  isReported: (found: Misplaced) => boolean,
): Diagnostic[] {
  const byId = new Map(compiled.changes.map((change) => [change.id, change] as const));
  const out = head.plans.slice(head.root.length);
  const misplaced = (path: string, change: Planned): Misplaced => {
    const suffix = `${out}/${planPath(change)}`;
    const above = path.endsWith(suffix) ? path.slice(0, -suffix.length) || '/' : undefined;
    // A run there has its plans beside the kruise.yaml that counts for it.
    const folder = above !== undefined && isPlannedAt(host, above, compiled.budget) ? above : undefined;
    const moved = folder === undefined ? movedTo(head, path, planPath(change)) : undefined;
    return {
      moved: moved === undefined ? undefined : { root: relativePath(host, head.root), out: moved },
      path: relativePath(host, path),
      target: targetName(change),
      wanted: relativePath(host, joinPath(head.plans, planPath(change))),
      folder: folder === undefined ? undefined : relativePath(host, folder),
      below: folder !== undefined && isInside(head.root, folder) ? relativePath(host, head.root) : undefined,
    };
  };
  const found: Diagnostic[] = [];
  const locate = createLocator(compiled.budget);
  for (const source of sources) {
    const { documents } = readYaml(source, compiled.budget);
    for (const { value, at } of documents) {
      const change = isObject(value) ? byId.get(targetOf(value) ?? '') : undefined;
      if (change?.head === undefined) continue;
      const args = misplaced(joinPath(host.cwd, source.file), change);
      if (!isReported(args)) continue;
      const position = locate({ source, at, path: [] }, ['metadata', 'name'], 'value');
      found.push(diagnostic('KR3022', args, position));
    }
  }
  return found;
}

function isPlannedAt(host: CompilerHost, folder: string, budget: Budget): boolean {
  const configuration = loadConfig(host, folder, budget);
  return (configuration.folder ?? folder) === folder || configuration.config.roots !== undefined;
}

/** Files of the compared targets in the folders of plans of the folders above. */
function plansAbove({ compiled, head, host, read }: Places): Source[] {
  const found: Source[] = [];
  const out = head.plans.slice(head.root.length);
  for (const folder of foldersAbove(host, head.root)) {
    const plans = `${folder === '/' ? '' : folder}${out}`;
    if (isInside(plans, head.root) || host.inspect(plans)?.kind !== 'folder') continue;
    for (const change of compiled.changes) {
      const path = joinPath(plans, planPath(change));
      if (change.head === undefined || host.inspect(path)?.kind !== 'file') continue;
      const text = read(path);
      if (text !== undefined) found.push({ file: relativePath(host, path), text });
    }
  }
  return found;
}

/** The folder of plans, relative to the root of the run, in which a plan would lie right; undefined if there is none. */
function movedTo({ root, plans, allPlans = plans }: State, path: string, place: string): string | undefined {
  const suffix = `${plans.slice(allPlans.length)}/${place}`;
  const folder = path.endsWith(suffix) ? path.slice(0, -suffix.length) : root;
  return folder !== root && isInside(folder, root) ? folder.slice(root.length + 1) : undefined;
}

/** The folders above a root, up to that of the repository; none outside of git. */
function foldersAbove(host: CompilerHost, root: string): string[] {
  const repository = gitRootOf(host, root);
  if (repository === undefined) return [];
  const folders: string[] = [];
  for (let folder = root; folder !== repository && folder !== '/';) {
    folder = joinPath(folder, '..');
    folders.push(folder);
  }
  return folders;
}

/** The ID of the target of a document, if it is a plan. */
function targetOf({ apiVersion, kind, metadata, spec }: JsonObject): string | undefined {
  if (typeof apiVersion !== 'string' || !apiVersion.startsWith('plan.kruise.io/')) return undefined;
  if (kind !== 'RolloutPlan' && kind !== 'ClusterRolloutPlan') return undefined;
  const target = isObject(spec) ? spec['target'] : undefined;
  if (!isObject(target)) return undefined;
  const { apiVersion: version, kind: targetKind, name } = target;
  if (typeof version !== 'string' || typeof targetKind !== 'string' || typeof name !== 'string')
    return undefined;
  const namespace = isObject(metadata) ? metadata['namespace'] : undefined;
  const at = typeof namespace === 'string' ? namespace : undefined;
  return tupleId(groupKindOf({ apiVersion: version, kind: targetKind }), at, name);
}
