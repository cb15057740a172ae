import { posix } from 'node:path';

/** An import from one folder into another, with both files. */
export interface FolderImport {
  from: string;
  to: string;
  /** `a/b.ts -> c/d.ts`, from the root. */
  files: string;
}

/**
 * The imports between the folders of a root, those of types included. Files of the root itself are in the folder `.`.
 *
 * @param paths of the TypeScript files below the root, from the repository
 * @param textOf reads a file
 */
export function folderImports(
  root: string,
  paths: readonly string[],
  textOf: (path: string) => string,
): FolderImport[] {
  return paths.flatMap((path) =>
    [...textOf(path).matchAll(/\b(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g)].flatMap(([, target = '']) => {
      const imported = posix.join(posix.dirname(path), target);
      const [a, b] = [path, imported].map((each) => posix.relative(root, each));
      const [from, to] = [a, b].map((each) => posix.dirname(each ?? ''));
      if (a === undefined || b === undefined || from === undefined || to === undefined) return [];
      return from === to || b.startsWith('..') ? [] : [{ from, to, files: `${a} -> ${b}` }];
    }),
  );
}

/** The imports that are part of a cycle of folders: each leads to a folder from which other imports lead back. Sorted. */
export function cyclicImports(imports: readonly FolderImport[]): string[] {
  const reached = new Map<string, Set<string>>();
  const reachedFrom = (folder: string): Set<string> => {
    const known = reached.get(folder);
    if (known !== undefined) return known;
    const found = new Set<string>();
    const next = [folder];
    for (let at = next.pop(); at !== undefined; at = next.pop())
      for (const { from, to } of imports)
        if (from === at && !found.has(to)) {
          found.add(to);
          next.push(to);
        }
    reached.set(folder, found);
    return found;
  };
  return imports
    .filter(({ from, to }) => reachedFrom(to).has(from))
    .map(({ files }) => files)
    .sort();
}

/** The imports that lead up a list of folders, or to one that it lacks. Sorted. */
export function upwardImports(imports: readonly FolderImport[], fromTop: readonly string[]): string[] {
  const levelOf = new Map(fromTop.map((folder, level) => [folder, level]));
  return imports
    .filter(({ from, to }) => (levelOf.get(to) ?? -1) <= (levelOf.get(from) ?? Infinity))
    .map(({ files }) => files)
    .sort();
}
