import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { isInside, joinPath } from '../load/files.ts';
import { type Hiding, ignoredAtBase, isUnplanned } from '../load/hidden.ts';
import { createLocator } from '../load/locate.ts';
import { fileLeftOut, loadState } from '../load/manifests.ts';
import { protectedRemovals } from '../validate/protection-rules.ts';

/**
 * The protected objects of base that are in no root of head, though base had them in one, or had no roots. Each root by itself is
 * compared with what it was; this is about what was removed together with its root.
 *
 * @param atBase the roots that base had; empty: all of its folder was planned
 * @param kept the folders of the roots of head, as they are called at base
 */
export function protectedInRemovedRoots(
  { host, state, head, cache, budget }: Hiding,
  atBase: readonly { path: string }[],
  kept: readonly string[],
): Diagnostic[] {
  if (isUnplanned(host, state, budget)) return [];
  const placeOf = (path: string): string => joinPath(state.root, `./${path}`);
  const gone = atBase.filter(({ path }) => !kept.includes(path)).map(({ path }) => placeOf(path));
  const all = atBase.length === 0 ? [state.root] : gone;
  const paths = all.filter((path) => host.inspect(path) !== undefined);
  if (paths.length === 0) return [];
  const before = ignoredAtBase(host, state, budget).paths;
  const loaded = loadState(host, { ...state, paths, isFound: true }, cache, budget, before);
  const keptAtHead = kept.map((path) => joinPath(head.state.root, `./${path}`));
  const isLeft = (path: string): boolean => !keptAtHead.some((folder) => isInside(path, folder));
  const protectedFiles = new Map([...loaded.protectedFiles].filter(([path]) => isLeft(path)));
  // Where it has gone to, another engine applies it, and that of the root removes it.
  const elsewhere = {
    host: head.host,
    readFiles: new Map<string, string>(),
    protectedFiles: new Map<string, never>(),
    leftOut: (path: string) => fileLeftOut(head.host, head.state, path, budget),
  };
  return protectedRemovals(elsewhere, { ...loaded, host, protectedFiles }, budget, createLocator(budget));
}
