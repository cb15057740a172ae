import type { Resource } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Action, Decision } from '../decision.ts';
import type { GroupKind } from '../owner.ts';
import type { Influences, Influence } from '../influence/influence.ts';
import type { Envelope } from '../plan/envelope.ts';
import type { OwnerBudget, PodOwner } from '../limits/pod-owners.ts';
import type { KindLimits } from '../limits/window.ts';
import type { CreationBackoff } from '../plan/creation-backoff.ts';
import type { RefusedPod, RolloutContext } from '../plan/rollout-context.ts';
import type { RolloutView } from '../plan/rollout-view.ts';
import type { Shape } from '../plan/step.ts';
import type { RetainedUnits } from '../revision/revision.ts';
import type { PodSelection } from '../values/pod-selection.ts';
import type { PodOnNode } from '../node/pod-on-node.ts';
import type { NodeLabels } from '../pod/nodes.ts';
import type { Pod } from '../pod/types.ts';
import type { Admission } from './admission.ts';
import type { KindFacts, StandingFacts } from './facts.ts';
import type { InvalidField, UnsupportedField } from '../fields/problems.ts';
import type { GitSide } from './git-side.ts';
import type { Lowering } from './lowering.ts';
import type { Need, Use } from './need.ts';
import type { StandingGit } from './standing-git.ts';

/**
 * Everything that is particular to a kind of target. The other rooms know kinds by this type alone, so that a new kind is a
 * folder, and a line in `registered.ts`.
 */
export type Kind = PlannedKind | StandingKind;

/** What every kind has. */
export interface KindBase {
  /** Group and kind: Kubernetes has kinds of the same name in a group of its own, and those are not managed. */
  readonly id: GroupKind;
  /** The resource, in the version that the runtime reads and writes, with its scope. */
  readonly resource: Resource;
  /** The versions that are served; a manifest may be written in any of them. */
  readonly versions: readonly string[];
  /**
   * What must be watched for a target, beyond itself and its revisions.
   *
   * @param revisions its present ControllerRevisions
   * @param selected the pods that it selects, as far as they are known: objects that these name may be needed as `Config`
   */
  needs(target: KubeObject, revisions: readonly KubeObject[], selected: readonly Pod[]): readonly Need[];
  /** Everything that `needs` may return for any target. The RBAC rules of the kind follow from it. */
  readonly uses: readonly Use[];
  /**
   * Paths to the templates of pods in a target, of which some may be absent. Policies read the service accounts there; none of a
   * kind whose targets name none.
   */
  readonly podTemplates: readonly (readonly string[])[];
  /** A target that is over may be deleted (an action on `Target`): it has a time to live. */
  readonly expires: boolean;
  /** What its objects decide about pods of any owner before they are created, changed or deleted. Undefined: nothing. */
  readonly admission: Admission | undefined;
  /** What its objects do to what others decide about their pods; undefined: nothing. */
  readonly influence: Influence | undefined;
  /** What its objects become that are compiled to kinds of Kubernetes. */
  readonly lowering: Lowering;
  /** Invalid fields. The compiler reports them; in the cluster such a target is held as InvalidTarget. */
  validate(target: KubeObject): readonly InvalidField[];
  /** Fields that need rules which are not executed. Such a target is not planned, and not changed in the cluster. */
  unsupported(target: KubeObject): readonly UnsupportedField[];
}

/** A kind whose targets change under plans. */
export interface PlannedKind extends KindBase {
  /** What a plan limits. Of a `Run`, `rollout.run` is set in each snapshot. */
  readonly shape: Shape;
  /** Its units are children of subsets, which steps may name. */
  readonly subsets?: true;
  /** Reads the objects once, and binds the rules of the kind to them. Pure. */
  observe(objects: ObservedObjects): RolloutSnapshot;
  /**
   * How many of its pods may be unavailable, for others that change them. Undefined: the kind has no rule for that, and what holds
   * for any controller applies.
   *
   * @param window that of the active plan
   */
  budget(target: KubeObject, window: Envelope['window']): OwnerBudget | undefined;
  /** How the compiler reads manifests. */
  readonly git: GitSide;
  /** How many of its units change at once, in git and in the cluster. */
  readonly limits: KindLimits;
  readonly facts: KindFacts;
}

