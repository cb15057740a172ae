import type { Clock } from '../../schemas/wire/clock.ts';
import type { Cluster } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Kind, PlannedKind, StandingKind } from '../../semantics/kinds/kind.ts';
import type { Reservations } from '../act/reservations.ts';
import type { Notices } from '../notify/notices.ts';
import type { Caches } from '../observe/caches.ts';
import type { TargetKey } from '../observe/target-key.ts';
import type { RuntimeOptions } from '../options.ts';
import type { RolloutContexts } from '../plan/rollout-contexts.ts';
import type { States, TargetState } from './state.ts';

export const FIELD_MANAGER = 'kruise';

/** The dependencies of every part of a reconcile. */
export interface ReconcileTools {
  readonly options: RuntimeOptions;
  /** The namespace of the records of cluster-scoped targets. */
  readonly stateNamespace: string;
  /** Rejects writes that this process may not send. */
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly caches: Caches;
  readonly states: States;
  readonly contexts: RolloutContexts;
  /** Undefined: no webhook is configured. */
  readonly notices: Notices | undefined;
  readonly reservations: Reservations;
  /** Enqueues a reconcile of a target, now or after a delay. */
  enqueue(key: TargetKey, delayMs?: number): void;
  /** A reconcile of a target has kept the thread for so long by now, milliseconds. */
  busy(key: TargetKey, ms: number): void;
  /** Yields to other targets after this many objects were processed. */
  yieldAfter(key: TargetKey, objects: number): Promise<void>;
}

/** The target of one reconcile. */
export interface Subject<Of extends Kind = Kind> {
  readonly key: TargetKey;
  readonly kind: Of;
  readonly target: KubeObject;
  readonly state: TargetState;
}

/** One that changes under plans. */
export type PlannedSubject = Subject<PlannedKind>;

/** One that is reconciled at once. */
export type StandingSubject = Subject<StandingKind>;
