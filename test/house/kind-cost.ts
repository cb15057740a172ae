import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { SHARED_KINDS } from '../../semantics/kinds/openkruise.ts';
import { kinds } from '../../semantics/registry/registry.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import { badgeKind } from '../fixture-kind/badge/kind.ts';
import { fleetKind } from '../fixture-kind/fleet/kind.ts';
import { keepKind } from '../fixture-kind/keep/kind.ts';
import { rackKind } from '../fixture-kind/kind.ts';
import { rationKind } from '../fixture-kind/ration/kind.ts';
import { shelfKind } from '../fixture-kind/shelf/kind.ts';
import { trackedFiles } from './files.ts';
import {
  type CountedKind,
  globPattern,
  kindLines,
  reached,
  type Sources,
  unlistedFiles,
} from './kind-lines.ts';
import { kindLists } from './kind-lists.ts';
import { OTHER_SENSES, type Trait, TRAITS, traitsOf } from './kind-traits.ts';

/*
 * Prints how many lines exist for each registered kind outside of its folder, its schema and its tests:
 *
 * 1. files that no program reaches any more without the folder of the kind, by the imports in the sources, types included;
 * 2. files of a trait that no other registered kind has, such as its sort of units: kind-traits.ts says which files that are,
 *    and the registration which kinds have it. A file is shared that the folder of another kind imports, or a file of a trait of
 *    that kind, as that kind does not work without it: the forecast of a schedule imports that of the runs which it begins;
 * 3. lines of any other file that name the kind.
 *
 * The kinds of test/fixture-kind count as further kinds: no line of the rooms was written for them, and their tests compile, build,
 * forecast and roll out with what others have as well. The figure without them is printed beside, for it says how much one of the kinds
 * that are shipped uses alone. Example: `Tag: 12 lines, ok (1519 that no other kind uses which is shipped)`.
 *
 * All lines of a file count, blank ones and comments too. What one kind alone uses within a file of all kinds does not, such as
 * a case of a switch. Nor do generated files.
 */

const PRODUCT = /^(semantics|compiler|runtime|cli|deploy)\/.*\.ts$/;
const ENTRIES =
  /^(cli\/(main|compiled-plan-program|build\/[^/]+)|deploy\/generate\/main|examples\/demo\/main)\.ts$/;
/** The kinds of tests, and where all of them are. */
const FIXTURES: readonly Kind[] = [badgeKind, fleetKind, keepKind, rackKind, rationKind, shelfKind];
const FIXTURE_FOLDER = 'test/fixture-kind/';
const FIXTURE = /^test\/fixture-kind\/(?!.*\.test\.ts$).*\.ts$/;
/** What a kind may cost. */
export const MOST = 800;

const traits = Object.keys(TRAITS) as Trait[];
const patterns: ReadonlyMap<Trait, readonly RegExp[]> = new Map(
  traits.map((trait) => [trait, TRAITS[trait].files.map(globPattern)]),
);

const names = kinds.map(({ id }) => id.kind);

const belongs = (trait: Trait, path: string): boolean =>
  patterns.get(trait)?.some((each) => each.test(path)) === true;

/** The lines of each kind, and what makes the figures or the code wrong. */
export function kindCosts(): {
  text: string;
  costs: { name: string; lines: number }[];
  problems: string[];
} {
  // What the other rooms hold leads to no product room: `rooms.ts` forbids it.
  const paths = trackedFiles().filter((path) => PRODUCT.test(path) || ENTRIES.test(path));
  const sources = sourcesOf(paths, []);
  const fixtures = trackedFiles().filter((path) => FIXTURE.test(path));
  const counted = kinds.map((kind) => countedKind(kind, `semantics/${kind.id.kind.toLowerCase()}/`));
  const shipped = kindLines(counted, sources, belongs);
  const all = [...counted, ...FIXTURES.map((kind) => countedKind(kind, FIXTURE_FOLDER))];
  const costs = kindLines(all, sourcesOf(paths, fixtures), belongs).slice(0, counted.length);
  const text = costs.map(({ unreachable, alone, ofTraits, naming, lines }, at) => {
    const own = shipped[at]?.lines ?? lines;
    const besides = own === lines ? '' : ` (${String(own)} that no other kind uses which is shipped)`;
    return [
      `${names[at] ?? ''}: ${String(lines)} lines, ${lines <= MOST ? 'ok' : `over ${String(MOST)}`}${besides}`,
      ...unreachable.map((path) => `  reached through it alone: ${path}`),
      ...(alone.length === 0 ? [] : [`  has alone: ${alone.join(', ')}`]),
      ...ofTraits.map((path) => `  for that: ${path}`),
      `  named in ${String(naming)} further lines`,
    ].join('\n');
  });
  return {
    text: `${text.join('\n')}\n`,
    costs: costs.map(({ lines }, at) => ({ name: names[at] ?? '', lines })),
    problems: problemsIn(sources),
  };
}

const countedKind = (kind: Kind, folder: string): CountedKind<Trait> => ({
  name: kind.id.kind,
  folder,
  traits: traitsOf(kind),
});

function sourcesOf(paths: readonly string[], fixtures: readonly string[]): Sources {
  return {
    texts: new Map([...paths, ...fixtures].map((path) => [path, readFileSync(path, 'utf8')])),
    entries: [...paths.filter((path) => ENTRIES.test(path)), ...fixtures],
    isProduct: (path) => PRODUCT.test(path),
  };
}

/** Whether a file is there for a trait that no kind has yet but those of the tests. */
function isAwaited(path: string): boolean {
  const had = new Set(kinds.flatMap((kind) => traitsOf(kind)));
  const own = traits.filter((trait) => belongs(trait, path));
  return own.length > 0 && own.every((trait) => !had.has(trait));
}

function problemsIn(sources: Sources): string[] {
  const product = [...sources.texts.keys()].filter(sources.isProduct);
  const isOfKind = (path: string): boolean =>
    names.some((kind) => path.startsWith(`semantics/${kind.toLowerCase()}/`));
  const live = reached(sources);
  const unlisted = unlistedFiles(
    product.filter((path) => /^(semantics|compiler|runtime)\//.test(path) && !isOfKind(path)),
    traits.flatMap((trait) => TRAITS[trait].words),
    (path) => path in OTHER_SENSES || traits.some((trait) => belongs(trait, path)),
  );
  const idle = [...patterns.values()].flat().filter((each) => !product.some((path) => each.test(path)));
  const lists = product
    .filter((path) => !path.startsWith('semantics/registry/') && path !== 'semantics/kinds/openkruise.ts')
    .flatMap((path) => kindLists(path, sources.texts.get(path) ?? '', names, SHARED_KINDS));
  return [
    ...product
      .filter((path) => !live.has(path) && !isAwaited(path))
      .map((path) => `${path}: no program imports it`),
    ...unlisted.map((path) => `${path}: of no trait, by its name`),
    ...idle.map((each) => `${String(each)}: matches no file`),
    ...Object.keys(OTHER_SENSES).flatMap((path) =>
      product.includes(path) ? [] : [`${path}: does not exist`],
    ),
    ...lists.map((at) => `${at}: a list of kinds`),
  ];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { text, problems } = kindCosts();
  process.stdout.write(`${text}${problems.map((each) => `problem: ${each}\n`).join('')}`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
