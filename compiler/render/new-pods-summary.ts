import type { NewPodsForecast } from '../forecast/new-pods-forecast.ts';
import type { Change } from '../plan/change.ts';
import { gateTimesText, settingText } from './change-summary.ts';
import { namesText, settingsOf } from './change-text.ts';
import { selectedText } from './reach-text.ts';

/** What a reviewer must know of a plan that changes no running pod, as short sentences. */
export function newPodsSummary(change: Change, forecast: NewPodsForecast): string[] {
  const { approvals, after, group, onFailure } = forecast;
  const also = settingsOf(change).map(settingText);
  return [
    'Running pods stay as they are, and are counted as behind: restart their owners to have them changed.',
    'A pod that is created gets the change where a step draws it, and else what is stable.',
    'A webhook must inject it: pods that it misses get neither.',
    ...(change.reach === undefined ? [] : selectedText(change.reach)),
    ...(after.length === 0
      ? []
      : [`It starts only after ${namesText(after)} ${after.length === 1 ? 'is' : 'are'} settled.`]),
    ...(group === undefined ? [] : [`In the rollout queue it belongs to group ${group}.`]),
    `A new pod that restarts, or does not become available, ${onFailure === 'Revert' ? 'ends it' : 'halts it'}: later ones get what is stable.`,
    approvals.length === 0
      ? 'No approval is needed.'
      : `It waits for approval ${approvals.length === 1 ? 'once' : `${approvals.length} times`} (${approvals.join(', ')}).`,
    `${gateTimesText(forecast)}. How long it takes besides depends on when pods are created.`,
    ...(forecast.reproducible ? [] : ['Not reproducible: an image has a tag that can move.']),
    ...(also.length === 0 ? [] : [`Also changed: ${also.join(', ')}.`]),
  ];
}
