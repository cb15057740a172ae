import { posix } from 'node:path';

/** The code that a count reads. */
export interface Sources {
  /** Every TypeScript file of the repository that counts or leads to one, by path. */
  texts: ReadonlyMap<string, string>;
  /** The programs: what none of them imports, by whatever way, does not exist for users. */
  entries: readonly string[];
  /** Paths that lines are counted in. */
  isProduct(path: string): boolean;
}

/** A kind as a count reads it. */
export interface CountedKind<Trait extends string> {
  name: string;
  /** Its own folder, with `/` at the end: nothing in it counts. */
  folder: string;
  traits: readonly Trait[];
}

/** The lines that exist for one kind, outside of its folder. */
export interface KindLines<Trait extends string> {
  /** Files that no program reaches without its folder. */
  unreachable: string[];
  /** Traits that no other kind has. */
  alone: Trait[];
  /** Further files of those traits that neither the folder of another kind imports, nor a file of its traits. */
  ofTraits: string[];
  /** Lines of other files that name it. */
  naming: number;
  lines: number;
}

/**
 * Counts lines per kind.
 *
 * @param filesOf whether a file belongs to a trait
 */
export function kindLines<Trait extends string>(
  kinds: readonly CountedKind<Trait>[],
  { texts, entries, isProduct }: Sources,
  filesOf: (trait: Trait, path: string) => boolean,
): KindLines<Trait>[] {
  const imports = new Map([...texts].map(([path, text]) => [path, importsOf(path, text)]));
  const all = reachable(entries, imports, () => true);
  const folders = kinds.map(({ folder }) => folder);
  const shared = [...texts.keys()].filter(
    (path) => isProduct(path) && !folders.some((each) => path.startsWith(each)),
  );
  const isOfAny = (some: readonly Trait[], path: string): boolean =>
    some.some((trait) => filesOf(trait, path));
  return kinds.map(({ name, folder, traits }) => {
    const without = reachable(entries, imports, (path) => !path.startsWith(folder));
    const unreachable = shared.filter((path) => all.has(path) && !without.has(path));
    const others = kinds.filter((each) => each.name !== name);
    const alone = [...new Set(traits)].filter((trait) =>
      others.every((each) => !each.traits.includes(trait)),
    );
    const shares = others.flatMap((each) => each.traits);
    const isOthers = (path: string): boolean =>
      others.some((other) => path.startsWith(other.folder)) || isOfAny(shares, path);
    const importedByOthers = new Set(
      [...imports].flatMap(([path, to]) => (isOthers(path) && !isOfAny(alone, path) ? to : [])),
    );
    const ofTraits = shared.filter(
      (path) =>
        !unreachable.includes(path) &&
        !importedByOthers.has(path) &&
        isOfAny(alone, path) &&
        !isOfAny(shares, path),
    );
    const counted = [...unreachable, ...ofTraits];
    const text = (path: string): string[] => (texts.get(path) ?? '').split('\n').slice(0, -1);
    const naming = shared
      .filter((path) => !counted.includes(path))
      .flatMap(text)
      .filter((line) => line.toLowerCase().includes(name.toLowerCase())).length;
    return { unreachable, alone, ofTraits, naming, lines: counted.flatMap(text).length + naming };
  });
}

/** The files that some program imports, those imported for types included. */
export function reached({ texts, entries }: Sources): ReadonlySet<string> {
  return reachable(
    entries,
    new Map([...texts].map(([path, text]) => [path, importsOf(path, text)])),
    () => true,
  );
}

function importsOf(path: string, text: string): string[] {
  const found = text.matchAll(/\b(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g);
  return [...found].map(([, target = '']) => posix.join(posix.dirname(path), target));
}

function reachable(
  entries: readonly string[],
  imports: ReadonlyMap<string, readonly string[]>,
  exists: (path: string) => boolean,
): ReadonlySet<string> {
  const found = new Set(entries.filter(exists));
  // A set is iterated in the order of its growth.
  for (const path of found) for (const next of imports.get(path) ?? []) if (exists(next)) found.add(next);
  return found;
}

/** The expression for paths that match a glob with `*` within a name, and `{a,b}`. */
export function globPattern(glob: string): RegExp {
  const pattern = glob
    .replace(/[.+]/g, '\\$&')
    .replaceAll('*', '[^/]*')
    .replace(/\{([^}]*)\}/g, (_, names: string) => `(${names.replaceAll(',', '|')})`);
  return new RegExp(`^${pattern}$`);
}

/** The files whose names have one of the words of a trait and that belong to none. */
export function unlistedFiles(
  paths: readonly string[],
  words: readonly string[],
  isListed: (path: string) => boolean,
): string[] {
  return paths.filter((path) => {
    const name = `-${posix.basename(path, '.ts')}-`;
    return words.some((word) => name.includes(`-${word}-`)) && !isListed(path);
  });
}
