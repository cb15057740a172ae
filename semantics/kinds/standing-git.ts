import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { InvalidField } from '../fields/problems.ts';
import type { GroupKind } from '../owner.ts';
import type { PodWorkload } from '../pod/workload.ts';
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
  /**
   * Where the field stands that selects pods of other owners; undefined: it selects none, or `spreads` says which. One that selects no
   * pod in git is reported there.
   */
  selects(manifest: KubeObject): readonly string[] | undefined;
  /** What an object copies into namespaces; undefined: nothing. */
  copies(manifest: KubeObject): CopiesInGit | undefined;
  /** Where an object places pods of a workload; undefined: it places none. */
  spreads(manifest: KubeObject): SpreadInGit | undefined;
  /** The kinds of Kubernetes of such workloads. */
  readonly spreadsNative: readonly GroupKind[];
}

/** Where the pods of a workload of the namespace are placed, as git shows it. */
export interface SpreadInGit {
  target: PodWorkload;
  /** The scheduling gate that its template must have; undefined: none, its pods are placed as they are created. */
  gate: string | undefined;
  /** Where its name stands. */
  targetPath: readonly string[];
  /** Where the cap of the last subset stands, or would. */
  lastPath: readonly string[];
  /** False: something else than the number of its pods says how large the workload is. */
  isSized: boolean;
  /** Caps are percentages of the size. */
  followsSize: boolean;
  /** The subsets in their order, each with the most of so many pods that it takes; undefined: it takes all that come. */
  most(size: number): readonly { name: string; most: number | undefined }[];
  /**
   * What of it does not fit the pods of this workload, made from this template.
   *
   * @param errorsIn what a server would say of a template
   */
  faults(
    workload: KubeObject,
    template: JsonObject,
    errorsIn: (template: JsonObject) => readonly string[],
  ): readonly InvalidField[];
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
