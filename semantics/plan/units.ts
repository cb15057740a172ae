import type { Condition } from '../../schemas/wire/object.ts';
import type { PodWait } from '../lifecycle/wait.ts';
import type { PodSpec } from '../../schemas/pods/pod.ts';
import type { Policy } from '../policy.ts';
import type { RetainedUnits } from '../revision/revision.ts';
import type { Mode } from '../template/mode.ts';
import type { PodSelection } from '../values/pod-selection.ts';
import type { LabelSelector } from '../values/selector.ts';
import type { PodRow } from './pod-row.ts';

/**
 * What only one sort of unit has. Readers switch over it, so that a further sort is a type error wherever something must be
 * decided about it. What is the same for all is in `RolloutView`.
 */
export type Units = OwnedUnits | NodeUnits | SelectedUnits | RunUnits | TickUnits | ChildUnits;

/** What a target has that makes pods of its template itself. */
export interface OwnPods {
  /** The spec of the pods of the live template. */
  podSpec: PodSpec;
  /** What the target asks to be pulled ahead of an update without a plan; undefined: nothing. */
  preDownload: PreDownload | undefined;
  /** The pods that wait at a lifecycle hook, by name. */
  hookWaits(): readonly PodWait[];
  /** How disruptive an update is if the runtime were allowed to resize containers; undefined: that changes nothing. */
  modeWithResize: ((from: string, to: string) => Mode | undefined) | undefined;
}

/** Pods that the target creates and deletes, as many as its manifest wants. */
export interface OwnedUnits extends OwnPods {
  of: 'owned';
  /** How existing claims grow with their templates; undefined: they do not. */
  growth: ClaimGrowth | undefined;
  /** When a pod is deleted, its volume claims are deleted with it. */
  claimsDeletedWithPods: boolean;
}

/**
 * Nodes, each with a pod that the target makes there. A row is a node that has a pod: its `unit` is the name of the node, and its
 * `labels` are those of the node. Where a node has two pods, as in a surge, its row is that of the younger one, and is
 * `available` only when the older one is gone.
 */
export interface NodeUnits extends OwnPods {
  of: 'nodes';
  /** When each Node object was created, whether it counts or not, by the clock of the server: milliseconds since 1970. */
  joins: readonly number[];
  /** The same of those that a selector selects. */
  joinsWith(selector: LabelSelector): readonly number[];
  /** The nodes that count (`replicas`), by name: those that are to have a pod, and those that still have one. */
  nodes: ReadonlyMap<string, CountedNode>;
  /**
   * How many Ready nodes have no pod, and are to have one of this revision.
   *
   * @param isOut a test of names of nodes that do not count
   */
  missingAt(hash: string, isOut: (name: string) => boolean): number;
  /** How many nodes, Ready or not, have no pod, and are to have one of this revision once they are Ready. */
  lackingAt(hash: string): number;
  /** The revisions of the pods that bounds had left when the target was last complete on a revision, as of `SelectedUnits`. */
  leftAt(hash: string): readonly string[];
  /** Whether a node has been Ready for so long that what is not available there now is so for another reason than its outage. */
  hasRecovered(name: string): boolean;
}

/** A node that counts. */
export interface CountedNode {
  /** Its condition Ready is True. */
  isReady: boolean;
  /** Of the Node object. */
  labels: Readonly<Record<string, string>>;
  /** When its Node object was created, by the clock of the server: milliseconds since 1970. */
  joinedAt: number;
  /** A pod of the live revision may be created there, or its pod may be updated to it in place. False: it can only lose its pod. */
  canTake: boolean;
}

/** What a target has that makes its pods itself; undefined: it does not. */
export function ownPods(units: Units): OwnPods | undefined {
  switch (units.of) {
    case 'owned':
    case 'nodes':
      return units;
    case 'selected':
    case 'run':
    case 'ticks':
    case 'children':
      return undefined;
  }
}

/** Whether the unit of a row is a node that is not Ready: its pod proves nothing, and nothing can be done about it. */
export function isNodeLost({ units }: { units: Units }, { unit }: Pick<PodRow, 'unit'>): boolean {
  return units.of === 'nodes' && units.nodes.get(unit)?.isReady === false;
}

/** Pods that others create and delete: the target changes them, and gives new ones a revision. */
export interface SelectedUnits {
  of: 'selected';
  /** The only new pods that get the revision of its last plan; others get an earlier one. Undefined: all get it. */
  newPodsWithin: LabelSelector | undefined;
  /** The pods that the manifest selects. */
  live: PodSelection;
  /** The condition that says what new pods get while no revision is stable. */
  unrecorded(policy: Policy): Condition;
  /** The pods that may get the stable revision; undefined: nothing is on record. */
  recorded: PodSelection | undefined;
  /**
   * The revisions of the pods that bounds had left when the target was last complete on a revision: a bound tells pods apart by
   * their labels, so that there may be several.
   */
  leftAt(hash: string): readonly string[];
  /**
   * Further pods, that have no way to the live revision, or that the manifest selects and no record does. They stay as they are while no
   * rollout goes back. `wayTo`: those of them that can go to a revision.
   */
  outdated: { count: number; wayTo(hash: string): readonly PodRow[] };
  /** How many pods have nothing of what the target gives to new ones. */
  missed: number;
  /** The pods that no write can take to a revision, whatever the manifest is at, by uid: a way back does not wait for them. */
  unwritableTo(hash: string): ReadonlySet<string>;
  /** The pods that no rollout can take, and the first of them, where a plan cannot succeed without so many; undefined: it may. */
  tooManyLeftOut: { count: number; first: string } | undefined;
  /**
   * Why no pod may be updated to a revision now, as a clause: limits of others allow no more unavailable pods. Undefined: they
   * allow it.
   *
   * @param selector of the plan: no other pod is updated; undefined: any may be
   */
  limitedBy(to: string, selector: LabelSelector | undefined): string | undefined;
  /** What keeps the next pods from a revision, as a clause that names one of them, for a verdict; undefined: nothing is known. */
  blockedBy(to: string, selector: LabelSelector | undefined): string | undefined;
}

