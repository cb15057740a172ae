import { PHASES } from '../../semantics/plan/phases.ts';

/** The phases by which targets are chosen: those of plans, and what the table of `kruise status` shows in their place. */
export const PHASE_NAMES = [...PHASES, 'Paused', 'Held', 'NoPlan'] as const;
