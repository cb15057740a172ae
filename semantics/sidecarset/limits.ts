import { type KindLimits, limitAt } from '../limits/window.ts';
import { normalizeSidecarSet } from './normalize.ts';

const STRATEGY = ['spec', 'updateStrategy'];

/** How many pods of a SidecarSet are updated at once: a percentage of the matched pods rounds up (OpenKruise sidecarset, rule 6.8.3). */
export const sidecarSetLimits: KindLimits = {
  windowFields: (manifest) => ({ maxUnavailable: normalizeSidecarSet(manifest).maxUnavailable }),
  inUnits: ({ maxUnavailable }, pods) =>
    maxUnavailable === undefined ? {} : { maxUnavailable: limitAt(maxUnavailable, pods, 'up') },
  order: [
    [...STRATEGY, 'priorityStrategy'],
    [...STRATEGY, 'scatterStrategy'],
  ],
  minReadySeconds: () => undefined,
};
