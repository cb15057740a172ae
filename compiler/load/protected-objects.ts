import type { JsonObject } from '../../schemas/wire/json.ts';
import { kinds } from '../../semantics/registry/registry.ts';
import { groupKindOf, tupleId } from '../../semantics/owner.ts';
import { PROTECTION_LABEL } from '../../semantics/protection/label.ts';
import { type ProtectionEffect, protectionEffect } from '../../semantics/protection/effect.ts';
import { protectedResourceOf } from '../../semantics/protection/resources.ts';
import { textOf } from '../../semantics/values/read.ts';
import type { CompilerHost } from '../host.ts';
import { generatedStem } from '../text/generated-stem.ts';
import { namingAny } from '../text/naming-any.ts';
import type { Budget } from './budget.ts';
import { type OtherObject, readOtherObjects } from './other-objects.ts';
import type { GivenText } from './read.ts';
import { suppliedNamespaces } from './supplied-namespace.ts';

/** A file of a state. */
export interface StateFile {
  file: string | GivenText;
  /** Equal for equal texts. */
  content: string;
}

/** By the path of the file at head; texts from elsewhere by their place among them. */
export type StateFiles = ReadonlyMap<string, StateFile>;

/** What is read of a state to find out what was removed from it. */
export interface FilesOfState {
  host: CompilerHost;
  /** Every file that was read. */
  readFiles: ReadonlyMap<string, string | GivenText>;
  /** Those of them that may have the label. */
  protectedFiles: StateFiles;
}

/** The same of head. */
export interface FilesOfHead extends FilesOfState {
  /** A file of it that its configuration leaves out; none if it has no such file. */
  leftOut(path: string): readonly (string | GivenText)[];
}

/** An object with the label deletion-protection, of any kind. */
export interface ProtectedObject extends OtherObject {
  kind: string;
  effect: ProtectionEffect;
}

/** Whether a text may have an object with the label. A search is cheap enough for every file. */
export function mayHaveProtection(text: string): boolean {
  return text.includes(LABEL_NAME);
}

/** Without the slash, which JSON may escape. */
const LABEL_NAME = PROTECTION_LABEL.slice(PROTECTION_LABEL.indexOf('/') + 1);

/** The objects with the label in these files. */
export function readProtected(
  host: CompilerHost,
  files: readonly (string | GivenText)[],
  budget: Budget,
): ProtectedObject[] {
  return readOtherObjects(host, files, budget, hasLabel, mayHaveProtection).map((found) => ({
    ...found,
    kind: textOf(found.object['kind']),
    effect: protectionEffect(found.object, kinds),
  }));
}

function hasLabel(object: JsonObject): boolean {
  const { kind, apiVersion } = object;
  if (typeof kind !== 'string' || typeof apiVersion !== 'string') return false;
  return protectionEffect(object, kinds).of !== 'NoLabel';
}

/** A protected object of base that head does not have. */
interface RemovedObject extends ProtectedObject {
  /** A generator has made another name for it, from other content. */
  renamedTo: string | undefined;
  /**
   * Only one of base and head names a namespace, which an engine supplies for the other: it is the same object if that is this one.
   * Undefined: it is removed for sure.
   */
  isMaybeIn: string | undefined;
}

/**
 * The protected objects of base that head has in no file: under another name, namespace or kind an object is another one. Files that
 * are the same at head are not read.
 */
export function removedProtected(head: FilesOfHead, base: FilesOfState, budget: Budget): RemovedObject[] {
  const before = [...base.protectedFiles].flatMap(([path, { file, content }]) => {
    if (head.protectedFiles.get(path)?.content === content) return [];
    const isRefused = ({ effect }: ProtectedObject): boolean => effect.of === 'Refused';
    return readProtected(base.host, [file], budget)
      .filter(isRefused)
      .map((object) => ({ object, path }));
  });
  if (before.length === 0) return [];
  const wanted = before.map(({ object }) => object);
  // Most are where they were.
  const paths = [...new Set(before.map(({ path }) => path))];
  const sameFiles = paths.flatMap((path) => fileAt(head, path));
  const there = searched(head, sameFiles, wanted, budget);
  const missing = wanted.filter((each) => !there.ids.has(idOf(each)));
  if (missing.length === 0) return [];
  const anywhere = searched(head, [...head.readFiles.values()], missing, budget);
  // If not everything was read, what seems to be gone may be there.
  if (budget.exceeded !== undefined) return [];
  const removed = missing.filter((each) => !anywhere.ids.has(idOf(each)));
  const suppliedIn = suppliedNamespaces(anywhere.objects.filter(freshIn(base, removed, budget)), idOf);
  return removed.map((each) => ({
    ...each,
    renamedTo: anywhere.stems.get(stemOf(each) ?? ''),
    isMaybeIn: suppliedIn(each),
  }));
}

/** The test for objects of head that base does not have as they are: any other one is no moved object. */
function freshIn(
  base: FilesOfState,
  removed: readonly ProtectedObject[],
  budget: Budget,
): (object: OtherObject) => boolean {
  let before: ReadonlySet<string> | undefined;
  return (object) => {
    before ??= searched(base, [...base.readFiles.values()], removed, budget).ids;
    return !before.has(idOf(object));
  };
}

function fileAt({ readFiles, leftOut }: FilesOfHead, path: string): readonly (string | GivenText)[] {
  const known = readFiles.get(path);
  return known === undefined ? leftOut(path) : [known];
}

/** Which of these objects are in files, and the names of those with the same stem of a generated name. */
function searched(
  { host }: Pick<FilesOfState, 'host'>,
  files: readonly (string | GivenText)[],
  wanted: readonly ProtectedObject[],
  budget: Budget,
): { objects: readonly OtherObject[]; ids: ReadonlySet<string>; stems: ReadonlyMap<string, string> } {
  const isNamed = namingAny(wanted.map(({ name }) => name));
  const known = new Set(wanted.map(({ kind }) => kind));
  const isWanted = ({ kind }: JsonObject): boolean => typeof kind === 'string' && known.has(kind);
  const objects = readOtherObjects(host, files, budget, isWanted, isNamed);
  return {
    objects,
    ids: new Set(objects.map(idOf)),
    stems: new Map(objects.flatMap((each) => [[stemOf(each) ?? '', each.name] as const])),
  };
}

/** Equal for the same object of a cluster; its version does not identify it. What is in no namespace has none, whatever it names. */
function idOf({ object, namespace, name }: OtherObject): string {
  const id = groupKindOf({ apiVersion: textOf(object['apiVersion']), kind: textOf(object['kind']) });
  const isInCluster = protectedResourceOf(kinds, id)?.namespaced === false;
  return tupleId(id, isInCluster ? undefined : namespace, name);
}

/** Equal for objects that one generator has made of different content; undefined for a name that no generator gives. */
function stemOf(each: OtherObject): string | undefined {
  const stem = generatedStem(each.name);
  return stem === undefined ? undefined : idOf({ ...each, name: stem });
}
