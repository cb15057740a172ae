import type { Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Action, Decision } from '../decision.ts';
import type { GroupKind } from '../owner.ts';
import type { Envelope } from '../plan/envelope.ts';
import type { CreationBackoff } from '../plan/creation-backoff.ts';
import type { RefusedPod, RolloutView } from '../plan/rollout-view.ts';
import type { NodeLabels } from '../pod/nodes.ts';
import type { Pod } from '../pod/types.ts';
import type { InvalidField, UnsupportedField } from './fields.ts';
import type { GitSide } from './git-side.ts';
import type { Need, Use } from './need.ts';

/**
 * A kind of target, everything that is particular to it: the other rooms know kinds by this interface alone, so that a new
 * kind is a folder and a line in `registered.ts`.
 */
export interface Kind {
  /** Never the bare kind: a StatefulSet of `apps` is not ours. */
  readonly id: GroupKind;
  /** At the version that is read and written here, with its scope. */
  readonly resource: Resource;
  /** The versions that are served; a manifest may be written in any of them. */
  readonly versions: readonly string[];
  /** What is to be watched for a target, beside itself and its revisions. `revisions`: its ControllerRevisions so far. */
  needs(target: KubeObject, revisions: readonly KubeObject[]): readonly Need[];
  /** All that `needs` may ask for, of whatever target: the rights that the kind takes follow from it. */
  readonly uses: readonly Use[];
  /** Fields that no target may have so. The compiler reports them; in the cluster such a target is InvalidTarget. */
  validate(target: KubeObject): readonly InvalidField[];
  /** Fields of rules that are not executed: not planned, and in the cluster such a target is not touched. */
  unsupported(target: KubeObject): readonly UnsupportedField[];
  readonly work: Work;
  /** How the compiler reads it. */
  readonly git: GitSide;
  readonly words: Words;
}

/** What a target does, by shape. `Run` and `Standing` are further members, with kinds that have no revisions to step through. */
export type Work = Rollout;

/** A template with revisions: a plan bounds how many units may be on the new one. */
export interface Rollout {
  shape: 'Rollout';
  /** Reads the objects once; the rules of the kind are bound to the snapshot. Pure. */
  observe(objects: ObservedObjects): RolloutSnapshot;
}

/** Everything of a target that its rules read: objects as last seen, at one moment. */
export interface ObservedObjects {
  target: KubeObject;
  /** Pods that the target controls (`isOwnedBy`), or that it selects where it needs `SelectedPods`. */
  pods: readonly Pod[];
  /** ControllerRevisions that it controls and that hold a template. */
  revisions: readonly KubeObject[];
  /** Names that turned out to belong to somebody else. */
  takenNames: ReadonlySet<string>;
  /** Left out where nobody knows of nodes. */
  nodes?: NodeLabels;
  /** PersistentVolumeClaims that it controls; needed where its needs say `Claims`. */
  claims?: readonly KubeObject[];
  /** The objects of other kinds that it controls; needed where its needs say `Children`. */
  children?: readonly KubeObject[];
  /** Of the objects that it names, those that there are; needed where its needs say `Config`. */
  configs?: readonly KubeObject[];
  /** Every node, down to labels, taints and conditions; needed where its needs say that its units are placed on nodes. */
  placement?: readonly KubeObject[];
  /** Milliseconds since 1970. */
  now: number;
}

/** One target at one moment, with the rules of its kind bound to it. All of it is pure. */
export interface RolloutSnapshot {
  /** The target as the plan's rules see it. */
  rollout: RolloutView;
  /** It has pods, and nothing on record says that they were made or taken over here. */
  isForeign: boolean;
  /** What must be on record before anything else is decided; when not empty, nothing else is. */
  revise(): Action[];
  /** The writes that make `hash` the stable revision. */
  complete(hash: string, held: { hash: string; n: number } | undefined): Action[];
  decide(
    envelope: Envelope,
    held: { reason: string; message: string } | undefined,
    keep: ReadonlySet<string>,
    refused?: RefusedPod,
    creationBackoff?: CreationBackoff,
  ): Decision<object>;
}

/** What people call the units that a plan counts. */
export interface Words {
  unit: string;
  units: string;
}
