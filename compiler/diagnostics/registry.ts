import { claimCodes } from './claim-codes.ts';
import { configCodes } from './config-codes.ts';
import { loadCodes } from './load-codes.ts';
import { manifestCodes } from './manifest-codes.ts';
import { planCodes } from './plan-codes.ts';
import { podCodes } from './pod-codes.ts';

/** All diagnostics. A code never changes its meaning. */
export const registry = {
  ...loadCodes,
  ...manifestCodes,
  ...claimCodes,
  ...podCodes,
  ...planCodes,
  ...configCodes,
} as const;

export type Code = keyof typeof registry;

/** The values that the messages of a code need. */
export type Args<C extends Code> = Parameters<(typeof registry)[C]['message']>[0];

export function isCode(text: string): text is Code {
  return Object.hasOwn(registry, text);
}
