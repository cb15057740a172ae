import type { Clock } from '../../schemas/wire/clock.ts';
import type { Cluster } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import type { Caches } from '../observe/caches.ts';
import type { TargetKey } from '../observe/target-key.ts';
import type { RuntimeOptions } from '../options.ts';
import type { RolloutContexts } from '../plan/rollout-contexts.ts';
import type { States, TargetState } from './state.ts';

export const FIELD_MANAGER = 'kruise';

/** What every part of a pass works with. */
export interface ReconcileTools {
  readonly options: RuntimeOptions;
  /** Where what targets in no namespace remember is. */
  readonly stateNamespace: string;
  /** Writes are sent as long as this process may write. */
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly caches: Caches;
  readonly states: States;
  readonly contexts: RolloutContexts;
  /** Asks for a pass over a target, then or so much later. */
  enqueue(key: TargetKey, delayMs?: number): void;
  /** Lets others have their turn after so many objects were gone over. */
  yieldAfter(key: TargetKey, objects: number): Promise<void>;
}

/** The target of one pass. */
export interface Subject {
  readonly key: TargetKey;
  readonly kind: Kind;
  readonly target: KubeObject;
  readonly state: TargetState;
}
