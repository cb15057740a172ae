import { type KindLimits, limitAt } from '../../../semantics/limits/window.ts';
import { specOf } from './spec.ts';

export const badgeLimits: KindLimits = {
  windowFields: (target) => ({ maxUnavailable: specOf(target).maxUnavailable }),
  inUnits: ({ maxUnavailable = 1 }, pods) => ({ maxUnavailable: limitAt(maxUnavailable, pods, 'up') }),
  order: [],
  minReadySeconds: () => undefined,
};
