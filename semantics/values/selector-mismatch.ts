import type { JsonObject } from '../../schemas/wire/json.ts';
import { formatSelector, type LabelSelector, selectorPredicate } from './selector.ts';

/** How labels differ from a selector: the label to change, if it is one, and the difference; undefined: they match. */
export function selectorMismatch(
  selector: LabelSelector,
  labels: Readonly<Record<string, string>>,
): { label: string | undefined; difference: string } | undefined {
  if (selectorPredicate(selector)(labels)) return undefined;
  const { matchLabels = {} } = selector;
  const label = Object.keys(matchLabels).find(
    (key) => !Object.hasOwn(labels, key) || labels[key] !== matchLabels[key],
  );
  if (label === undefined) return { label, difference: formatSelector(selector) };
  const there = Object.hasOwn(labels, label) ? `"${labels[label]}"` : 'missing';
  return { label, difference: `${label} is ${there} there, "${matchLabels[label]}" here` };
}

/** The labels of a template. */
export function labelsOf(template: JsonObject): Record<string, string> {
  const { labels } = (template['metadata'] ?? {}) as JsonObject;
  return typeof labels === 'object' && labels !== null ? (labels as Record<string, string>) : {};
}
