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

/** A step of a picture. */
export interface PictureStep {
  id: string;
  /** What it does, for the reader. */
  words: string;
  isGate: boolean;
  /** Units on the new revision once it is done. */
  updated: number;
  /** A class by which it is drawn otherwise. */
  state?: string | undefined;
}

/** A rollout as a picture. */
export interface Picture {
  /** What the picture shows, in words. */
  label: string;
  /** All units; at least one. */
  total: number;
  steps: readonly PictureStep[];
  /** A dashed line at so many units, and the words beside it. */
  line: { at: number; text: string };
}

/** The picture of a forecast: a line at the fewest units that are available. Undefined: no unit changes. */
export function pictureOf(
  { rows, replicas, lowestAvailable }: Forecast,
  nouns: UnitNouns,
): Picture | undefined {
  const total = replicas.expected;
  if (total === 0 || rows.every(({ pods }) => pods === undefined)) return undefined;
  const units = countText(total, nouns.unit, nouns.units);
  let updated = 0;
  const steps = rows.map(({ id, what, gate, names, pods }: ForecastRow): PictureStep => {
    updated = pods?.expected ?? updated;
    const order = names === undefined ? '' : `, in this order: ${shorten(names, 200)}`;
    const words = `${id}: ${what}${order}; ${updated} of ${units} on the new revision`;
    return { id, words, isGate: gate, updated };
  });
  return {
    label: `Timeline: at least ${lowestAvailable} of ${units} available`,
    total,
    steps,
    line: { at: lowestAvailable, text: `at least ${lowestAvailable} available` },
  };
}

/**
 * The units on the old and the new revision when each step is done: a bar for each step that updates, a ring for each gate. Each step
 * says in words what it does, on focus and to screen readers.
 */
export function timeline({ label, total, steps, line: { at, text } }: Picture): string {
  const end = LEFT + steps.length * STEP;
  const width = end + LIMIT_TEXT;
  const yOf = (count: number): number => Math.round(TOP + (HEIGHT - TOP) * (1 - count / total));
  const line = (y: number, name: string): string =>
    `<line class="${name}" x1="${LEFT}" y1="${y}" x2="${end}" y2="${y}"/>`;
  return [
    `<svg viewBox="0 0 ${width} ${HEIGHT + BOTTOM}" width="${width}" height="${HEIGHT + BOTTOM}" role="group" aria-label="${forHtml(label)}">`,
    line(HEIGHT, 'axis'),
    `<text x="2" y="${TOP + 4}" aria-hidden="true">${total}</text><text x="2" y="${HEIGHT}" aria-hidden="true">0</text>`,
    ...steps.map((step, index) => stepPart(step, LEFT + index * STEP, yOf(Math.min(step.updated, total)))),
    `${line(yOf(at), 'limit')}<text x="${end + 4}" y="${yOf(at) + 4}">${forHtml(text)}</text>`,
    '</svg>',
  ].join('\n');
}

function stepPart({ id, words, isGate, state }: PictureStep, x: number, y: number): string {
  const title = forHtml(words);
  const at = x + (STEP - BAR) / 2;
  const shape = isGate
    ? `<circle class="gate" cx="${x + STEP / 2}" cy="${(TOP + HEIGHT) / 2}" r="9"/>`
    : `<rect class="old" x="${at}" y="${TOP}" width="${BAR}" height="${y - TOP}"/><rect class="new" x="${at}" y="${y}" width="${BAR}" height="${HEIGHT - y}"/>`;
  return (
    `<g class="step${state === undefined ? '' : ` ${state}`}" tabindex="0" role="img" aria-label="${title}"><title>${title}</title>${shape}` +
    `<text x="${x + STEP / 2}" y="${HEIGHT + 14}" text-anchor="middle">${forHtml(shorten(id, LONGEST_NAME))}</text>` +
    `<rect class="hit" x="${x}" y="${TOP - 4}" width="${STEP}" height="${HEIGHT + BOTTOM - TOP}"/></g>`
  );
}
