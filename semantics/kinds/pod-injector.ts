import type { Resource } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { GroupKind } from '../owner.ts';
import type { OwnContainer, OwnParts } from '../pod/own-parts.ts';
import type { PodSelection } from '../values/pod-selection.ts';
import type { InvalidField } from '../fields/problems.ts';
import type { LoweringRow } from './lowering.ts';

/**
 * A kind whose objects add to the pods of any owner when these are created. Webhook, compiler and tests know such kinds by this
 * interface alone.
 */
export interface PodInjector {
  readonly id: GroupKind;
  /** The resource, in the version that is stored. */
  readonly resource: Resource;
  /** The versions that are served; a manifest may be written in any of them. */
  readonly versions: readonly string[];
  /** Namespaces in which no pod is changed: nobody asks a webhook about them. */
  readonly exempt: readonly string[];
  /** Errors that the schema cannot express. */
  validate(object: KubeObject): readonly InvalidField[];
  /** Errors in a change of an object. */
  validateChange(before: KubeObject, after: KubeObject): readonly InvalidField[];
  /** What an object needs that cannot be there before it is created. */
  impossibleAtFirst(object: KubeObject): readonly InvalidField[];
  /** A pod template with what the object adds, at the same paths as in the object: what a pod must not have, is wrong there. */
  podOf(object: KubeObject): JsonObject;
  /** The objects that exclude each other. */
  conflicts(objects: readonly KubeObject[]): readonly InjectionConflict[];
  /** What the object adds under a name that a pod has of its own, as a test of many pods. */
  clashes(object: KubeObject): (own: OwnParts) => readonly InjectionClash[];
  /** The order in which its init containers run in a pod, by name; undefined: that of the list. */
  initOrder(object: KubeObject): readonly string[] | undefined;
  /** Whether the object selects pods of a namespace with these labels. */
  selectsNamespace(object: KubeObject, labels: Readonly<Record<string, string>>): boolean;
  inject(input: InjectionInput): Injection;
  /**
   * What is on record of new pods, by the name of the object; one without an entry gives its present content.
   *
   * @param isRequired whether an object changes by plans alone
   * @param pod as the request has it
   * @param requestId what is drawn by, where a share of new pods gets a revision
   */
  published(
    objects: readonly KubeObject[],
    revisions: readonly KubeObject[],
    pod: KubeObject,
    requestId: string,
    isRequired: (object: KubeObject) => boolean,
  ): ReadonlyMap<string, Published>;
  /** Its objects with native sidecars in place of containers. */
  readonly native: NativeForm;
  /** The ControllerRevision that the object names as its newest; undefined: none is on record. */
  newestOnRecord(object: KubeObject): string | undefined;
}

/** What becomes of objects whose containers are to be native sidecars: init containers with restartPolicy Always. */
export interface NativeForm {
  /** Why objects stay as they are. */
  readonly stays: readonly LoweringRow[];
  readonly losses: readonly LoweringRow[];
  /** What is different for each of them: clauses. */
  readonly differs: readonly string[];
  of(
    object: KubeObject,
  ): { object: KubeObject; losses: readonly LoweringRow[] } | { stays: readonly LoweringRow[] };
}

/** What is on record of new pods. */
export type Published =
  /** They get the revision of this name; `within`: where one of these selects them, too. Undefined: wherever the manifest does. */
  | { is: 'revision'; name: string; within: readonly PodSelection[] | undefined }
  /** They get nothing. `why` is a clause. */
  | { is: 'nothing'; why: string };

/** Two objects that exclude each other: they add different things under one name to the same pods, or break a rule. */
export interface InjectionConflict {
  /** The index of the later object of the two, where the conflict is reported. */
  index: number;
  /** The index of the earlier one. */
  other: number;
  /** In the later object. */
  path: string[];
  /** What both have, as a noun: `container`, `volume`. */
  what: string;
  name: string;
  /** The rule that the later object breaks by what the earlier one is; undefined: both have the name. */
  rule?: string;
}

/** Something that an object adds under a name that a pod has of its own. The path is in the object. */
export type InjectionClash =
  /** The pod is refused. */
  | { of: 'container'; path: string[]; own: OwnContainer }
  /** The pod's own counts, and it is another one. */
  | { of: 'volume'; path: string[]; name: string };

/** A namespace with its labels; undefined labels: it was not found. */
export interface PodNamespace {
  name: string;
  labels: Readonly<Record<string, string>> | undefined;
}

/** Everything that an injection hangs on. */
export interface InjectionInput {
  pod: KubeObject;
  namespace: PodNamespace;
  sets: readonly KubeObject[];
  /** The ControllerRevisions of the sets; only those that are pinned or published are read. */
  revisions: readonly KubeObject[];
  /** What is on record of new pods, by the name of the set. */
  published: ReadonlyMap<string, Published>;
  /** What is drawn by where only a share of new pods gets a revision, such as the uid of the request. */
  requestId: string;
  /** Milliseconds since 1970. */
  now: number;
  /** OpenKruise's gate EnableSortSidecarContainerByName: sorts containers of all sets by their names, not by their sets. */
  sortsContainers: boolean;
}

/** One set that was injected, and why in this revision. */
export interface InjectedSet {
  set: string;
  revision: string | undefined;
  hash: string;
  reason: string;
}

/** Why a set is not injected into a pod. */
export interface SkippedSet {
  set: string;
  reason: 'Paused' | 'Namespace' | 'Selector' | 'Canary' | 'Unplanned' | 'NotRecorded';
  message: string;
}

/** What a pod becomes; `refused`: why it must not be created. */
export type Injection =
  | { pod: KubeObject; injected: readonly InjectedSet[]; skipped: readonly SkippedSet[] }
  | { refused: string };
