import type { Change } from '../plan/change.ts';
import { type Forecast, forecastOf } from './forecast.ts';
import { type NewPodsForecast, newPodsForecastOf } from './new-pods-forecast.ts';
import { type RunForecast, runForecastOf } from './run-forecast.ts';
import { type TickForecast, tickForecastOf } from './tick-forecast.ts';

/** What a plan will do, by what its steps count. */
export type Prediction =
  | { of: 'updates'; forecast: Forecast }
  | { of: 'run'; forecast: RunForecast }
  | { of: 'ticks'; forecast: TickForecast }
  | { of: 'newPods'; forecast: NewPodsForecast };

/** The forecast of a change; undefined: it has no plan, or none can be made. */
export function predictionOf(change: Change): Prediction | undefined {
  const run = runForecastOf(change);
  if (run !== undefined) return { of: 'run', forecast: run };
  const ticks = tickForecastOf(change);
  if (ticks !== undefined) return { of: 'ticks', forecast: ticks };
  const newPods = newPodsForecastOf(change);
  if (newPods !== undefined) return { of: 'newPods', forecast: newPods };
  const updates = forecastOf(change);
  return updates && { of: 'updates', forecast: updates };
}
