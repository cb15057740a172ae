import type { TickForecast } from '../forecast/tick-forecast.ts';
import type { Change } from '../plan/change.ts';
import { gateTimesText, settingText } from './change-summary.ts';
import { approvalSentence, queueSentences } from './plan-sentences.ts';
import { atOnceText, basisText, spreadText, stopText, timeText } from './run-summary.ts';
import { settingsOf } from './change-text.ts';

/** What a reviewer must know of a plan over the times of a schedule, as short sentences. */
export function tickSummary(change: Change, forecast: TickForecast): string[] {
  const { hasStable } = forecast;
  const also = settingsOf(change).map(settingText);
  return [
    hasStable
      ? 'Children that run stay as they are. A time runs the new template only where a step allows it, and else the one before.'
      : 'It is new, and runs on every node that fits: nothing is created before this plan.',
    forecast.hostAccess.length === 0
      ? 'The pods are confined to their containers: they ask for nothing of their nodes.'
      : `What the pods may do to their nodes: ${forecast.hostAccess.join('; ')}.`,
    ...queueSentences(forecast),
    ...(forecast.paused ? ['No time runs while the target itself is paused.'] : []),
    ...runsText(forecast),
    failureText(forecast),
    approvalSentence(forecast.approvals),
    `Between its own steps: ${lowered(gateTimesText(forecast))}. How long it takes besides depends on the schedule.`,
    ...(forecast.reproducible ? [] : ['Not reproducible: an image has a tag that can move.']),
    ...(forecast.isNativeEnough ? [NATIVE] : []),
    ...(also.length === 0 ? [] : [`Also changed: ${also.join(', ')}.`]),
  ];
}

/** For a schedule of Jobs. */
export const NATIVE = 'A CronJob of Kubernetes creates the same Jobs, without plans.';

const lowered = (text: string): string => `${text.charAt(0).toLowerCase()}${text.slice(1)}`;

/** How each time goes over the units that it runs on. */
function runsText({ runs }: TickForecast): string[] {
  if (runs === undefined) return [];
  const { waves, nouns, hasWaves } = runs;
  return [
    hasWaves
      ? `Each time goes over the ${nouns.units} in waves. ${atOnceText(nouns, waves)}`
      : `Each time runs at once where its parallelism allows it; waves in kruise.yaml would change that. ${atOnceText(nouns, waves)}`,
    ...spreadText(nouns, waves),
    ...(hasWaves ? stopText(nouns, waves) : []),
    ...(hasWaves ? timeText(waves).map((text) => `Each time: ${lowered(text)}`) : []),
    basisText(nouns, waves),
  ];
}

function failureText({ onFailure, hasStable }: TickForecast): string {
  const next = hasStable ? 'the next times run the template before' : 'the next times run nothing';
  return `A child that fails ${onFailure === 'Revert' ? 'ends it' : 'halts it'}: ${next}.`;
}
