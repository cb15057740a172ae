import type { NewPodsForecast } from '../forecast/new-pods-forecast.ts';
import type { Change } from '../plan/change.ts';
import { gateTimesText, settingText } from './change-summary.ts';
import { approvalSentence, queueSentences } from './plan-sentences.ts';
import { settingsOf } from './change-text.ts';
import { selectedText, selectionSentences } from './reach-text.ts';

/** Which pods get the change that are created. */
function whichNewPods({ selector, continues }: NewPodsForecast): string {
  if (continues === 'not at all')
    return 'Every new pod gets the change already, and a new selector takes it from none.';
  if (continues === 'at the end')
    return `With its last step new pods that match ${selector} get the change, and others get what is earlier.`;
  if (continues === 'in steps')
    return 'New pods that the selector before left out get the change where a step draws them, and else what is earlier.';
  const draws = 'gets the change where a step draws it, and else what is stable';
  return selector === undefined
    ? `A pod that is created ${draws}.`
    : `A new pod that matches ${selector} ${draws}. Others get what is stable.`;
}

/** What a reviewer must know of a plan that changes no running pod, as short sentences. */
export function newPodsSummary(change: Change, forecast: NewPodsForecast): string[] {
  const { onFailure } = forecast;
  const also = settingsOf(change).map(settingText);
  return [
    'Running pods stay as they are, and are counted as behind: restart their owners to have them changed.',
    whichNewPods(forecast),
    'A webhook must inject it: pods that it misses get neither.',
    ...(change.reach === undefined ? [] : selectedText(change.reach)),
    ...selectionSentences(change),
    ...queueSentences(forecast),
    `A new pod that restarts, or does not become available, ${onFailure === 'Revert' ? 'ends it' : 'halts it'}: later ones get what is stable.`,
    approvalSentence(forecast.approvals),
    `${gateTimesText(forecast)}. How long it takes besides depends on when pods are created.`,
    ...(forecast.reproducible ? [] : ['Not reproducible: an image has a tag that can move.']),
    ...(also.length === 0 ? [] : [`Also changed: ${also.join(', ')}.`]),
  ];
}
