import type { KubeObject } from '../../schemas/wire/object.ts';
import { groupKindOf } from '../owner.ts';
import type { PodWorkload } from '../pod/workload.ts';
import type { IntOrPercent } from '../values/int-or-percent.ts';
import { isObject } from '../values/json-shape.ts';
import { intOrPercentOf, numberOf, objectOf, textOf } from '../values/read.ts';
import type { LabelSelector } from '../values/selector.ts';
import { OPERATIONS_ANNOTATION, TOTAL_ANNOTATION } from './resource.ts';

/** What is done to a pod. EVICT is a request for an eviction, RESIZE other resources for running containers. */
export const OPERATIONS = ['DELETE', 'UPDATE', 'EVICT', 'RESIZE'] as const;
export type Operation = (typeof OPERATIONS)[number];

/** Without any, these are protected (OpenKruise podunavailablebudget, section 2). */
export const USUAL_OPERATIONS: readonly Operation[] = ['DELETE', 'UPDATE', 'EVICT'];

/** Which pods of its namespace a budget covers. An invalid budget may cover none. */
export type Coverage =
  | { by: 'selector'; selector: LabelSelector }
  | { by: 'workload'; workload: PodWorkload }
  | { by: 'nothing' };

/** How many pods of a budget may be unavailable. */
export interface Limit {
  field: 'maxUnavailable' | 'minAvailable';
  value: IntOrPercent;
}

/** A budget as the rules read it, of either served version. */
export interface NormalBudget {
  coverage: Coverage;
  /** Undefined: it has none, and is invalid. */
  limit: Limit | undefined;
  /** What takes a slot. Unknown ones of the annotation are left out: they are invalid. */
  operations: ReadonlySet<Operation>;
  /** How many pods there are to be; undefined: their workloads say it. */
  total: number | undefined;
  /** Pods that take no slot; undefined: each takes one. */
  ignored: LabelSelector | undefined;
}

/**
 * Reads either served version. The annotations of v1alpha1 count in both, as an installation may convert nothing; a field takes
 * precedence (OpenKruise podunavailablebudget, section 2). The object must be valid against the schema; a field of another type
 * is read as absent.
 */
export function normalizeBudget({ metadata, spec }: KubeObject): NormalBudget {
  const { selector, targetRef, maxUnavailable, minAvailable, ignoredPodSelector, ...rest } = objectOf(spec);
  const own = listedIn(rest['protectOperations']);
  const operations = own.length > 0 ? own : annotatedOperations(metadata.annotations);
  const known = OPERATIONS.filter((each) => operations.includes(each));
  return {
    coverage: coverageOf(selector, targetRef),
    limit: limitOf(maxUnavailable, minAvailable),
    operations: new Set(operations.length === 0 ? USUAL_OPERATIONS : known),
    total: numberOf(rest['protectTotalReplicas']) ?? annotatedTotal(metadata.annotations),
    ignored: isObject(ignoredPodSelector) ? ignoredPodSelector : undefined,
  };
}

function coverageOf(selector: unknown, targetRef: unknown): Coverage {
  if (isObject(targetRef)) {
    const { apiVersion, kind, name } = objectOf(targetRef);
    const of = groupKindOf({ apiVersion: textOf(apiVersion), kind: textOf(kind) });
    return { by: 'workload', workload: { ...of, name: textOf(name) } };
  }
  if (!isObject(selector) || isEmptySelector(selector)) return { by: 'nothing' };
  return { by: 'selector', selector: selector };
}

function limitOf(maxUnavailable: unknown, minAvailable: unknown): Limit | undefined {
  const [most, least] = [intOrPercentOf(maxUnavailable), intOrPercentOf(minAvailable)];
  if (most !== undefined) return { field: 'maxUnavailable', value: most };
  return least === undefined ? undefined : { field: 'minAvailable', value: least };
}

function listedIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

type Annotations = Readonly<Record<string, string>> | undefined;

/** The operations in the annotation, known or not. */
export function annotatedOperations(annotations: Annotations): string[] {
  const text = annotations?.[OPERATIONS_ANNOTATION] ?? '';
  return text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
}

/** The number in the annotation; undefined: there is none that can be read. */
export function annotatedTotal(annotations: Annotations): number | undefined {
  const text = annotations?.[TOTAL_ANNOTATION]?.trim() ?? '';
  return /^[+-]?[0-9]{1,10}$/.test(text) ? Number(text) : undefined;
}

/** Whether a selector has no term: as a selector of pods it is refused. */
export function isEmptySelector({ matchLabels, matchExpressions }: LabelSelector): boolean {
  return Object.keys(objectOf(matchLabels)).length === 0 && (matchExpressions ?? []).length === 0;
}
