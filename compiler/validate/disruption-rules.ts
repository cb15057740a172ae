import type { Json } from '../../schemas/wire/json.ts';
import { isAutoscaled, wantedReplicas } from '../../semantics/kinds/git-units.ts';
import type { LabelSelector } from '../../semantics/values/selector.ts';
import { selectorPredicate } from '../../semantics/values/selector.ts';
import { labelsOf } from '../../semantics/values/selector-mismatch.ts';
import { diagnostic, hasErrors } from '../diagnostics/diagnostic.ts';
import type { SharedDiagnostic } from '../diagnostics/shared.ts';
import type { DisruptionBudget } from '../load/disruption-budget.ts';
import { isObject } from '../load/identity.ts';
import type { Locator } from '../load/locate.ts';
import type { Loaded } from '../load/manifests.ts';
import { shownName } from '../plan/target.ts';
import { byText } from '../text/order.ts';
import type { Target } from '../plan/target.ts';

/** A workload that a budget may cover. */
export type Protected = Pick<Target, 'manifest' | 'normal'>;

/** Budgets in a namespace with more workloads are not checked: comparing all of them would take too long. */
const MOST_COMPARED = 1_000;

/**
 * Warns of PodDisruptionBudgets that let no pod of the workloads that they cover be unavailable (Kubernetes disruption controller:
 * percentages round up). None if there are errors, because other workloads may be covered, too.
 */
export function disruptionRules(
  { disruptionBudgets, diagnostics }: Loaded,
  targets: Iterable<Protected>,
  locator: Locator,
): SharedDiagnostic[] {
  if (disruptionBudgets.length === 0 || hasErrors(diagnostics)) return [];
  const near = inNamespaces(targets);
  return disruptionBudgets.flatMap((budget) =>
    blocked(budget, near(budget.namespace).filter(coverage(budget)), locator),
  );
}

/** The workloads of each namespace; none of one that has too many to be compared. */
export function inNamespaces(
  targets: Iterable<Protected>,
): (namespace: string | undefined) => readonly Protected[] {
  const byNamespace = new Map<string | undefined, Protected[]>();
  for (const target of targets) {
    const together = byNamespace.get(target.manifest.namespace) ?? [];
    together.push(target);
    byNamespace.set(target.manifest.namespace, together);
  }
  return (namespace) => {
    const found = byNamespace.get(namespace) ?? [];
    return found.length > MOST_COMPARED ? [] : found;
  };
}

function blocked(
  { name, spec, origin }: DisruptionBudget,
  covered: readonly Protected[],
  locator: Locator,
): SharedDiagnostic[] {
  const total = covered.reduce((sum, { normal }) => sum + (wantedReplicas(normal.units) ?? 0), 0);
  if (covered.length === 0 || total === 0) return [];
  // An autoscaler may raise a default number of replicas.
  const isSized = covered.every(({ normal }) => !isAutoscaled(normal.units));
  const field = spec['minAvailable'] === undefined ? 'maxUnavailable' : 'minAvailable';
  const value = spec[field];
  if (typeof value !== 'string' && typeof value !== 'number') return [];
  const pods = podsFor(value, total);
  if (pods === undefined) return [];
  const isBlocked = field === 'maxUnavailable' ? pods <= 0 : pods >= total && (isSized || value === '100%');
  if (!isBlocked) return [];
  const args = {
    budget: `PodDisruptionBudget ${name}`,
    limit: `${field} ${value}`,
    targets: namesOf(covered),
    replicas: total,
    isForEvictions: true,
  };
  const found = diagnostic('KR2160', args, locator(origin, ['spec', field], 'value'));
  return [{ ids: covered.map(({ manifest }) => manifest.id), found }];
}

/** The kinds and names of workloads, sorted. */
export function namesOf(covered: readonly Protected[]): string[] {
  return covered.map(({ manifest }) => `${manifest.kind} ${shownName(manifest)}`).sort(byText);
}

/** A count, or a percentage rounded up; undefined for anything else. */
function podsFor(value: string | number, total: number): number | undefined {
  if (typeof value === 'number') return value;
  const [, percent] = /^(\d{1,3})%$/.exec(value) ?? [];
  return percent === undefined ? undefined : Math.ceil((Number(percent) * total) / 100);
}

/** Whether a budget is of a namespace. */
export function inNamespace({ namespace }: DisruptionBudget, other: string | undefined): boolean {
  return namespace === other;
}

/** A test of whether a budget covers the pods of a workload. */
export function coverage({ spec }: DisruptionBudget): (target: Protected) => boolean {
  const isSelected = selectorPredicate(selectorOf(spec['selector']));
  return ({ normal }) => isSelected(labelsOf(normal.template));
}

/** A selector of labels alone. One with expressions, or of another form, selects nothing here. */
function selectorOf(value: Json | undefined): LabelSelector | undefined {
  if (!isObject(value) || value['matchExpressions'] !== undefined || !isObject(value['matchLabels']))
    return undefined;
  const matchLabels: Record<string, string> = {};
  for (const [key, label] of Object.entries(value['matchLabels'])) {
    if (typeof label !== 'string') return undefined;
    matchLabels[key] = label;
  }
  return Object.keys(matchLabels).length === 0 ? undefined : { matchLabels };
}
