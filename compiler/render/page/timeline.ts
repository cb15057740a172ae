import { countText } from '../../../semantics/values/text.ts';
import type { Forecast } from '../../forecast/forecast.ts';
import type { ForecastRow } from '../../forecast/forecast-row.ts';
import type { UnitNouns } from '../../../semantics/kinds/nouns.ts';
import { forHtml, shorten } from '../../text/escape.ts';

const STEP = 72;
const BAR = 36;
const HEIGHT = 120;
const TOP = 16;
const LEFT = 36;
const BOTTOM = 22;
/** The width of the words about the line. */
const LIMIT_TEXT = 130;
/** The most characters of a name below its step. */
const LONGEST_NAME = 11;

/**
 * The units on the old and the new revision when each step is done, as a picture: a bar for each step that updates, a ring for each
 * gate, and a dashed line at the fewest that are available. Each step says in words what it does, on focus and to screen readers.
 * Empty: no unit changes.
 */
export function timeline({ rows, replicas, lowestAvailable }: Forecast, nouns: UnitNouns): string {
  const total = replicas.expected;
  if (total === 0 || rows.every(({ pods }) => pods === undefined)) return '';
  const end = LEFT + rows.length * STEP;
  const width = end + LIMIT_TEXT;
  const yOf = (count: number): number => Math.round(TOP + (HEIGHT - TOP) * (1 - count / total));
  let updated = 0;
  const steps = rows.map((row, index) => {
    updated = row.pods?.expected ?? updated;
    return stepPart(row, { x: LEFT + index * STEP, updated, total, yOf, nouns });
  });
  const line = (y: number, name: string): string =>
    `<line class="${name}" x1="${LEFT}" y1="${y}" x2="${end}" y2="${y}"/>`;
  const least = yOf(lowestAvailable);
  return [
    `<svg viewBox="0 0 ${width} ${HEIGHT + BOTTOM}" width="${width}" height="${HEIGHT + BOTTOM}" role="group" aria-label="Timeline: at least ${lowestAvailable} of ${countText(total, nouns.unit, nouns.units)} available">`,
    line(HEIGHT, 'axis'),
    `<text x="2" y="${TOP + 4}">${total}</text><text x="2" y="${HEIGHT}">0</text>`,
    ...steps,
    `${line(least, 'limit')}<text x="${end + 4}" y="${least + 4}">at least ${lowestAvailable} available</text>`,
    '</svg>',
  ].join('\n');
}

interface Place {
  x: number;
  updated: number;
  total: number;
  yOf(count: number): number;
  nouns: UnitNouns;
}

function stepPart({ id, what, gate, names }: ForecastRow, { x, updated, total, yOf, nouns }: Place): string {
  const count = `${updated} of ${countText(total, nouns.unit, nouns.units)} on the new revision`;
  const order = names === undefined ? '' : `, in this order: ${shorten(names, 200)}`;
  const words = forHtml(`${id}: ${what}${order}; ${count}`);
  const at = x + (STEP - BAR) / 2;
  const y = yOf(updated);
  const shape = gate
    ? `<circle class="gate" cx="${x + STEP / 2}" cy="${(TOP + HEIGHT) / 2}" r="9"/>`
    : `<rect class="old" x="${at}" y="${TOP}" width="${BAR}" height="${y - TOP}"/><rect class="new" x="${at}" y="${y}" width="${BAR}" height="${HEIGHT - y}"/>`;
  return (
    `<g class="step" tabindex="0" role="img" aria-label="${words}"><title>${words}</title>${shape}` +
    `<text x="${x + STEP / 2}" y="${HEIGHT + 14}" text-anchor="middle">${forHtml(shorten(id, LONGEST_NAME))}</text>` +
    `<rect class="hit" x="${x}" y="${TOP - 4}" width="${STEP}" height="${HEIGHT + BOTTOM - TOP}"/></g>`
  );
}
