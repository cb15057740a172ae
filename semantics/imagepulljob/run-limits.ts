import { type KindLimits, limitAt } from '../limits/window.ts';
import { normalizePull } from './normalize.ts';

/** To how many nodes a job pulls at once. */
export const pullLimits: KindLimits = {
  windowFields: (manifest) => ({ parallelism: normalizePull(manifest).parallelism }),
  inUnits: ({ parallelism }, nodes) =>
    parallelism === undefined ? {} : { parallelism: limitAt(parallelism, nodes, 'up') },
  order: [],
  minReadySeconds: () => undefined,
};
