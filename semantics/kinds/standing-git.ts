import type { KubeObject } from '../../schemas/wire/object.ts';
import type { InvalidField } from '../fields/problems.ts';
import type { LabelSelector } from '../values/selector.ts';

/** How the compiler compares manifests of a kind without plans. A manifest may be of any served version. All functions are pure. */
export interface StandingGit {
  /** The fields, as paths, that a change must leave as they are, and does not. */
  changedForever(before: KubeObject, after: KubeObject): readonly (readonly string[])[];
  /** What a change does beyond what the names of its fields say, as a clause; undefined: nothing. */
  effect(before: KubeObject, after: KubeObject): string | undefined;
  /** Why two valid objects of one namespace exclude each other, in the first of them; undefined: they do not. */
  conflict(one: KubeObject, other: KubeObject): InvalidField | undefined;
  /**
   * For each of these valid objects of one namespace, the index of an earlier one that it may exclude; undefined: it excludes none. A kind
   * of which there may be many answers in linear time. Default: every pair is compared, of some hundred objects.
   */
  earlierConflicts?(manifests: readonly KubeObject[]): readonly (number | undefined)[];
  /** What an object copies into namespaces; undefined: nothing. */
  copies(manifest: KubeObject): CopiesInGit | undefined;
}

/** A ConfigMap or Secret that is copied into namespaces, as git shows it. */
export interface CopiesInGit {
  kind: 'ConfigMap' | 'Secret';
  name: string;
  /** Where its name stands. */
  namePath: readonly string[];
  /** Where the field stands that chooses namespaces. */
  targetsPath: readonly string[];
  /** Those of these namespaces that get a copy, and those that it names though they are none of these, by name. */
  namespacesAmong(known: readonly KubeObject[]): readonly string[];
  /** It may reach namespaces that it does not name. */
  isOpen: boolean;
  /** By field, what it reaches: all namespaces, those that a selector takes, or one by its name. */
  reach: readonly CopyReach[];
  /** By key: equal for equal values. */
  values: ReadonlyMap<string, string>;
  /** Equal for copies with the same type, labels, annotations, finalizers and immutability. */
  rest: string;
}

/** What a field of an object that copies reaches. */
export interface CopyReach {
  path: readonly string[];
  of: 'every' | LabelSelector | readonly [name: string];
}
