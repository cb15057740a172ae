import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { type Need, needOf } from '../../semantics/kinds/need.ts';
import type { Shown } from './needed.ts';
import { partialMetadata } from './partial-metadata.ts';
import type { Enqueue } from './scheduler.ts';
import type { Sources } from './sources.ts';
import type { TargetKey } from './target-key.ts';

/** The PodDisruptionBudgets, watched from the first target on that changes pods of others. */
export interface DisruptionBudgets {
  /** Sets the needs of a target. */
  need(key: TargetKey, needs: readonly Need[]): void;
  shown(): Shown<readonly KubeObject[]>;
}

/** @param enqueueAll enqueues all targets */
export function createDisruptionBudgets(options: {
  sources: Pick<Sources, 'onDemand'>;
  enqueue: Enqueue<TargetKey>;
  enqueueAll(): void;
}): DisruptionBudgets {
  const needing = new Set<TargetKey>();
  const budgets = options.sources.onDemand(
    resources.PodDisruptionBudget,
    {
      transform: narrow,
      onChange() {
        for (const key of needing) options.enqueue(key);
      },
    },
    options.enqueueAll,
  );
  return {
    need(key, needs) {
      if (needOf(needs, 'Disruption') === undefined) needing.delete(key);
      else needing.add(key);
    },
    shown() {
      const { state } = budgets;
      if (state === 'known') return [...budgets.started().values()];
      return state === 'pending' ? undefined : state;
    },
  };
}

/** A budget reduced to what the rules read. */
function narrow({ apiVersion, kind, metadata, ...rest }: KubeObject): KubeObject {
  const { generation } = metadata;
  return {
    apiVersion,
    kind,
    metadata: { ...partialMetadata(metadata), ...(generation === undefined ? {} : { generation }) },
    spec: rest['spec'] ?? {},
    status: rest['status'] ?? {},
  };
}
