import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { PriorityStrategy } from '../pod/priority.ts';
import type { ScatterTerm } from '../pod/scatter.ts';
import type { PodUpdatePolicy } from '../template/update-policy.ts';
import type { IntOrPercent } from '../values/int-or-percent.ts';
import type { LabelSelector } from '../values/selector.ts';
import type { InvalidField } from './fields.ts';

/**
 * How a kind is read from git. The compiler knows kinds by this interface alone: it plans, judges and forecasts what `read`
 * returns, and reports it at the path that `fieldPath` returns. All of it is pure.
 */
export interface GitSide {
  /** Reads a manifest of any served version. It fits the schema; a field that does not is read as absent. */
  read(manifest: KubeObject): GitManifest;
  /** Where a field stands in this manifest, or would stand. */
  fieldPath(manifest: KubeObject, field: GitField): string[];
  /** The update policy in the words of this manifest: `updateStrategy.type is ReCreate`. */
  policyText(manifest: KubeObject): string;
  /** What admission refuses beside `Kind.validate`, and the runtime does not judge. Reported before it is merged. */
  lint(manifest: KubeObject): readonly InvalidField[];
  /** Most units that may be missing and extra at a time: the lower of the manifest's own numbers and those of a step. */
  limits(manifest: UnitLimits, step: Partial<UnitLimits> | undefined, units: number): UpdateLimits;
  /**
   * The units with which a forecast begins: one for each hash, on the revision that has it, as they are when they are made.
   * Throws when no revision has a hash.
   *
   * @param revisions the ControllerRevisions of the target
   * @param now milliseconds since 1970
   */
  units(
    target: KubeObject,
    revisions: readonly KubeObject[],
    hashes: readonly string[],
    now: number,
  ): KubeObject[];
}

/** How many units an update may take at a time. */
export interface UnitLimits {
  maxUnavailable: IntOrPercent;
  maxSurge: IntOrPercent;
}

/** The same as counts. */
export interface UpdateLimits {
  maxUnavailable: number;
  maxSurge: number;
}

/** Fields that diagnostics point at. */
export type GitField =
  | 'maxSurge'
  | 'maxUnavailable'
  | 'minReadySeconds'
  | 'partition'
  | 'podsToDelete'
  | 'policy'
  | 'progressDeadlineSeconds'
  | 'replicas'
  | 'reuseClaims'
  | 'selector'
  | 'template'
  | 'type'
  | 'volumeClaimTemplates';

/** A manifest as the compiler reads it, defaults filled in: one shape for every kind. What a kind does not have is neutral. */
export interface GitManifest extends UnitLimits {
  /** How many units there are to be. */
  replicas: number;
  /** The manifest says so itself; otherwise `replicas` is the default, and something else may decide it. */
  hasReplicas: boolean;
  /** What a revision is made of: its hash identifies it. */
  template: JsonObject;
  /** Undefined: the kind selects nothing. */
  selector: LabelSelector | undefined;
  volumeClaimTemplates: readonly JsonObject[];
  /** The claims of a pod that went by itself are taken over by the pod that takes its place. */
  reuseClaims: boolean;
  /** No unit is taken; each gets the change when somebody deletes it. */
  onDelete: boolean;
  policy: PodUpdatePolicy;
  /** The standing bound: so many units stay on the old revision. */
  partition: IntOrPercent;
  paused: boolean;
  /** Which units are updated first; undefined: the default order alone. */
  priorities: PriorityStrategy | undefined;
  scatter: readonly ScatterTerm[];
  gracePeriodSeconds: number;
  minReadySeconds: number;
  /** Undefined: progress is not tracked. */
  progressDeadlineSeconds: number | undefined;
  podsToDelete: readonly string[];
  /** The fields beside template, replicas and partition, in the order in which changes of them are reported. */
  settings: readonly Setting[];
}

/** A field of which a change needs no plan. */
export interface Setting {
  /** What it is called in a manifest. */
  name: string;
  /** Plain data; undefined where it is not set and has no default. */
  value: string | number | boolean | object | undefined;
  /** A change of it may move units at once. */
  movesUnits: boolean;
}
