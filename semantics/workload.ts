import type { Resource } from '../schemas/wire/cluster.ts';
import type { KubeObject } from '../schemas/wire/object.ts';
import { clonesetKind } from './cloneset/kind.ts';
import type { Action, Decision } from './decision.ts';
import type { GroupKind } from './owner.ts';
import type { Envelope } from './plan/envelope.ts';
import type { Losses } from './plan/losses.ts';
import type { RefusedPod, RolloutView } from './plan/rollout-view.ts';
import type { NodeLabels } from './pod/nodes.ts';
import type { Pod } from './pod/types.ts';

/** Everything of a target that a look needs: objects as last seen, at one moment. */
export interface LookInput {
  target: KubeObject;
  /** Pods that the target controls (`isOwnedBy`). */
  pods: readonly Pod[];
  /** ControllerRevisions that it controls and that hold a template. */
  revisions: readonly KubeObject[];
  /** Names that turned out to belong to somebody else. */
  takenNames: ReadonlySet<string>;
  /** Left out where nobody knows of nodes. */
  nodes?: NodeLabels;
  /** PersistentVolumeClaims that it controls; needed where `hasClaims` says so. */
  claims?: readonly KubeObject[];
  now: number;
}

/** One target at one moment, with the rules of its kind bound to it. All of it is pure. */
export interface Look {
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
    losses?: Losses,
  ): Decision<object>;
}

/** A kind whose roll-out these semantics execute. A new kind is a folder and a line in the registry below. */
export interface WorkloadKind {
  resource: Resource;
  /** Whether pods of the target have claims of their own: a look at it needs them. */
  hasClaims(target: KubeObject, revisions: readonly KubeObject[]): boolean;
  /** Whether its pods are spread by labels of nodes: without a look at nodes some are scaled in that should stay. */
  spreadsByLabels(target: KubeObject): boolean;
  look(input: LookInput): Look;
}

const registered: readonly WorkloadKind[] = [clonesetKind];

/** Every kind whose roll-outs are executed, sorted by group and kind. */
export const workloads: readonly WorkloadKind[] = registered.toSorted(byGroupAndKind);

/** Undefined: no rules are there for it. */
export function workloadOf({ group, kind }: GroupKind): WorkloadKind | undefined {
  return workloads.find(({ resource }) => resource.group === group && resource.kind === kind);
}

function byGroupAndKind(a: WorkloadKind, b: WorkloadKind): number {
  const text = ({ resource: { group, kind } }: WorkloadKind): string => `${group} ${kind}`;
  return text(a) < text(b) ? -1 : 1;
}