/** A kind whose targets are reconciled at once: there is nothing to step through, so that they have no plan and no revisions. */
export interface StandingKind extends KindBase {
  readonly shape: 'Standing';
  /** Reads the objects once, and binds the rules of the kind to them. Pure. */
  observe(objects: ObservedObjects): StandingSnapshot;
  /** How the compiler compares manifests. */
  readonly git: StandingGit;
  readonly facts: StandingFacts;
  /**
   * The rules of those of its targets whose own annotation asks for a plan (`asksForPlan`): same group, kind and versions. Undefined:
   * none does, as there is nothing to step through.
   */
  readonly underPlan: PlannedKind | undefined;
}

/** Whether plans are made for a kind. */
export function isPlanned(kind: Kind): kind is PlannedKind {
  return kind.shape !== 'Standing';
}

/** The kind of targets that plans may be about; undefined: it has none. */
export function planRulesOf(kind: Kind): PlannedKind | undefined {
  return isPlanned(kind) ? kind : kind.underPlan;
}

/** Everything that the rules read of a target: objects as observed at one time. */
export interface ObservedObjects {
  target: KubeObject;
  /** Pods that the target controls (`isOwnedBy`), or that it selects where it needs `SelectedPods`. */
  pods: readonly Pod[];
  /** What the target adopts; present if its needs include `Orphans`. */
  orphans?: Orphans;
  /** ControllerRevisions that the target controls and that hold a template. */
  revisions: readonly KubeObject[];
  /** Names that other objects were found to have of late. */
  takenNames: ReadonlySet<string>;
  /** Undefined where nodes are unknown, as in a forecast. */
  nodes?: NodeLabels;
  /** The PersistentVolumeClaims of the target; present if its needs include `Claims`. */
  claims?: readonly KubeObject[];
  /** Objects of other kinds that the target controls; present if its needs include `Children`. */
  children?: readonly KubeObject[];
  /** The objects that the target names, as far as they exist; present if its needs include `Config`. */
  configs?: readonly KubeObject[];
  /** False: what its needs `Latest` name could not be read, and is as it was observed. Default: it was. */
  isLatest?: boolean;
  /** The target that this one names as its controller, if it exists; present if its needs include `Creator`. */
  creator?: Creator;
  /**
   * Namespaces where an object of another owner has the name of a copy (`isCopy`), and when that was last seen, milliseconds since
   * 1970. Default: none is known.
   */
  occupied?: ReadonlyMap<string, number>;
  /** Writes of copies that the server refuses, as long as they are wanted. Default: none. */
  refusedCopies?: readonly RefusedCopy[];
  /**
   * Namespaces where somebody deletes or changes the copy again and again, and when it may be written next, milliseconds since 1970.
   * Default: none.
   */
  deferredCopies?: ReadonlyMap<string, number>;
  /** Names of pods of its namespace whose change the server refuses, as long as it is wanted. Default: none. */
  refusedPods?: ReadonlySet<string>;
  /** The last reconcile has ended in an error. Default: it has not. */
  hasFailed?: boolean;
  /** Those of its children that are too large to be compared. Default: none. */
  largeChildren?: ReadonlySet<KubeObject>;
  /** Every node, as far as `Node` (semantics/node) has it; present if its needs include `Nodes` for `Placement`. */
  placement?: readonly KubeObject[];
  /** Pods of any owner that are assigned to a node; present if its needs include `PodsOnNodes`. */
  podsOnNodes?: readonly PodOnNode[];
  /**
   * Namespaces with their labels: those whose pods a cluster-scoped target selects if its needs include `SelectedPods`, and every one
   * if they include `Namespaces`.
   */
  namespaces?: readonly KubeObject[];
  /** ControllerRevisions without owner that hold the runs of the target; present if its needs include `Runs`. */
  runs?: readonly KubeObject[];
  /** The owners of the selected pods that this runtime manages; present if its needs include `Disruption`. */
  owners?: readonly PodOwner[];
  /**
   * PodDisruptionBudgets: all of people and other controllers if its needs include `Disruption`, those of its namespace if they include
   * `Guards`.
   */
  disruptionBudgets?: readonly KubeObject[];
  /** The objects of kinds that influence others in the namespaces of its pods. Default: there are none. */
  influences?: Influences;
  /** The other targets of its kind that name the same pod (`podName`). Default: there are none. */
  siblings?: readonly KubeObject[];
  /** The pods of its namespace that targets of its kind name, its own among them. Default: none. */
  named?: readonly Pod[];
  /** The pods of the target that only pull images, which are not among its pods; present if its needs include `OwnedPods`. */
  pulls?: ObservedPulls;
  /**
   * Uids of pods that another target has decided to write, which the pods here do not show yet. They count as unavailable.
   * Default: none.
   */
  reserved?: ReadonlySet<string>;
  /** Since when all of this is watched without a gap, milliseconds since 1970. Default: always. */
  watchedSince?: number;
  /** False: the server does not serve `pods/resize`, or not to this runtime. Default: it does. */
  canResize?: boolean;
  /** Whether signals may be sent to containers: the component for it is on. Default: it is off. */
  mayExec?: boolean;
  /** Milliseconds since 1970. */
  now: number;
}

