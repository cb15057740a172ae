import type { KubeObject } from '../../schemas/wire/object.ts';
import { type IntOrPercent, scaleIntOrPercent } from '../values/int-or-percent.ts';

/** Limits of how many units change at once, each as it is written: those of a target, or those that a step of a plan states. */
export interface Window {
  maxUnavailable?: IntOrPercent;
  maxSurge?: IntOrPercent;
  parallelism?: IntOrPercent;
}

export type LimitField = keyof Window;

/** A percentage of all units, such as `25%`, and how its count is rounded. */
export interface RoundedPercent {
  percent: string;
  round: 'up' | 'down';
}

/** A limit at one number of units. */
export interface Limit {
  count: number;
  /** The percentage that the count is; undefined: it was written as a count, or the kind replaces what the percentage is. */
  percent?: RoundedPercent;
}

export type Limits = { [field in LimitField]?: Limit };

/** Which limits a kind reads of its objects, and what else of an object says how its units are taken. All functions are pure. */
export interface KindLimits {
  /**
   * The limits that the kind reads of a manifest, after defaults, as written: all of them and no others. Each update or run step
   * of a plan states exactly these.
   */
  windowFields(manifest: KubeObject): Window;
  /**
   * These limits as counts. Each is rounded as the kind rounds it, and what the kind does where all of them are 0 is included:
   * counts of two windows are compared afterwards.
   */
  inUnits(window: Window, units: number): Limits;
  /** The paths of the fields that say in which order units are taken; a path is of keys. */
  readonly order: readonly (readonly string[])[];
  /** The path in an object of the seconds for which a unit must be ready to be available; undefined: the kind has none. */
  minReadySeconds(object: KubeObject): readonly string[] | undefined;
}

/** The limits of a kind that reads none. */
export const noLimits: KindLimits = {
  windowFields: () => ({}),
  inUnits: () => ({}),
  order: [],
  minReadySeconds: () => undefined,
};

/** A written limit as a count, rounded one way. */
export function limitAt(written: IntOrPercent, units: number, round: 'up' | 'down'): Limit {
  const count = scaleIntOrPercent(written, units, round);
  return typeof written === 'string'
    ? { count, percent: { percent: `${written.replaceAll('%', '')}%`, round } }
    : { count };
}

/**
 * The lower of the target's own limits and those of a window, field by field, at this number of units. Each side is counted
 * by itself: how one limit of a side is rounded may depend on another limit of that side.
 *
 * @param window a field that is missing limits nothing; undefined: only the own limits apply
 */
export function lowerOf(
  { inUnits }: Pick<KindLimits, 'inUnits'>,
  own: Window,
  window: Window | undefined,
  units: number,
): Limits {
  const counted = inUnits(own, units);
  // Most plans state the limits that the target had.
  if (window === undefined || fieldsOf(window).every((field) => window[field] === own[field])) return counted;
  const other = inUnits({ ...own, ...window }, units);
  const lower: Limits = {};
  for (const field of fieldsOf(counted)) {
    const [a, b] = [counted[field], other[field]];
    const least = a !== undefined && b !== undefined ? lowerLimit(a, b) : a;
    if (least !== undefined) lower[field] = least;
  }
  return lower;
}

/** The lower of two; of two that are equal at this number of units, the one that is lower at most others. */
function lowerLimit(own: Limit, other: Limit): Limit {
  if (own.count !== other.count) return own.count < other.count ? own : other;
  const [a, b] = [own, other].map(({ percent }) =>
    percent === undefined ? 0 : Number.parseInt(percent.percent, 10),
  );
  return (b ?? 0) < (a ?? 0) ? other : own;
}

/** The widest of several windows, field by field, as counts at this number of units. */
export function widestOf(
  { inUnits }: Pick<KindLimits, 'inUnits'>,
  windows: readonly Window[],
  units: number,
): Window {
  const widest: Window = {};
  for (const limits of windows.map((window) => inUnits(window, units)))
    for (const field of fieldsOf(limits)) {
      const count = limits[field]?.count ?? 0;
      const before = widest[field];
      if (typeof before !== 'number' || count > before) widest[field] = count;
    }
  return widest;
}

/** The fields that these limits have. */
export function fieldsOf(limits: Limits | Window): LimitField[] {
  return Object.keys(limits) as LimitField[];
}

/** Limits of unavailable and extra units, as the compiler shows them. */
export interface UpdateLimits {
  maxUnavailable: number;
  maxSurge: number;
  /** The percentages that the counts were computed from. A count that was written as one, or is cut off, has none. */
  percents: Partial<Record<'maxUnavailable' | 'maxSurge', RoundedPercent>>;
}

/** How many units may be unavailable, never more than there are, and extra: the lower of the own limits and those of a step. */
export function updateLimits(
  limits: Pick<KindLimits, 'inUnits'>,
  { maxUnavailable, maxSurge }: Pick<Window, 'maxUnavailable' | 'maxSurge'>,
  step: Window | undefined,
  units: number,
): UpdateLimits {
  const own = {
    ...(maxUnavailable !== undefined && { maxUnavailable }),
    ...(maxSurge !== undefined && { maxSurge }),
  };
  const { maxUnavailable: down = { count: 0 }, maxSurge: extra = { count: 0 } } = lowerOf(
    limits,
    own,
    step,
    units,
  );
  const isWhole = down.count <= units;
  return {
    maxUnavailable: isWhole ? down.count : units,
    maxSurge: extra.count,
    percents: {
      ...(isWhole && down.percent !== undefined && { maxUnavailable: down.percent }),
      ...(extra.percent !== undefined && { maxSurge: extra.percent }),
    },
  };
}
