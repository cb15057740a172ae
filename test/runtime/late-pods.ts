import type { Clock } from '../../schemas/wire/clock.ts';
import type { Cluster } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';

const { Pod } = resources;

/** A cluster that tells of each change of a pod so much later. */
export const latePods =
  (delayMs: number) =>
  (cluster: Cluster, clock: Clock): Cluster => ({
    ...cluster,
    watch(resource, options, sink) {
      if (resource.plural !== Pod.plural || resource.group !== Pod.group)
        return cluster.watch(resource, options, sink);
      return cluster.watch(resource, options, {
        ...sink,
        onEvent: (event) => void clock.after(delayMs, () => sink.onEvent(event)),
      });
    },
  });