/** The pods of a target that only pull images. */
export interface ObservedPulls {
  pods: readonly Pod[];
  /** Nodes on which pods of other targets pull. Default: there are none. */
  busy?: ReadonlySet<string>;
  /** The server refuses to create one. Default: it does not. */
  isRefused?: boolean;
}

/** A write of a copy that the server refused. */
export interface RefusedCopy {
  namespace: string;
  what: 'create' | 'patch' | 'delete';
  /** The server's message. */
  message: string;
}

/** A target that has created another one. */
export interface Creator {
  target: KubeObject;
  /** Its ControllerRevisions. */
  revisions: readonly KubeObject[];
}

/** Objects without controller that the need `Orphans` of a target describes. None of them is being deleted. */
export interface Orphans {
  pods: readonly Pod[];
  /** Those in the namespace that match the selector. */
  revisions: readonly KubeObject[];
}

/** One target at one time, with the rules of its kind. All functions are pure. */
export interface RolloutSnapshot {
  /** What the rules of plans read of the target. */
  rollout: RolloutView;
  /** The target has pods, and no record shows that this runtime created or adopted them. */
  isForeign: boolean;
  /** The writes of revisions that must be done first. If there are any, nothing else is decided in this reconcile. */
  revise(): Action[];
  /**
   * The writes that make `hash` the stable revision, or that record that a run is complete. `retained`: the pods that a bound
   * keeps on another one. `attempt`: of a run, the one that is complete; default 1. `selection`: of pods of others, which may get it
   * again.
   */
  complete(
    hash: string,
    retained: RetainedUnits | undefined,
    attempt?: number,
    selection?: PodSelection,
  ): Action[];
  decide(
    envelope: Envelope,
    held: { reason: string; message: string } | undefined,
    keep: ReadonlySet<string>,
    refusals?: readonly RefusedPod[],
    creationBackoff?: CreationBackoff,
    lastRefused?: RolloutContext['lastRefused'],
  ): Decision<object>;
}

/** What is done for a target that no rule executes. */
export interface WhileHeld {
  readonly actions: readonly Action[];
  /** When there may be more, milliseconds since 1970; undefined: when something changes. */
  readonly again: number | undefined;
  /** The fields of its status that do not stay as they were. */
  readonly status: JsonObject;
}

/** Nothing is. */
export const NOTHING_WHILE_HELD: WhileHeld = { actions: [], again: undefined, status: {} };

/** One target of a kind without plans at one time. All functions are pure. */
export interface StandingSnapshot {
  /** Invalid fields, where they are observed: the target is held. */
  invalid: readonly InvalidField[];
  /** Fields that need rules which are not executed: the target is held. */
  unsupported: readonly UnsupportedField[];
  /** `held`: why a write of the target is refused, for its condition. */
  decide(held: { reason: string; message: string } | undefined): Decision<object>;
  /** What pods need although the target is held because no rule executes it. */
  whileHeld(): WhileHeld;
  /** What is still to be undone before the target goes, which is being deleted. Nothing: `[]`. */
  release(): readonly Action[];
}
