import { limitAt, type KindLimits } from '../../../semantics/limits/window.ts';
import { specOf } from './spec.ts';

/** How many slots of a fleet change at once. */
export const fleetLimits: KindLimits = {
  windowFields: (target) => ({ maxUnavailable: specOf(target).maxUnavailable }),
  inUnits: ({ maxUnavailable = 1 }, units) => ({ maxUnavailable: limitAt(maxUnavailable, units, 'down') }),
  order: [],
  minReadySeconds: () => undefined,
};
