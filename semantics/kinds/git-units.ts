import type { KubeObject } from '../../schemas/wire/object.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { Lifecycle } from '../lifecycle/hooks.ts';
import type { KindLimits } from '../limits/window.ts';
import type { GroupKind } from '../owner.ts';
import type { PriorityStrategy } from '../pod/priority.ts';
import type { ScatterTerm } from '../pod/scatter.ts';
import type { Classification } from '../template/classify.ts';
import type { UpdateRules } from '../template/update-policy.ts';
import type { IntOrPercent } from '../values/int-or-percent.ts';
import type { Partition } from '../values/partition.ts';
import type { PodSelection } from '../values/pod-selection.ts';
import type { LabelSelector } from '../values/selector.ts';
import type { GitRun, GitSchedule } from './run-in-git.ts';
import type { GitSubset, PatchedSubset } from './subsets.ts';

/**
 * The units of a target, as git shows them. How many there are is a fact of git, an assumption, or not in git: each reader says what
 * it does with either.
 */
export type GitUnits = ReplicaUnits | NodeUnits | SelectedUnits | RunUnits | TickUnits | SubsetUnits;

/** Pods that the target makes itself, as many as its manifest wants. */
export interface ReplicaUnits {
  of: 'replicas';
  n: number;
  /** The manifest sets the number. Otherwise it is the default, and an autoscaler may set it. */
  isWritten: boolean;
  names: UnitNames;
  updates: GitUpdates;
  pods: OwnedPods;
}

/** Who chooses the names of the units of a target. */
export type UnitNames = { by: 'cluster' } | ({ by: 'manifest' } & NamedUnits);

/** What git knows of names that follow from a manifest. */
export interface NamedUnits {
  /** The units that a manifest wants, in ascending order. */
  wanted(manifest: KubeObject): string[];
  /**
   * The same in the order in which a rollout updates them. Units that are unavailable when it starts come before all others.
   *
   * @param template the template of the units before the rollout
   */
  order(manifest: KubeObject, template: JsonObject): string[];
  /** The ordinals between these that have no unit, as the manifest reserves them: `1, 3-5`; empty: none. */
  reserved(manifest: KubeObject): string;
}

/** How the units of a target are updated, with defaults. */
export interface GitUpdates extends UpdateRules {
  /** No unit is updated; what gets a change instead, the kind says (`KindFacts.noUpdates`). */
  onDelete: boolean;
  /** How many units are retained on the old revision. */
  partition: Partition;
  maxUnavailable: IntOrPercent;
  /** Undefined: the kind creates no extra units. */
  maxSurge: IntOrPercent | undefined;
  /** Which units are updated first; undefined: the default order alone. */
  priorities: PriorityStrategy | undefined;
  scatter: readonly ScatterTerm[];
}

/** What only a target has that makes its pods itself, one for each of its units, or by children that have its template. */
export interface OwnedPods {
  /** Undefined: the kind selects nothing. */
  selector: LabelSelector | undefined;
  volumeClaimTemplates: readonly JsonObject[];
  /** The replacement of a lost pod reuses its claims. */
  reuseClaims: boolean;
  /** A claim stays when its pod is recreated. False: it is deleted with the pod. */
  claimsOutlivePods: boolean;
  /** Existing claims grow with their templates. */
  growsClaims: boolean;
  /** Whether claims are deleted with the pods that are scaled in or displaced, and with the target. */
  claimsDeleted: { onScaleIn: boolean; withTarget: boolean };
  gracePeriodSeconds: number;
  minReadySeconds: number;
  /** Undefined: progress is not tracked. */
  progressDeadlineSeconds: number | undefined;
  podsToDelete: readonly string[];
  /** Hooks at which its pods wait for other controllers. */
  lifecycle: Lifecycle;
}

/** Nodes, each with a pod that the target makes there; how many there are is not in git. */
export interface NodeUnits {
  of: 'nodes';
  updates: GitUpdates;
  pods: OwnedPods;
  /** How many there are, as kruise.yaml says; undefined: nothing does. */
  shown: number | undefined;
  /** In how many failure domains of one size they are, as kruise.yaml says, or as an example. */
  zones: number;
  /** Only nodes with these labels are updated, whatever a plan says; undefined: every node is. */
  within: LabelSelector | undefined;
}

/** Pods of other owners: none is created or deleted, and how many there are is not in the manifest. */
export interface SelectedUnits {
  of: 'selected';
  updates: GitUpdates;
  /** What a change of the content of a revision does to them: it is not the content of a pod. */
  classify(from: JsonObject, to: JsonObject): Classification;
  /** How many there are, as other manifests show or kruise.yaml says; undefined: nothing does. */
  shown: number | undefined;
  /** Only units with these labels are updated, whatever a plan says; undefined: every unit is. */
  within: LabelSelector | undefined;
  /** How many of them `within` selects; undefined: that is not known. */
  shownWithin: number | undefined;
  /** Which pods these are. */
  selection: PodSelection;
}

/** Something runs once on each node that fits; how many there are is not in git. */
export interface RunUnits {
  of: 'run';
  run: GitRun;
}

/** Something is created at the times of a schedule, which have no end. */
export interface TickUnits {
  of: 'ticks';
  schedule: GitSchedule;
}

