import { claimCodes } from './claim-codes.ts';
import { configCodes } from './config-codes.ts';
import { loadCodes } from './load-codes.ts';
import { manifestCodes } from './manifest-codes.ts';
import { planCodes } from './plan-codes.ts';

/** Every diagnostic there is. A code is never given a second meaning. */
export const registry = {
  ...loadCodes,
  ...manifestCodes,
  ...claimCodes,
  ...planCodes,
  ...configCodes,
} as const;

export type Code = keyof typeof registry;

/** The values that the sentences of a code need. */
export type Args<C extends Code> = Parameters<(typeof registry)[C]['message']>[0];

export function isCode(text: string): text is Code {
  return Object.hasOwn(registry, text);
}