/**
 * Times of a schedule, with a row for each that a plan counts. Steps count them, as there is no number of all: `100%` is one
 * more, which makes the revision stable.
 */
export interface TickUnits {
  of: 'ticks';
  /** When the next one begins, milliseconds since 1970, while nothing is under way or due; else undefined. */
  nextAt: number | undefined;
}

/**
 * Workloads that the target creates, of which each makes its part of the pods. What is known of their pods is what the status of
 * each says: the rows of the view are made of these numbers (child-rows.ts).
 */
export interface ChildUnits {
  of: 'children';
  /** In the order in which a rollout takes them. */
  children: readonly ChildRow[];
}

/** One child of a target. Revisions are those of the target, by hash. */
export interface ChildRow {
  name: string;
  /** The name of its subset, by which a step may name it. */
  subset: string;
  /** How many pods it is to have, as the target allocates now. */
  size: number;
  /** `partly`: it can stop with some of its pods updated. `whole`: its pods change all at once, as it has no partition. */
  steps: 'partly' | 'whole';
  /** Its pods by revision, the one that it is taken to last. Empty: it has none, or does not exist. */
  pods: readonly ChildPods[];
  /** What its object lets it do; undefined: it does not exist, or somebody else has changed it. */
  given: GivenPart | undefined;
  /** Its status is about its present spec. */
  isObserved: boolean;
  /** What it says of pods that fail on the revision that it is given; undefined: nothing. */
  failing: FailingPods | undefined;
  /** The pods of it that a bound has left elsewhere when the stable revision became so; undefined: none. */
  left: RetainedUnits | undefined;
}

/** Pods of a child that fail. */
export interface FailingPods {
  pods: number;
  /** Which these are, and why, as a clause. */
  message: string;
}

/** How many pods of a child may be on a revision. */
export interface GivenPart {
  goal: string;
  allowed: number;
  /** As many as it may have been allowed before: it may be following that until it has observed its present spec. */
  atMost: number;
}

/** Pods of a child on one revision. */
export interface ChildPods {
  hash: string;
  count: number;
  /** How many of them are available. */
  available: number;
}

/** How existing claims grow with their templates. */
export interface ClaimGrowth {
  /** Identifies the sizes that they grow to. */
  hash: string;
  /** The units with claims that have not grown to them yet. */
  pending: ReadonlySet<string>;
}

/** How the claims of a target grow; undefined: they do not, or its units have none. */
export function growthOf({ units }: { units: Units }): ClaimGrowth | undefined {
  return units.of === 'owned' ? units.growth : undefined;
}

/** Something is executed once on each unit. The rows are those of the units that it was started on; all else is of the live run. */
export interface RunUnits {
  of: 'run';
  /** The runs on record, by hash: the attempt that is complete; 0: none is. */
  runs: ReadonlyMap<string, number>;
  /** How many units exist, whether it fits there or not. */
  existing: number;
  /** How many units it was started on, whether they still exist or not, and how many of these it has finished on. */
  started: number;
  finished: number;
  /** How many further units it may be started on, whatever a plan says. */
  waiting: number;
  failed: readonly FailedUnit[];
  /** By unit. */
  earlier: readonly EarlierPod[];
  /** It goes on when it has failed on a unit. */
  toleratesFailure: boolean;
  /** It goes on after the plan, on units that join. */
  isEndless: boolean;
  /** What is executed is a pull: the pods that only pull images are those of the run. */
  arePulls: boolean;
  /**
   * The first unit by name that is worse than before its run, and what is worse; undefined: none.
   *
   * @param since units whose state before the run was recorded earlier are not judged, milliseconds since 1970
   * @param tolerated so many restarts of a pod on a unit are no harm
   */
  harm(since: number, tolerated: number): { unit: string; message: string } | undefined;
}

/** A pod of an earlier run that has not ended: it holds its unit, and counts against the parallelism. */
export interface EarlierPod {
  unit: string;
  pod: string;
  /** The name or hash of its run; undefined: it is of no run on record. */
  run: string | undefined;
  isLeaving: boolean;
}

/** A unit on which a run has failed. */
export interface FailedUnit {
  unit: string;
  pod: string;
  uid: string;
  /** Why it failed, as a clause. */
  problem: string;
}

/** Images that are pulled ahead of an update in place, to the nodes of pods that are to be updated. */
export interface PreDownload {
  images: readonly string[];
  /** On how many nodes a pull may be in progress. */
  parallelism: number;
  /** Milliseconds that one attempt may take. */
  attemptMs: number;
  /** It begins once so many updated pods are ready. */
  minUpdatedReady: number;
}
