import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { GroupKind } from '../owner.ts';
import type { InvalidField } from '../fields/problems.ts';
import type { GitUnits } from './git-units.ts';

/**
 * How a kind is read from git. The compiler knows kinds by this interface alone: it plans, validates and forecasts what
 * `read` returns, and reports problems at the path that `fieldPath` returns. All functions are pure.
 */
export interface GitSide {
  /** Reads a manifest of any served version. A field that does not fit the schema is read as absent. */
  read(manifest: KubeObject): GitManifest;
  /** The path of a field in this manifest, whether it is set or not. */
  fieldPath(manifest: KubeObject, field: GitField): string[];
  /** The update policy as this manifest spells it: `updateStrategy.type is ReCreate`. */
  policyText(manifest: KubeObject): string;
  /**
   * What OpenKruise's admission refuses beyond `Kind.validate`. Only the compiler reports it.
   *
   * @param nodes how many nodes kruise.yaml assumes; undefined: it does not say
   */
  lint(manifest: KubeObject, nodes: number | undefined): readonly InvalidField[];
  /**
   * The units that a forecast starts with: one for each hash, on the revision with that hash, as newly created.
   * Throws when no revision has the hash.
   *
   * @param revisions the ControllerRevisions of the target
   * @param now milliseconds since 1970
   * @param nodes where the units are nodes: the name of each
   */
  units(
    target: KubeObject,
    revisions: readonly KubeObject[],
    hashes: readonly string[],
    now: number,
    nodes: readonly string[],
  ): KubeObject[];
  /**
   * The workload of Kubernetes with the same pods: an object of this kind may take over those of one with its name, and the
   * other way round. Undefined: there is none.
   */
  readonly native: GroupKind | undefined;
}

/** Fields that diagnostics refer to. */
export type GitField =
  | 'boundSelector'
  | 'lifecycle'
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

/** A manifest as the compiler reads it, with defaults. What only some kinds have is in the type of their units. */
export interface GitManifest {
  units: GitUnits;
  /** The content of a revision, which its hash identifies. */
  template: JsonObject;
  paused: boolean;
  /** The fields other than template, replicas and partition, in the order in which changes of them are reported. */
  settings: () => readonly Setting[];
}

/** The template of the pods of a manifest; undefined: it has none. */
export function podTemplateOf({
  template,
  units,
}: Pick<GitManifest, 'template' | 'units'>): JsonObject | undefined {
  switch (units.of) {
    case 'replicas':
    case 'nodes':
    case 'selected':
    case 'run':
      return template;
    case 'subsets':
      return units.podTemplate;
    case 'ticks':
      return units.schedule.podTemplate;
  }
}

/** A field whose change needs no plan. */
export interface Setting {
  /** Its name in a manifest. */
  name: string;
  /** Plain data; undefined where it is not set and has no default. */
  value: string | number | boolean | object | undefined;
  /** A change of it may delete or update units at once. */
  movesUnits: boolean;
  /** It cannot change once the object exists. */
  isImmutable?: true;
  /** It decides which names the units have (`NamedUnits`). */
  namesUnits?: true;
}
