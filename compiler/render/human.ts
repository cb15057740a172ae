import { forecastOf } from '../forecast/forecast.ts';
import { runForecastOf } from '../forecast/run-forecast.ts';
import type { RunForecast, RunRow } from '../forecast/run-forecast.ts';
import { type NewPodsForecast, newPodsForecastOf } from '../forecast/new-pods-forecast.ts';
import { tickForecastOf } from '../forecast/tick-forecast.ts';
import type { TickForecast } from '../forecast/tick-forecast.ts';
import type { Forecast } from '../forecast/forecast.ts';
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
  const sentences = [...planSentences(change), stepsFromText(change)];
  if (change.plan !== undefined)
    lines.push(...planLines(change, paint), ...sentences.map((sentence) => `      ${forTerminal(sentence)}`));
  return `${lines.join('\n')}\n`;
}

/** The changed fields and the steps of a planned change, one line each. */
export function planLines(change: Change, paint: Paint): string[] {
  const listed = runForecastOf(change) ?? tickForecastOf(change) ?? newPodsForecastOf(change);
  if (listed !== undefined) {
    const fields = listed.fields.map((field) => fieldLine({ ...field, effect: 'MetadataOnly' }, paint));
    return [...fields, ...runLines(change.type.facts.nouns, listed, paint), ...wavesOfTimes(listed, paint)];
  }
  const forecast = forecastOf(change);
  if (forecast === undefined) return [];
  return [...forecast.fields.map((field) => fieldLine(field, paint)), ...stepLines(change, forecast, paint)];
}

/** What a reviewer must know of a planned change, besides what its title says. */
export function planSentences(change: Change): string[] {
  const run = runForecastOf(change);
  if (run !== undefined) return runSummary(change, run);
  const ticks = tickForecastOf(change);
  if (ticks !== undefined) return tickSummary(change, ticks);
  const newPods = newPodsForecastOf(change);
  if (newPods !== undefined) return newPodsSummary(change, newPods);
  const forecast = forecastOf(change);
  return forecast === undefined ? [] : changeSummary(change, forecast).slice(1);
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
