import { describe, expect, test } from 'vitest';
import { createVirtualClock, createWorld, type VirtualClock } from 'kruise-sandbox';
import { ApiError, type Cluster } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { LIFECYCLE_LABEL, type Pod } from '../../semantics/pod/types.ts';
import { availableOf, cloneSet, startRuntime } from './stage.ts';

const NAMESPACE = 'shop';
const START = Date.UTC(2026, 0, 1);

interface Counts {
  podWrites: number;
  conflicts: number;
}

/** Writes arrive late, each after another time: scheduler and kubelets write in between. */
function late(cluster: Cluster, clock: VirtualClock, counts: Counts): Cluster {
  let iteration = 0;
  const written = async <Answer>(plural: string, write: () => Promise<Answer>): Promise<Answer> => {
    if (plural !== 'pods') return write();
    counts.podWrites += 1;
    iteration = (iteration + 37) % 101;
    await new Promise<void>((resolve) => void clock.after(iteration * 20, resolve));
    return write().catch((error: unknown) => {
      if (error instanceof ApiError && error.status.code === 409) counts.conflicts += 1;
      throw error;
    });
  };
  return {
    ...cluster,
    create: (resource, ...rest) => written(resource.plural, () => cluster.create(resource, ...rest)),
    patch: (resource, ...rest) => written(resource.plural, () => cluster.patch(resource, ...rest)),
    delete: (resource, ...rest) => written(resource.plural, () => cluster.delete(resource, ...rest)),
  };
}

describe('a new pod', () => {
  test('takes two writes without a conflict, while scheduler and kubelets write to it', async () => {
    const clock = createVirtualClock(START);
    const world = createWorld({ clock, nodes: 4, namespaces: ['default', NAMESPACE] });
    const counts: Counts = { podWrites: 0, conflicts: 0 };
    const errors: unknown[] = [];
    const runtime = startRuntime(world, clock, errors, {
      policy: 'Auto',
      wrap: (cluster, own) => late(cluster, own, counts),
    });
    const user = world.cluster('user');
    await user.create(resources.CloneSet, cloneSet('web', 'web:1', { replicas: 80 }));
    await clock.advance(120_000);
    const pods = (await user.list(resources.Pod, { namespace: NAMESPACE })).items as Pod[];
    expect(errors).toEqual([]);
    expect(availableOf(pods, clock.now())).toBe(80);
    expect(new Set(pods.map(({ metadata }) => metadata.labels?.[LIFECYCLE_LABEL]))).toEqual(
      new Set(['Normal']),
    );
    expect(counts).toEqual({ podWrites: 160, conflicts: 0 });
    await runtime.stop();
    world.stop();
  });
});
