import type { Forecast } from '../forecast/forecast.ts';
import type { NewPodsForecast } from '../forecast/new-pods-forecast.ts';
import type { Prediction } from '../forecast/prediction.ts';
import { predictionOf } from '../forecast/prediction.ts';
import type { RunForecast, RunRow } from '../forecast/run-forecast.ts';
import type { TickForecast } from '../forecast/tick-forecast.ts';
import type { UnitNouns } from '../../semantics/kinds/nouns.ts';
import type { ClassifiedField } from '../../semantics/template/classify.ts';
import type { ChangeAtOnce } from '../plan/at-once.ts';
import type { Change } from '../plan/change.ts';
import { shownName } from '../plan/target.ts';
import { forTerminal, shorten } from '../text/escape.ts';
import type { Paint, Style } from '../text/paint.ts';
import { atOnceLine } from './at-once.ts';
import { changeSummary } from './change-summary.ts';
import { actionText, markOf, stepsFromText, summary, units } from './change-text.ts';
import type { Mark } from './change-text.ts';
import { paceText, runSummary } from './run-summary.ts';
import { newPodsSummary } from './new-pods-summary.ts';
import { tickSummary } from './tick-summary.ts';

const STYLES: Record<Mark, Style> = {
  '+': 'green',
  '~': 'yellow',
  '-/+': 'red',
  '-': 'red',
  '=': 'dim',
  '!': 'cyan',
  '?': 'cyan',
};

/** The human output of `kruise plan`. The last line is a count of the changes. */
export function humanPlan(
  changes: readonly Change[],
  paint: Paint,
  atOnce: readonly ChangeAtOnce[] = [],
): string {
  const shown = changes.filter(({ action }) => action !== 'Unchanged');
  const blocks = shown.map((change) => changeBlock(change, paint));
  blocks.push(...atOnce.map((change) => atOnceLine(change, paint)));
  return [...blocks, `${paint('bold', summary(changes))}\n`].join('\n');
}

function marked(mark: Mark, paint: Paint): string {
  return paint(STYLES[mark], mark.padStart(3));
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
export function planSentences(change: Change, prediction: Prediction | undefined): string[] {
  switch (prediction?.of) {
    case undefined:
      return [];
    case 'updates':
      return changeSummary(change, prediction.forecast).slice(1);
    case 'run':
      return runSummary(change, prediction.forecast);
    case 'ticks':
      return tickSummary(change, prediction.forecast);
    case 'newPods':
      return newPodsSummary(change, prediction.forecast);
  }
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
