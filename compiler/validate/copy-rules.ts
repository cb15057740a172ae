import type { CopiesInGit } from '../../semantics/kinds/standing-git.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { CompilerHost } from '../host.ts';
import type { Budget } from '../load/budget.ts';
import { type ConfigFiles, isConfig } from '../load/config-objects.ts';
import type { GitPods } from '../load/git-pods.ts';
import type { Locator } from '../load/locate.ts';
import type { StandingManifest } from '../load/manifest.ts';
import { type OtherObject, readOtherObjects } from '../load/other-objects.ts';
import { shownName } from '../plan/target.ts';
import { copiesOf, namespacesIn } from '../reach/copies.ts';
import { byText } from '../text/order.ts';
import { hasValidShape } from './valid-shape.ts';
import { locateIn } from './validate.ts';

/** Further ones of one object are not reported: a list of all of them helps nobody. */
const MOST_REPORTED = 20;
/** So many labels of namespaces are compared with the selectors of objects that copy one name, which takes a second. */
const MOST_COMPARED = 2_000_000;

/** A copy in git, and the object that makes it. */
interface Copying {
  manifest: StandingManifest;
  copies: CopiesInGit;
}

/**
 * Errors for copies in namespaces where git declares an object of that kind and name, or where another object copies one. Objects
 * whose manifests name no namespace are compared with none: where they are is not in git.
 *
 * @param valid those without errors
 */
export function copyRules(
  valid: Iterable<StandingManifest>,
  { host, configFiles }: { host: CompilerHost; configFiles: ConfigFiles },
  readPods: () => GitPods | undefined,
  budget: Budget,
  locator: Locator,
): Diagnostic[] {
  const copying = [...valid]
    .filter(hasValidShape)
    .flatMap((manifest): Copying[] => {
      const copies = copiesOf(manifest);
      return copies === undefined ? [] : [{ manifest, copies }];
    })
    .sort((a, b) => byText(a.manifest.id, b.manifest.id));
  if (copying.length === 0) return [];
  const wanted = new Set(copying.map(({ copies }) => keyOf(copies)));
  const files = [...configFiles.values()].map(({ file }) => file);
  const own = readOtherObjects(
    host,
    files,
    budget,
    (object) => isConfig(object) && wanted.has(keyOf({ ...object, name: nameIn(object) })),
  );
  const pods = readPods();
  if (pods === undefined) return [];
  return [...declaredRules(copying, own, pods, locator), ...sharedRules(copying, pods, locator)];
}

function grouped<T>(all: readonly T[], key: (each: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const each of all) {
    const group = groups.get(key(each));
    if (group === undefined) groups.set(key(each), [each]);
    else group.push(each);
  }
  return groups;
}

function keyOf({ kind, name }: { kind?: unknown; name: unknown }): string {
  return JSON.stringify([kind, name]);
}

function nameIn({ metadata }: { metadata?: unknown }): unknown {
  return typeof metadata === 'object' && metadata !== null && 'name' in metadata ? metadata.name : undefined;
}

/** Objects that git declares where a copy is to be. */
function declaredRules(
  copying: readonly Copying[],
  own: readonly OtherObject[],
  pods: GitPods,
  locator: Locator,
): Diagnostic[] {
  const declared = grouped(own, ({ object, name }) => keyOf({ kind: object['kind'], name }));
  return copying.flatMap(({ manifest, copies }) => {
    const alike = declared.get(keyOf(copies)) ?? [];
    if (alike.length === 0) return [];
    const places = alike.flatMap(({ namespace }) => namespace ?? []);
    const reached = new Set(copies.namespacesAmong(namespacesIn(pods, places)));
    return alike
      .filter(({ namespace }) => namespace !== undefined && reached.has(namespace))
      .slice(0, MOST_REPORTED)
      .map(({ namespace = '', origin }) => {
        const related = [
          {
            message: 'the one in git',
            position: locator(origin, ['metadata', 'name'], 'value'),
          },
        ];
        return conflict({ manifest, copies }, namespace, 'git', locator, related);
      });
  });
}

/** Objects that copy the same into a namespace, of which git has a manifest, by its labels. */
export function sharedRules(copying: readonly Copying[], pods: GitPods, locator: Locator): Diagnostic[] {
  const known = namespacesIn(pods);
  const groups = grouped(copying, ({ copies }) => keyOf(copies));
  return [...groups.values()].flatMap((alike) => {
    if (alike.length < 2) return [];
    const takers = new Map<string, StandingManifest>();
    const left: Copying[] = [];
    let compared = 0;
    const found = alike.flatMap((each) => {
      if (each.copies.isOpen) compared += known.length;
      // What names its namespaces is compared with these alone, however many others there are.
      if (!each.copies.isOpen || compared <= MOST_COMPARED)
        return sharedBy(each, takers, each.copies.namespacesAmong(known), locator);
      left.push(each);
      return [];
    });
    return [...found, ...leftOut(left, locator)];
  });
}

/** Says which objects are compared with no other, at the first of them. */
function leftOut([first, ...others]: readonly Copying[], locator: Locator): Diagnostic[] {
  if (first === undefined) return [];
  const { manifest, copies } = first;
  const args = {
    object: `${manifest.kind} ${shownName(manifest)}`,
    others: others.length,
    copy: `${copies.kind} ${copies.name}`,
  };
  return [diagnostic('KR2232', args, locateIn(manifest, locator)([...copies.namePath], 'value'))];
}

/** @param takers by namespace: the first object that copies into it */
function sharedBy(
  copying: Copying,
  takers: Map<string, StandingManifest>,
  namespaces: readonly string[],
  locator: Locator,
): Diagnostic[] {
  const { manifest } = copying;
  const found: Diagnostic[] = [];
  // Where both name a namespace, or all, KR2228 says so. It is asked once for each other object, however many they share.
  const said = new Map<StandingManifest, boolean>();
  for (const namespace of namespaces) {
    const other = takers.get(namespace);
    if (other === undefined) {
      takers.set(namespace, manifest);
      continue;
    }
    if (found.length >= MOST_REPORTED) continue;
    const isSaid = said.get(other) ?? areExclusive(other, manifest);
    said.set(other, isSaid);
    if (isSaid) continue;
    const position = locateIn(other, locator)(['metadata', 'name'], 'value');
    const owner = `${other.kind} ${shownName(other)}`;
    found.push(conflict(copying, namespace, owner, locator, [{ message: 'the other one', position }]));
  }
  return found;
}

function areExclusive(one: StandingManifest, other: StandingManifest): boolean {
  return other.type.git.conflict(other.object, one.object) !== undefined;
}

function conflict(
  { manifest, copies }: Copying,
  namespace: string,
  owner: string,
  locator: Locator,
  related: Diagnostic['related'],
): Diagnostic {
  const args = {
    object: `${manifest.kind} ${shownName(manifest)}`,
    copy: `${copies.kind} ${copies.name}`,
    namespace,
    owner,
  };
  return diagnostic('KR2231', args, locateIn(manifest, locator)([...copies.namePath], 'value'), related);
}
