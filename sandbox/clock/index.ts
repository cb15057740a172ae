export type { Clock } from '../../schemas/wire/clock.ts';
export { guarded } from './guarded.ts';
export { createTimerQueue, type TimerQueue } from './queue.ts';
export { createClockScope, type ClockScope } from './scope.ts';
export { createVirtualClock, type VirtualClock, type VirtualClockOptions } from './virtual.ts';
export { createWallClock } from './wall.ts';
