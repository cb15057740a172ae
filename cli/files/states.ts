import type { Budget } from '../../compiler/load/budget.ts';
import { loadConfig } from '../../compiler/load/configuration.ts';
import type { CompilerHost } from '../../compiler/host.ts';
import type { Refusal } from '../command/refusal.ts';
import { fromCwd, isInside, joinPath } from '../../compiler/load/files.ts';
import type { State } from '../../compiler/load/manifests.ts';

/**
 * The state at head that the operands name. The root is the folder of the `kruise.yaml` that counts for the one folder given,
 * else for the working directory; without one it is that folder itself. The plans and the base state have the same layout.
 *
 * @param rootOf the root of a run in a folder
 * @returns the reason instead of a state if the operands are invalid
 */
export function headState(
  host: CompilerHost,
  operands: readonly string[],
  out: string,
  budget: Budget,
  rootOf: (host: CompilerHost, named: string, budget: Budget) => string = planRoot,
): State | Refusal {
  const paths = operands.length === 0 ? [host.cwd] : operands.map((path) => fromCwd(host, path));
  const [only] = paths;
  const named = only !== undefined && paths.length === 1 ? folderOf(host, only) : host.cwd;
  const outside = paths.find((path) => !isInside(path, named));
  if (outside !== undefined)
    return { problem: `${outside} is outside of ${named}`, help: 'run the command in a folder above it' };
  return stateIn(host, rootOf(host, named, budget), paths, out);
}

/**
 * The folder below which the plans of a folder lie: beside the `kruise.yaml` that counts for it, wherever the run is. What is in
 * no root of `kruise.yaml` has plans of its own, as those beside it are of the roots.
 */
export function planRoot(host: CompilerHost, named: string, budget: Budget): string {
  const { folder, config } = loadConfig(host, named, budget);
  return folder === undefined || config.roots !== undefined ? named : folder;
}

/** The state of paths in a root; the reason instead if `--out` is no folder in it. */
export function stateIn(
  host: CompilerHost,
  root: string,
  paths: readonly string[],
  out: string,
): State | Refusal {
  const plans = joinPath(root, out);
  if (out.startsWith('/') || !isInside(plans, root) || plans === root) {
    return { problem: `--out ${out} is not inside of ${root}`, help: 'name a folder below it' };
  }
  const existing = host.inspect(plans);
  if (existing !== undefined && existing.kind !== 'folder')
    return { problem: `--out ${out} is not a folder`, help: 'name a folder' };
  return { root, paths, plans };
}

function folderOf(host: CompilerHost, path: string): string {
  return host.inspect(path)?.kind === 'folder' ? path : host.cwd;
}

/** The same paths below another root. Omits paths that do not exist there, because the base did not have them. */
export function baseState(host: CompilerHost, head: State, baseDir: string): State {
  const root = fromCwd(host, baseDir);
  const atBase = (path: string): string => joinPath(root, `./${path.slice(head.root.length)}`);
  return {
    root,
    headRoot: head.root,
    paths: head.paths.map(atBase).filter((path) => host.inspect(path) !== undefined),
    plans: atBase(head.plans),
    ...(head.allPlans === undefined ? {} : { allPlans: atBase(head.allPlans) }),
  };
}
