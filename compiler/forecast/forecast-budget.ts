import type { Change } from '../plan/change.ts';

/** What the forecasts of one run may cost together. */
export interface ForecastBudget {
  /** Whether that of a change may still be made. */
  affords(change: Change): boolean;
  use(change: Change): void;
}

/** @param costOf what the forecast of a change costs, of `most` for all */
export function forecastBudget(most: number, costOf: (change: Change) => number): ForecastBudget {
  let remaining = most;
  return {
    affords: (change) => costOf(change) <= remaining,
    use: (change) => {
      remaining -= costOf(change);
    },
  };
}
