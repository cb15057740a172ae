import { MOST_VERSIONS } from '../../compiler/plan/earlier-plans.ts';
import type { ReadEarlier } from '../../compiler/plan/plan-history.ts';
import { MissingObjects } from './git-error.ts';
import { readBlobs, readNamed, recordsIn, sizesOf } from './objects.ts';
import { type Repository, textOf } from './repository.ts';

/** So many commits back, earlier versions of a plan are looked up (plan.md section 3). */
const MOST_COMMITS = 1000;
/** A plan has at most 128 KiB as JSON. What is much larger is none, and is not read. */
const MOST_PLAN_BYTES = 512 * 1024;
/** So much is read at once, bytes. */
const BATCH_BYTES = 16 * 1024 ** 2;
/** The last parts of the path of a plan name its target: namespace, kind and name, file. */
const TARGET_PARTS = 3;

/** A version of a file, or its removal, in one commit. */
interface Version {
  path: string;
  /** Of the blob; undefined where the commit removed the file, or made something else of it. */
  id: string | undefined;
}

/**
 * The versions that plans had on the first-parent history of a commit. They are found again after their folder was moved:
 * a path that head does not have any more counts for its target. Paths are relative to the root of the working tree.
 *
 * @param isAtHead whether head has a file at a path
 */
export function plansBefore(
  repository: Repository,
  commit: string,
  isAtHead: (path: string) => boolean,
): ReadEarlier {
  return (paths) => {
    const found = paths.length === 0 ? undefined : versionsOf(repository, commit, paths, isAtHead);
    if (found === undefined) return () => ({ texts: [], moved: undefined, isCut: paths.length > 0 });
    const { wanted, sizes } = found;
    const forecasts = forecastsOf(repository, commit, [...wanted.values()]);
    let known: ReadonlyMap<string, Uint8Array> = new Map();
    return (path) => {
      const { ids: all, movedFrom } = wanted.get(path) ?? NONE;
      const ids = all.filter((id) => (sizes.get(id) ?? 0) <= MOST_PLAN_BYTES);
      if (ids.some((id) => !known.has(id))) {
        const next = paths.slice(paths.indexOf(path)).flatMap((each) => (wanted.get(each) ?? NONE).ids);
        known = readBlobs(repository, firstOf([...new Set(next)], sizes));
      }
      const texts = ids.map((id) => textOf({ stdout: known.get(id) ?? new Uint8Array() }));
      const isMoved = movedFrom !== undefined && ids[0] === all[0];
      return {
        texts,
        moved: isMoved ? { readForecast: () => forecasts(movedFrom) } : undefined,
        isCut: false,
      };
    };
  };
}

/** The versions of each plan, and their sizes; undefined if a partial clone does not have all of them. */
function versionsOf(
  repository: Repository,
  commit: string,
  paths: readonly string[],
  isAtHead: (path: string) => boolean,
): { wanted: ReadonlyMap<string, Versions>; sizes: ReadonlyMap<string, number> } | undefined {
  try {
    const idsOf = versionIds(versionsUpTo(repository, commit), isAtHead);
    const wanted = new Map(paths.map((path) => [path, idsOf(path)] as const));
    const ids = [...wanted.values()].flatMap((each) => each.ids);
    return { wanted, sizes: sizesOf(repository, [...new Set(ids)]) };
  } catch (error) {
    if (error instanceof MissingObjects) return undefined;
    throw error;
  }
}

/** The versions of a plan, newest first. */
interface Versions {
  ids: readonly string[];
  /** The path in the commit of the newest one, if that is another path. */
  movedFrom: string | undefined;
}

const NONE: Versions = { ids: [], movedFrom: undefined };

/** The forecasts beside plans that were moved, by the paths of the plans. All are read when the first is asked for. */
function forecastsOf(
  repository: Repository,
  commit: string,
  versions: readonly Versions[],
): (plan: string) => string | undefined {
  const nameOf = (plan: string): string => `${commit}:${plan.replace(/plan\.yaml$/, 'forecast.md')}`;
  let known: ReadonlyMap<string, Uint8Array> | undefined;
  return (plan) => {
    known ??= readNamed(
      repository,
      versions.flatMap(({ movedFrom }) => (movedFrom === undefined ? [] : [nameOf(movedFrom)])),
    );
    const stdout = known.get(nameOf(plan));
    return stdout === undefined ? undefined : textOf({ stdout });
  };
}

/** The first of some blobs, as many as are read at once. The versions of one plan always are. */
function firstOf(ids: readonly string[], sizes: ReadonlyMap<string, number>): string[] {
  let bytes = 0;
  const small = ids.filter((id) => (sizes.get(id) ?? 0) <= MOST_PLAN_BYTES);
  const end = small.findIndex((id) => (bytes += sizes.get(id) ?? 0) > BATCH_BYTES);
  return end === -1 ? small : small.slice(0, end);
}

/** The versions of a plan by its path. */
function versionIds(
  versions: readonly Version[],
  isAtHead: (path: string) => boolean,
): (path: string) => Versions {
  const byTarget = new Map<string, Version[]>();
  for (const version of versions) {
    const target = targetIn(version.path);
    const known = byTarget.get(target);
    if (known === undefined) byTarget.set(target, [version]);
    else known.push(version);
  }
  return (path) => {
    const all = byTarget.get(targetIn(path)) ?? [];
    const others = new Set(
      all.map((version) => version.path).filter((each) => each !== path && isAtHead(each)),
    );
    const own = all.filter((version) => !others.has(version.path));
    const atCommit = own.find((version) => version.path === path)?.id;
    const ids = new Set(own.flatMap(({ id }) => id ?? []));
    const [newest] = own;
    const movedFrom = atCommit === undefined && newest?.id !== undefined ? newest.path : undefined;
    return { ids: [...ids].slice(0, MOST_VERSIONS), movedFrom };
  };
}

function targetIn(path: string): string {
  return path.split('/').slice(-TARGET_PARTS).join('/');
}

/** What each commit did to plans, newest first. A merge brought all that its first parent did not have. */
function versionsUpTo(repository: Repository, commit: string): Version[] {
  const printed = repository.read([
    ...['log', '--first-parent', '-m', '--sparse', `--max-count=${MOST_COMMITS}`, '--format='],
    ...['--raw', '-z', '--no-renames', '--no-abbrev', '--no-show-signature', '--no-notes'],
    ...[commit, '--', ':(top,glob)**/plan.yaml'],
  ]);
  const records = recordsIn(printed);
  const versions: Version[] = [];
  for (let index = 0; index + 1 < records.length; index += 2) {
    const [, mode = '', , id = ''] = (records[index] ?? '').split(' ');
    versions.push({ path: records[index + 1] ?? '', id: mode.startsWith('100') ? id : undefined });
  }
  return versions;
}
