import { canonicalJson } from './canonical-json.ts';
import { hasFields, isListOf, isMapOf, isObject, isOptional, isText, parsedJson } from './json-shape.ts';
import { isSameSelector, type LabelSelector } from './selector.ts';
import { isWithinSelector } from './selector-within.ts';

/** Which pods of other owners a target selects: what a plan states, and what is on record. */
export interface PodSelection {
  selector: LabelSelector;
  /** Absent: every namespace. */
  namespaceSelector?: LabelSelector | undefined;
}

/** Whether two selections say the same, in whatever order. */
export function isSameSelection(one: PodSelection, other: PodSelection): boolean {
  return (
    isSameSelector(one.selector, other.selector) &&
    isSameSelector(one.namespaceSelector, other.namespaceSelector)
  );
}

/** Whether a selection certainly selects no pod that another one does not; false: it may. */
export function isWithinSelection(one: PodSelection, other: PodSelection): boolean {
  const { namespaceSelector: within = {} } = one;
  const { namespaceSelector: among } = other;
  return (
    isWithinSelector(one.selector, other.selector) &&
    (among === undefined || (one.namespaceSelector !== undefined && isWithinSelector(within, among)))
  );
}

/** A selection as an annotation has it. */
export function selectionText({ selector, namespaceSelector }: PodSelection): string {
  return canonicalJson({ selector, ...(namespaceSelector !== undefined && { namespaceSelector }) });
}

/** The selection of an annotation; undefined: there is none, or it cannot be read. */
export function readSelection(text: string | undefined): PodSelection | undefined {
  const found = parsedJson(text ?? '');
  return isPodSelection(found) ? found : undefined;
}

const isTerm = (value: unknown): boolean =>
  hasFields(value, { key: isText, operator: isText, values: isOptional(isListOf(isText)) });

/** Whether parsed JSON has the shape of a selector. */
export const isSelectorShape = (value: unknown): boolean =>
  hasFields(value, {
    matchLabels: isOptional(isMapOf(isText)),
    matchExpressions: isOptional(isListOf(isTerm)),
  });

/** Whether parsed JSON has the shape of a selection. */
export function isPodSelection(value: unknown): value is PodSelection {
  return (
    isObject(value) &&
    hasFields(value, { selector: isSelectorShape, namespaceSelector: isOptional(isSelectorShape) })
  );
}
