import type { UnitNouns } from '../../semantics/kinds/nouns.ts';
import { formatDuration } from '../../semantics/values/duration.ts';
import { countText } from '../../semantics/values/text.ts';
import { listed } from '../../semantics/values/listed.ts';
import type { RunForecast, Wave, WaveForecast } from '../forecast/run-forecast.ts';
import type { Change } from '../plan/change.ts';
import { settingsOf } from './change-text.ts';
import { CONTINUED, gateTimesText, settingText } from './change-summary.ts';
import { approvalSentence, queueSentences } from './plan-sentences.ts';

/** What a reviewer must know of a run, as short sentences. They contain only numbers and names that were validated. */
export function runSummary(change: Change, forecast: RunForecast): string[] {
  const { irreversible } = forecast;
  const { nouns } = change.type.facts;
  const also = settingsOf(change).map(settingText);
  return [
    ...subjectText(change, forecast),
    accessText(change, forecast),
    ...(forecast.paused ? [] : [atOnceText(nouns, forecast)]),
    ...spreadText(nouns, forecast),
    ...queueSentences(forecast),
    ...(forecast.paused
      ? [`It begins on no ${change.type.facts.nouns.unit} while the target itself is paused.`]
      : []),
    ...stopText(nouns, forecast),
    approvalSentence(forecast.approvals),
    ...timeText(forecast),
    joinText(change, forecast),
    ...(irreversible === undefined ? [] : [`Not reversible: ${irreversible}.`]),
    ...(forecast.reproducible ? [] : ['Not reproducible: an image has a tag that can move.']),
    basisText(nouns, forecast),
    ...(also.length === 0 ? [] : [`Also changed: ${also.join(', ')}.`]),
  ];
}

/** How many run it at one time, at most; a step may begin on no further unit. */
export function paceText({ atOnce }: Wave): string {
  return atOnce === 0 ? 'no more' : `${atOnce} at a time`;
}

/** `1000` → `1,000` */
function numberText(number: number): string {
  const digits = String(number);
  const first = digits.length % 3;
  return [digits.slice(0, first), ...(digits.slice(first).match(/\d{3}/g) ?? [])]
    .filter((each) => each !== '')
    .join(',');
}

function subjectText(change: Change, { words }: RunForecast): string[] {
  const { unit, units: nouns } = change.type.facts.nouns;
  if (change.goesBack)
    return [
      `This goes back to a run that was planned before. Where it has finished, it begins on no ${unit}.`,
      `A cluster on which it is incomplete goes on with this plan, and begins on no ${unit} without it.`,
    ];
  if (change.action === 'Again') {
    const attempt = change.plan?.spec.attempt ?? 1;
    return [`This is attempt ${attempt} of the same run: ${nouns} on which it has finished are left out.`];
  }
  if (change.action === 'Continue') return [CONTINUED];
  if (change.action === 'Unplanned')
    return [words.sentence, 'The manifest had no plan for it: nothing has begun where plans are required.'];
  return change.base === undefined ? [words.sentence] : [words.sentence, words.another];
}

function accessText({ type }: Change, { hostAccess, words }: RunForecast): string {
  const { unit } = type.facts.nouns;
  return hostAccess.length === 0
    ? words.confined
    : `What the pod may do to its ${unit}: ${hostAccess.join('; ')}.`;
}

/** The highest number that run it at one time, for each number of units. */
export function atOnceText(
  { units: nouns }: UnitNouns,
  { units: counts, rows, words }: WaveForecast,
): string {
  const most = counts.map((count) => {
    const waves = rows.flatMap((row) => (row.waves ?? []).filter((wave: Wave) => wave.units === count));
    return Math.max(...waves.map(({ atOnce }) => atOnce));
  });
  const shown = most.map((each, index) => `${numberText(each)} of ${numberText(counts[index] ?? 0)}`);
  return `At most ${listed(shown, 'and')} ${nouns} ${words.unitsDo} at one time.`;
}

/** Which units run it beside each other. */
export function spreadText({ units: nouns }: UnitNouns, { spread, rows }: WaveForecast): string[] {
  const steps = rows.filter(({ gate }) => !gate).length;
  return spread.map((each) => {
    const where = each.steps.length === steps ? 'These' : `In ${each.steps.join(', ')} these`;
    return `${where} are of one ${each.key} at a time; ${nouns} without that label are one together.`;
  });
}

/** What stops it. */
export function stopText(
  { unit }: UnitNouns,
  { toleratesFailure, soakMs, checks, words }: WaveForecast,
): string[] {
  const gates = soakMs > 0 || checks.length > 0;
  return [
    toleratesFailure
      ? `${words.failure} does not stop it (failurePolicy Continue).`
      : `${words.failure} stops it: it begins on no further ${unit}.`,
    gates
      ? `So does harm to a ${unit} in a soak or check: what was well before its run and is not now. None follows the last step.`
      : `There is no soak or check: it goes on though a ${unit} is worse than before.`,
  ];
}

/** How long it takes at most. */
export function timeText({ unlimited, limitMs, soakMs, checks, checksMs }: WaveForecast): string[] {
  const gates = gateTimesText({ soakMs, checks, checksMs });
  if (unlimited.length > 0)
    return [`${gates}.`, `How long it takes has no limit: ${listed(unlimited, 'and')}.`];
  const most = formatDuration(limitMs + soakMs + checksMs);
  return [
    `${gates}. It takes at most ${most}, or fails${checks.length === 0 ? '' : '; checks may wait besides'}.`,
  ];
}

/** Which numbers of units the forecast is for. */
export function basisText({ unit, units: nouns }: UnitNouns, { isStated, units }: WaveForecast): string {
  const [count = 0] = units;
  return isStated
    ? `kruise.yaml assumes ${countText(count, unit)}.`
    : `How many ${nouns} fit is not in git: the numbers are for ${listed(units.map(numberText), 'and')}. Set assume in kruise.yaml to change that.`;
}

function joinText({ type }: Change, { isEndless, words }: RunForecast): string {
  const { unit, units: nouns } = type.facts.nouns;
  const joins = `A ${unit} that joins counts from the next step on, and belongs to the last one.`;
  return isEndless
    ? `${joins} After the end, ${nouns} that join ${words.unitsDo} without a gate (completionPolicy Never).`
    : `${joins} After the end it ${words.does} no further ${unit}.`;
}