/** Pods of other workloads, of which the target makes one for each of its subsets. */
export interface SubsetUnits {
  of: 'subsets';
  /** In the order in which a rollout takes them. */
  list: readonly GitSubset[];
  /** The same with another number of all pods; undefined: the sizes of the subsets do not fit it. */
  listAt(replicas: number): readonly GitSubset[] | undefined;
  /** The workload of a subset. */
  workloadOf(subset: string): GroupKind & { name: string };
  /** The manifest sets the number of all pods together. Otherwise it is the default, and an autoscaler may set it. */
  isWritten: boolean;
  updates: GitUpdates;
  /** The template that the pods of all subsets have in common. */
  podTemplate: JsonObject;
  /** The subsets with a patch that fits it. */
  patched(): readonly PatchedSubset[];
  /** As the template has it of each child. The selector is that of the target. */
  pods: OwnedPods;
  /** How the limits of each of these workloads are counted. */
  inEach: KindLimits['inUnits'];
  /** A child gets its claim templates when it is created, and no others later. */
  keepsClaimTemplates: boolean;
}

/** In how many failure domains nodes are where nothing says how many there are. */
export const ASSUMED_ZONES = 3;

/** How many units a rollout is forecast for where nothing says how many there are. */
const ASSUMED_UNITS = 100;

/** How many units a rollout updates: as git says, or an example. Undefined: no rollout updates them. */
export function rolloutSize(units: GitUnits): number | undefined {
  switch (units.of) {
    case 'replicas':
      return units.n;
    case 'subsets':
      return podsInSubsets(units);
    case 'nodes':
    case 'selected':
      return units.shown ?? ASSUMED_UNITS;
    case 'run':
    case 'ticks':
      return undefined;
  }
}

/** How many pods the manifest itself makes the target have; undefined: it says no number. */
export function wantedReplicas(units: GitUnits): number | undefined {
  switch (units.of) {
    case 'replicas':
      return units.n;
    case 'subsets':
      return podsInSubsets(units);
    case 'nodes':
    case 'selected':
    case 'run':
    case 'ticks':
      return undefined;
  }
}

/** How the units are updated; undefined: none ever is. */
export function updatesOf(units: GitUnits): GitUpdates | undefined {
  switch (units.of) {
    case 'replicas':
    case 'nodes':
    case 'selected':
    case 'subsets':
      return units.updates;
    case 'run':
    case 'ticks':
      return undefined;
  }
}

/** What git knows of the names of the units; undefined: the cluster chooses them. */
export function namedUnits(units: GitUnits): NamedUnits | undefined {
  switch (units.of) {
    case 'replicas':
      return units.names.by === 'manifest' ? units.names : undefined;
    case 'nodes':
    case 'selected':
    case 'run':
    case 'ticks':
    case 'subsets':
      return undefined;
  }
}

/** Whether the type of the strategy updates no unit (`GitUpdates.onDelete`). */
export function updatesNone(units: GitUnits): boolean {
  return updatesOf(units)?.onDelete === true;
}

/** Whether the number of units is only what is known of clusters, and not in the manifest. */
export function areShown(units: GitUnits): units is SelectedUnits | NodeUnits {
  switch (units.of) {
    case 'nodes':
    case 'selected':
      return true;
    case 'replicas':
    case 'run':
    case 'ticks':
    case 'subsets':
      return false;
  }
}

/** What a target has that makes its pods itself, or by children; undefined: it makes none. */
export function ownedPods(units: GitUnits): OwnedPods | undefined {
  switch (units.of) {
    case 'replicas':
    case 'nodes':
    case 'subsets':
      return units.pods;
    case 'selected':
    case 'run':
    case 'ticks':
      return undefined;
  }
}

/** The templates of the claims of its pods; none where it makes no pods that have any. */
export function claimTemplates(units: GitUnits): readonly JsonObject[] {
  return ownedPods(units)?.volumeClaimTemplates ?? [];
}

/** Whether the manifest leaves the number to an autoscaler. */
export function isAutoscaled(units: GitUnits): boolean {
  switch (units.of) {
    case 'replicas':
    case 'subsets':
      return !units.isWritten;
    case 'nodes':
    case 'selected':
    case 'run':
    case 'ticks':
      return false;
  }
}

/** Whether the units are pods of other owners, which the target neither creates nor deletes. */
export function areSelected(units: GitUnits): units is SelectedUnits {
  switch (units.of) {
    case 'selected':
      return true;
    case 'replicas':
    case 'nodes':
    case 'run':
    case 'ticks':
    case 'subsets':
      return false;
  }
}

/** How something runs once on each node: the target itself, or what it creates. Undefined: nothing does. */
export function runOnNodes(units: GitUnits): GitRun | undefined {
  switch (units.of) {
    case 'run':
      return units.run;
    case 'ticks':
      return units.schedule.runs?.run;
    case 'replicas':
    case 'nodes':
    case 'selected':
    case 'subsets':
      return undefined;
  }
}

/** How many pods all subsets have together. */
function podsInSubsets({ list }: SubsetUnits): number {
  return list.reduce((sum, { n }) => sum + n, 0);
}

/** The subsets that a target makes workloads of; undefined: it makes none. */
export function subsetsOf(units: GitUnits): readonly GitSubset[] | undefined {
  switch (units.of) {
    case 'subsets':
      return units.list;
    case 'replicas':
    case 'nodes':
    case 'selected':
    case 'run':
    case 'ticks':
      return undefined;
  }
}

/** Their names; undefined: it has none, or there is no such target. */
export function subsetNames(target: { units: GitUnits } | undefined): string[] | undefined {
  return target && subsetsOf(target.units)?.map(({ name }) => name);
}

/** The subsets with another number of pods; undefined: it makes none, or their sizes do not fit it. */
export function subsetsAt(units: GitUnits, replicas: number): readonly GitSubset[] | undefined {
  return units.of === 'subsets' ? units.listAt(replicas) : undefined;
}
