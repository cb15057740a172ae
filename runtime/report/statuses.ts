import type { Clock } from '../../schemas/wire/clock.ts';
import type { Cluster, Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { Advance } from '../../semantics/plan/advance.ts';
import type { Accepted } from '../../semantics/plan/memory.ts';
import { planStatus } from '../../semantics/plan/plan-status.ts';
import type { PlanObject, RolloutView } from '../../semantics/plan/rollout-view.ts';
import type { OwnWrites } from '../act/versions.ts';
import type { TargetKey } from '../observe/target-key.ts';
import { writeStatus } from './status.ts';

/** The statuses that a reconcile writes, each noted among our own writes. */
export interface Statuses {
  /** Whether there was something to write, and it was written. */
  write(key: TargetKey, resource: Resource, of: KubeObject, status: object): Promise<boolean>;
  /** The status of each plan object of a target. */
  writePlans(
    key: TargetKey,
    objects: readonly { object: KubeObject; plan: PlanObject }[],
    about: { view: RolloutView; memory: readonly Accepted[]; result: Advance },
  ): Promise<void>;
}

export function createStatuses(options: {
  cluster: Cluster;
  clock: Clock;
  own: OwnWrites<TargetKey>;
  fieldManager: string;
}): Statuses {
  const { cluster, clock, own, fieldManager } = options;

  async function write(key: TargetKey, resource: Resource, of: KubeObject, status: object): Promise<boolean> {
    const stored = await writeStatus(cluster, resource, of, status, fieldManager);
    own.note(key, resource, stored);
    return stored !== undefined;
  }

  return {
    write,
    async writePlans(key, objects, about) {
      for (const { object, plan } of objects) {
        const status = planStatus({
          ...about,
          plan,
          before: object['status'] as Parameters<typeof planStatus>[0]['before'],
          generation: object.metadata.generation ?? 0,
          now: clock.now(),
        });
        await write(key, resources.RolloutPlan, object, status);
      }
    },
  };
}
