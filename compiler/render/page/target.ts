import type { ClassifiedField } from '../../../semantics/template/classify.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { predictionOf } from '../../forecast/prediction.ts';
import type { Change } from '../../plan/change.ts';
import { shownName } from '../../plan/target.ts';
import { forHtml, shorten } from '../../text/escape.ts';
import { sentencesOf } from '../sentences.ts';
import { pictureOf, timeline } from './timeline.ts';

/** The longest value of a field that is shown. */
const LONGEST_VALUE = 200;

/** One target of the page: what happens to it, as sentences, a timeline, a table of its steps, and the fields that differ. */
export function targetPart(change: Change, warnings: readonly Diagnostic[]): string {
  const name = shownName(change);
  const parts = [
    ...paragraph(sentencesOf(change, predictionOf(change))),
    ...warningPart(warnings),
    ...figure(change),
    ...stepTable(change),
    ...fieldTable(change),
  ];
  return `<details class="target" data-name="${forHtml(name.toLowerCase())}"><summary><h3>${forHtml(name)}</h3></summary>
${parts.join('\n')}
</details>`;
}

function paragraph(sentences: readonly string[]): string[] {
  return sentences.length === 0 ? [] : [`<p>${forHtml(sentences.join(' '))}</p>`];
}

function warningPart(warnings: readonly Diagnostic[]): string[] {
  if (warnings.length === 0) return [];
  const items = warnings.map(({ message, code }) => `<li>${forHtml(message)} (${code})</li>`);
  return [`<p>Warnings</p><ul>${items.join('')}</ul>`];
}

function figure(change: Change): string[] {
  const prediction = predictionOf(change);
  const picture =
    prediction?.of === 'updates' ? pictureOf(prediction.forecast, change.type.facts.nouns) : undefined;
  if (picture === undefined) return [];
  return [
    `<figure>${timeline(picture)}<figcaption>Gray is the old revision, blue the new one; a ring is a gate.</figcaption></figure>`,
  ];
}

function stepTable(change: Change): string[] {
  const prediction = predictionOf(change);
  const rows = prediction?.forecast.rows ?? [];
  if (rows.length === 0) return [];
  const counts =
    prediction?.of === 'updates' ? prediction.forecast.rows.map(({ pods }) => pods?.expected) : [];
  const lines = rows.map(
    ({ id, what }, index) =>
      `<tr><td><code>${forHtml(id)}</code></td><td class="what">${forHtml(what)}</td><td class="count">${counts[index] ?? ''}</td></tr>`,
  );
  return [
    `<div class="table"><table class="steps"><thead><tr><th scope="col">step</th><th scope="col">what</th><th scope="col">updated</th></tr></thead><tbody>${lines.join('')}</tbody></table></div>`,
  ];
}

function fieldTable({ classification }: Change): string[] {
  const fields = classification?.fields ?? [];
  if (fields.length === 0) return [];
  const value = (each: ClassifiedField['from']): string =>
    each === undefined ? '' : `<code>${forHtml(shorten(String(each), LONGEST_VALUE))}</code>`;
  const lines = fields.map(
    ({ path, from, to, effect, reason }) =>
      `<tr><td><code>${forHtml(path)}</code></td><td>${value(from)}</td><td>${value(to)}</td><td>${forHtml(`${effect}: ${reason}`)}</td></tr>`,
  );
  return [
    `<div class="table"><table><thead><tr><th scope="col">field</th><th scope="col">from</th><th scope="col">to</th><th scope="col">effect</th></tr></thead><tbody>${lines.join('')}</tbody></table></div>`,
  ];
}
