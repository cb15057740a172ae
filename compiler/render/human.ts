import type { Forecast } from '../forecast/forecast.ts';
import type { NewPodsForecast } from '../forecast/new-pods-forecast.ts';
import type { Prediction } from '../forecast/prediction.ts';
import { predictionOf } from '../forecast/prediction.ts';
import type { RunForecast, RunRow } from '../forecast/run-forecast.ts';
import type { TickForecast } from '../forecast/tick-forecast.ts';
import type { UnitNouns } from '../../semantics/kinds/nouns.ts';
import type { ClassifiedField } from '../../semantics/template/classify.ts';
import type { Change } from '../plan/change.ts';
import { shownName } from '../plan/target.ts';
import { areMany, groupsOf, type Reviewed } from '../review/groups.ts';
import { groupedPlan } from '../review/human.ts';
import { forTerminal, shorten } from '../text/escape.ts';
import type { Paint } from '../text/paint.ts';
import { atOnceLine } from './at-once.ts';
import { actionText, markOf, stepsFromText, summary, units } from './change-text.ts';
import type { Mark } from './change-text.ts';
import { marked } from './mark.ts';
import { paceText } from './run-summary.ts';
import { sentencesOf } from './sentences.ts';

/**
 * The human output of `kruise plan`: each change, or groups of equal ones where there are many. The last line is a count of the
 * changes.
 */
export function humanPlan(reviewed: Reviewed, paint: Paint): string {
  const { changes, atOnce } = reviewed;
  const last = `${paint('bold', summary(changes))}\n`;
  if (areMany(reviewed)) return `${groupedPlan(groupsOf(reviewed), paint)}${last}`;
  const shown = changes.filter(({ action }) => action !== 'Unchanged');
  const blocks = shown.map((change) => changeBlock(change, paint));
  blocks.push(...atOnce.map((change) => atOnceLine(change, paint)));
  return [...blocks, last].join('\n');
}

function changeBlock(change: Change, paint: Paint): string {
  const title = forTerminal(`${change.kind} ${shownName(change)}`);
  const lines = [
    `${marked(markOf(change), paint)} ${paint('bold', title)}: ${forTerminal(actionText(change))}`,
  ];
  if (change.plan !== undefined) {
    const prediction = predictionOf(change);
    const sentences = [...planSentences(change, prediction), stepsFromText(change)];
    lines.push(...planLines(change, prediction, paint));
    lines.push(...sentences.map((sentence) => `      ${forTerminal(sentence)}`));
  }
  return `${lines.join('\n')}\n`;
}

/** The changed fields and the steps of a planned change, one line each. */
export function planLines(change: Change, prediction: Prediction | undefined, paint: Paint): string[] {
  switch (prediction?.of) {
    case undefined:
      return [];
    case 'updates': {
      const { forecast } = prediction;
      const fields = forecast.fields.map((field) => fieldLine(field, paint));
      return [...fields, ...stepLines(change, forecast, paint)];
    }
    case 'run':
    case 'ticks':
    case 'newPods': {
      const { forecast } = prediction;
      const fields = forecast.fields.map((field) => fieldLine({ ...field, effect: 'MetadataOnly' }, paint));
      const steps = runLines(change.type.facts.nouns, forecast, paint);
      return [...fields, ...steps, ...wavesOfTimes(forecast, paint)];
    }
  }
}

/** What a reviewer must know of a planned change, besides what its title says. */
export function planSentences(change: Change, prediction: Prediction | undefined): readonly string[] {
  const sentences = sentencesOf(change, prediction);
  return prediction?.of === 'updates' ? sentences.slice(1) : sentences;
}

/** The most characters of a value; the manifest shows the rest. */
const MOST_SHOWN = 200;

function fieldLine(field: ClassifiedField, paint: Paint): string {
  const mark: Mark = field.effect === 'Recreate' ? '-/+' : '~';
  const { from, to } = field;
  const change =
    from === undefined || to === undefined
      ? (field.change ?? 'changed')
      : `${shorten(String(from), MOST_SHOWN)} → ${shorten(String(to), MOST_SHOWN)}`;
  const reason = field.effect === 'Recreate' ? paint('dim', ` (${forTerminal(field.reason)})`) : '';
  return `    ${marked(mark, paint)} ${forTerminal(`${shorten(field.path, 200)}: ${change}`)}${reason}`;
}

/** A step of a run, or of a schedule. */
type Row = Omit<RunRow, 'waves'> & Partial<Pick<RunRow, 'waves'>>;

/** The steps of a run, each with the units that it was started on, and the most at one time; those of a schedule without. */
function runLines(nouns: UnitNouns, { rows }: { rows: readonly Row[] }, paint: Paint): string[] {
  const width = Math.max(...rows.map(({ id }) => forTerminal(id).length));
  return rows.map(({ id, gate, what, waves = [] }) => {
    const mark = gate ? marked('!', paint) : paint('dim', '  >');
    const counts = waves.map((wave) => `${wave.started}/${wave.units} (${paceText(wave)})`);
    const shown = counts.length === 0 ? '' : paint('dim', `  ${counts.join(', ')} ${nouns.units}`);
    return `    ${mark} ${forTerminal(id).padEnd(width)}  ${forTerminal(what)}${shown}`;
  });
}

/** The waves that each time of a schedule goes through. */
function wavesOfTimes(forecast: RunForecast | TickForecast | NewPodsForecast, paint: Paint): string[] {
  const runs = 'runs' in forecast ? forecast.runs : undefined;
  if (runs?.hasWaves !== true) return [];
  return [paint('dim', '    each time:'), ...runLines(runs.nouns, runs.waves, paint)];
}

function stepLines(change: Change, forecast: Forecast, paint: Paint): string[] {
  const width = Math.max(...forecast.rows.map(({ id }) => forTerminal(id).length));
  const { expected } = forecast.replicas;
  return forecast.rows.map(({ id, gate, what, pods, names }) => {
    const mark = gate ? marked('!', paint) : paint('dim', '  >');
    const count =
      pods === undefined ? '' : paint('dim', `  ${pods.expected}/${units(expected, change.type)}`);
    const order = names === undefined ? '' : `: ${forTerminal(names)}`;
    return `    ${mark} ${forTerminal(id).padEnd(width)}  ${forTerminal(what)}${count}${order}`;
  });
}
