import type { Prediction } from '../forecast/prediction.ts';
import type { Change } from '../plan/change.ts';
import { changeSummary } from './change-summary.ts';
import { newPodsSummary } from './new-pods-summary.ts';
import { runSummary } from './run-summary.ts';
import { tickSummary } from './tick-summary.ts';

/** What a reviewer must know of a change, as short sentences; none: it has no plan. */
export function sentencesOf(change: Change, prediction: Prediction | undefined): readonly string[] {
  switch (prediction?.of) {
    case undefined:
      return [];
    case 'updates':
      return changeSummary(change, prediction.forecast);
    case 'run':
      return runSummary(change, prediction.forecast);
    case 'ticks':
      return tickSummary(change, prediction.forecast);
    case 'newPods':
      return newPodsSummary(change, prediction.forecast);
  }
}
