import type { KubeObject } from '../../schemas/wire/object.ts';
import { type Recorded, recordedOf } from './recorded.ts';
import { type KindLimits, type Limits, lowerOf, type Window, widestOf } from './window.ts';

/** The limits of a target at its live number of units, with the rules of its kind bound to them. */
export interface TargetLimits {
  /** As its manifest has them, after defaults. */
  written: Window;
  /** What is recorded with a plan that is accepted now. */
  recorded(): Recorded;
  /** The lower of its own limits and those of a window; undefined: its own. */
  lower(window: Window | undefined): Limits;
  /** These limits alone. */
  counts(window: Window): Limits;
  /** The widest of these windows, field by field, as counts. */
  widest(windows: readonly Window[]): Window;
}

/**
 * The limits of a target.
 *
 * @param units how many units percentages are of
 */
export function targetLimits(limits: KindLimits, target: KubeObject, units: number): TargetLimits {
  const written = limits.windowFields(target);
  return {
    written,
    recorded: () => recordedOf(limits, target),
    lower: (window) => lowerOf(limits, written, window, units),
    counts: (window) => limits.inUnits(window, units),
    widest: (windows) => widestOf(limits, windows, units),
  };
}
