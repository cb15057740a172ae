import { buildCodes } from './build-codes.ts';
import { changeCodes } from './change-codes.ts';
import { claimCodes } from './claim-codes.ts';
import { committedCodes } from './committed-codes.ts';
import { configCodes } from './config-codes.ts';
import { configTargetCodes } from './config-target-codes.ts';
import { handoverCodes } from './handover-codes.ts';
import { inPlaceCodes } from './in-place-codes.ts';
import { injectorCodes } from './injector-codes.ts';
import { loadCodes } from './load-codes.ts';
import { manifestCodes } from './manifest-codes.ts';
import { ordinalCodes } from './ordinal-codes.ts';
import { placingCodes } from './placing-codes.ts';
import { planCodes } from './plan-codes.ts';
import { podCodes } from './pod-codes.ts';
import { lifecycleCodes } from './lifecycle-codes.ts';
import { protectionCodes } from './protection-codes.ts';
import { runCodes } from './run-codes.ts';
import { schemaCodes } from './schema-codes.ts';
import { yamlCodes } from './yaml-codes.ts';

/** All diagnostics. A code never changes its meaning. */
export const registry = {
  ...loadCodes,
  ...yamlCodes,
  ...schemaCodes,
  ...manifestCodes,
  ...changeCodes,
  ...claimCodes,
  ...ordinalCodes,
  ...handoverCodes,
  ...lifecycleCodes,
  ...inPlaceCodes,
  ...runCodes,
  ...injectorCodes,
  ...podCodes,
  ...protectionCodes,
  ...placingCodes,
  ...buildCodes,
  ...planCodes,
  ...committedCodes,
  ...configCodes,
  ...configTargetCodes,
} as const;

export type Code = keyof typeof registry;

/** The values that the messages of a code need. */
export type Args<C extends Code> = Parameters<(typeof registry)[C]['message']>[0];

export function isCode(text: string): text is Code {
  return Object.hasOwn(registry, text);
}
