import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Node } from '../node/node.ts';
import type { Pod } from '../pod/types.ts';
import type { PlanObject } from './plan-object.ts';
import type { CreationBackoff } from './creation-backoff.ts';

/** What a rollout needs to know beyond its target. */
export interface RolloutContext {
  /** Nodes by name; empty unless a check needs them. */
  nodes: { get(name: string): NodeRow | undefined };
  /** The last result of the named check that a step waits for. */
  check: CheckResult | undefined;
  /** Refused writes of pods, as long as they are still wanted: the creates, one for each revision, before the first other. */
  refusals: readonly RefusedPod[];
  /** When the create of this name was last refused, as a number that grows; 0: it was not. */
  lastRefused(name: string): number;
  /** Pods or revisions that were repeatedly lost just after their creation; undefined: none. */
  creationBackoff: CreationBackoff | undefined;
  /** What a pull of images to nodes needs to know. */
  pulls: PullContext;
  /** Why no further plan may start now; undefined: a queue slot is free. */
  queued: string | undefined;
  /** What a plan waits for among the targets that it comes after, as a sentence; undefined: nothing. */
  predecessor(plan: PlanObject): string | undefined;
}

/** What the checks read of a node. */
export interface NodeRow {
  /** Status of each of its conditions, by type. */
  conditions: Readonly<Record<string, string>>;
}

/** A named check of the runtime's configuration whose result a step in progress needs. */
export interface CheckRequest {
  digest: string;
  step: string;
  use: string;
  args: Readonly<Record<string, string>>;
  namespace: string;
}

/** The last result of a named check; `unknown`: it has none, or none that counts yet. */
export interface CheckResult {
  digest: string;
  step: string;
  /** When the check ended, milliseconds since 1970. */
  at: number;
  is: 'pass' | 'fail' | 'unknown';
  value?: number;
  message: string;
}

/** A write of a pod that the API server refused. */
export interface RefusedPod {
  /** `NoCapacity`: a quota is used up, which is temporary. Any other: writes fail until a user changes something. */
  reason: 'NoCapacity' | 'FailedCreate' | 'FailedUpdate' | 'FailedDelete';
  /** The server's message. */
  message: string;
  /** What the server refused of a pod, or the kind of a child. Default: the pod itself. */
  part?: string | undefined;
  /** Its namespace and name, where it exists and is of another owner than the target; undefined: the message names it. */
  pod?: string | undefined;
  /** The revision label of a pod to be created; undefined: the pod exists. */
  revision: string | undefined;
}

/** What a pull of images to nodes needs to know. */
export interface PullContext {
  /** Every node; its first call starts the list. `pending`: it is not complete; `refused`: the message of the server. */
  nodes(): readonly Node[] | 'pending' | { refused: string };
  /** The pods of the target that only pull images. They are none of its units. */
  pods: readonly Pod[];
  /** The target, which controls these pods; undefined: nothing is pulled, as in a forecast. */
  owner: KubeObject | undefined;
  /** The message with which the server refuses these pods; undefined: it refuses none. */
  refused?: string | undefined;
}

/** The context of a target that depends on nothing else. */
export const emptyContext: RolloutContext = {
  nodes: new Map(),
  check: undefined,
  refusals: [],
  lastRefused: () => 0,
  creationBackoff: undefined,
  pulls: { nodes: () => [], pods: [], owner: undefined },
  queued: undefined,
  predecessor: () => undefined,
};
