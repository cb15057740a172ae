import { type KindLimits, limitAt } from '../limits/window.ts';
import { normalizeBroadcastJob } from './normalize.ts';

/** On how many nodes a BroadcastJob runs at once: a percentage of the nodes that fit rounds up (OpenKruise broadcastjob, rule 6.4). */
export const broadcastJobLimits: KindLimits = {
  windowFields: (manifest) => ({ parallelism: normalizeBroadcastJob(manifest).parallelism }),
  inUnits: ({ parallelism }, nodes) =>
    parallelism === undefined ? {} : { parallelism: limitAt(parallelism, nodes, 'up') },
  order: [],
  minReadySeconds: () => undefined,
};
