import type { KubeObject } from '../../schemas/wire/object.ts';
import type { InvalidField } from '../fields/problems.ts';

/** How the compiler compares manifests of a kind without plans. A manifest may be of any served version. All functions are pure. */
export interface StandingGit {
  /** The fields, as paths, that a change must leave as they are, and does not. */
  changedForever(before: KubeObject, after: KubeObject): readonly (readonly string[])[];
  /** What a change does beyond what the names of its fields say, as a clause; undefined: nothing. */
  effect(before: KubeObject, after: KubeObject): string | undefined;
  /** Why two valid objects of one namespace exclude each other, in the first of them; undefined: they do not. */
  conflict(one: KubeObject, other: KubeObject): InvalidField | undefined;
}
