import type { Host } from '../host.ts';
import { fromCwd, isInside, joinPath } from '../../compiler/load/files.ts';
import type { State } from '../../compiler/load/manifests.ts';

/**
 * The state at head that the operands name. The root is the one folder given, else the working directory; plans and
 * the base state are laid out like it.
 *
 * @returns a sentence instead of a state when the operands make none
 */
export function headState(host: Host, operands: readonly string[], out: string): State | string {
  const paths = operands.length === 0 ? [host.cwd] : operands.map((path) => fromCwd(host, path));
  const [only] = paths;
  const root = only !== undefined && paths.length === 1 ? rootOf(host, only) : host.cwd;
  const outside = paths.find((path) => !isInside(path, root));
  if (outside !== undefined) return `${outside} is outside of ${root}; run the command in a folder above it`;
  const plans = joinPath(root, out);
  if (out.startsWith('/') || !isInside(plans, root) || plans === root) {
    return `--out ${out} must be a folder inside of ${root}`;
  }
  const there = host.inspect(plans);
  if (there !== undefined && there.kind !== 'folder') return `--out ${out} is not a folder`;
  return { root, paths, plans };
}

function rootOf(host: Host, path: string): string {
  return host.inspect(path)?.kind === 'folder' ? path : host.cwd;
}

/** The same places below another root. Paths that do not exist there are left out: nothing was there. */
export function baseState(host: Host, head: State, baseDir: string): State {
  const root = fromCwd(host, baseDir);
  const moved = (path: string): string => joinPath(root, `./${path.slice(head.root.length)}`);
  return {
    root,
    paths: head.paths.map(moved).filter((path) => host.inspect(path) !== undefined),
    plans: moved(head.plans),
  };
}
