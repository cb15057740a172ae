export { crashing, type Fate } from './crash.ts';
export { failing } from './fail.ts';
export { callText, intercepting, isWrite, type Between, type Call } from './intercept.ts';
export { coalesced, delayed } from './watches.ts';
