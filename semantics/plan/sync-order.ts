/**
 * Milliseconds within which the objects of one sync may arrive, in any order: a plan after its manifest or before it, a command
 * before its plan, a child before the record of its creator. Until then what is missing is waited for, and not reported.
 */
export const SYNC_MS = 10_000;
