import { NAMESPACE_NAME_LABEL } from '../../semantics/values/namespace-label.ts';
import {
  type LabelSelector,
  selectorPredicate,
  wellFormedSelector,
} from '../../semantics/values/selector.ts';
import type { GitPods, GitWorkload } from '../load/git-pods.ts';
import type { Manifest } from '../load/manifest.ts';
import { byText } from '../text/order.ts';

/** Which pods a target selects, as far as manifests show. */
export interface Reach {
  /** Sorted by namespace, kind and name. */
  workloads: readonly (Pick<GitWorkload, 'kind' | 'namespace' | 'name'> & { pods: number })[];
  /** The number of their namespaces. */
  namespaces: number;
  /** The sum of their pods; a workload that names no number counts as one pod. */
  pods: number;
  /** Some name no number, so there may be more pods. */
  mayBeMore: boolean;
  /** Workloads that it selects if their namespace has the labels, which no manifest shows. */
  possible: number;
}

/** What a target selects pods by; undefined: it has pods of its own. */
export interface PodSelection {
  selector: LabelSelector;
  /** Undefined: every namespace. */
  namespaceSelector: LabelSelector | undefined;
}

/** How a target selects pods of other owners; undefined: it does not. */
export function podSelection({ type, object }: Pick<Manifest, 'type' | 'object'>): PodSelection | undefined {
  const need = type.needs(object, [], []).find(({ of }) => of === 'SelectedPods');
  if (need?.of !== 'SelectedPods' || need.namespaces !== undefined) return undefined;
  const { selector, namespaceSelector } = need;
  return {
    selector: wellFormedSelector(selector) ?? {},
    namespaceSelector: namespaceSelector && (wellFormedSelector(namespaceSelector) ?? {}),
  };
}

/**
 * The workloads of a state whose pods a target selects.
 *
 * @param within only those whose pods one of these selects, too
 */
export function reachOf(
  { selector, namespaceSelector }: PodSelection,
  git: GitPods,
  within: readonly LabelSelector[] = [{}],
): Reach {
  const isSelected = selectorPredicate(selector);
  const tests = within.map((each) => selectorPredicate(each));
  const matches = (labels: Readonly<Record<string, string>>): boolean =>
    isSelected(labels) && tests.some((test) => test(labels));
  const found = git.workloads.filter(({ templates }) => templates.some(({ labels }) => matches(labels)));
  const inNamespace = (workload: GitWorkload): boolean | undefined =>
    selectsNamespace(namespaceSelector, workload.namespace, git);
  const selected = found.filter((each) => inNamespace(each) === true);
  const workloads = selected
    .map(({ kind, namespace, name, pods = 1 }) => ({ kind, namespace, name, pods }))
    .sort(
      (a, b) =>
        byText(a.namespace ?? '', b.namespace ?? '') || byText(a.kind, b.kind) || byText(a.name, b.name),
    );
  return {
    ...summed(workloads),
    mayBeMore: selected.some(({ kind, pods }) => pods === undefined && kind !== 'Pod'),
    possible: found.filter((each) => inNamespace(each) === undefined).length,
  };
}

function summed(workloads: Reach['workloads']): Pick<Reach, 'workloads' | 'namespaces' | 'pods'> {
  return {
    workloads,
    namespaces: new Set(workloads.map(({ namespace }) => namespace)).size,
    pods: workloads.reduce((sum, { pods }) => sum + pods, 0),
  };
}

/** What one selection has and another has not. Where labels are in no manifest, what is possible is no difference. */
export function withoutReach(one: Reach, other: Reach): Reach {
  const idOf = ({ kind, namespace, name }: Reach['workloads'][number]): string =>
    JSON.stringify([kind, namespace, name]);
  const known = new Set(other.workloads.map(idOf));
  const workloads = one.workloads.filter((each) => !known.has(idOf(each)));
  return {
    ...summed(workloads),
    mayBeMore: one.mayBeMore,
    possible: Math.max(one.possible - other.possible, 0),
  };
}

/** Whether a selector takes a namespace; undefined: that hangs on labels that no manifest shows. */
export function selectsNamespace(
  selector: LabelSelector | undefined,
  namespace: string | undefined,
  { namespaces }: GitPods,
): boolean | undefined {
  if (selector === undefined) return true;
  const known = namespace === undefined ? undefined : namespaces.get(namespace);
  if (known !== undefined) return selectorPredicate(selector)(known);
  const { matchLabels = {}, matchExpressions = [] } = selector;
  const keys = [...Object.keys(matchLabels), ...matchExpressions.map(({ key }) => key)];
  if (namespace === undefined || keys.some((key) => key !== NAMESPACE_NAME_LABEL)) return undefined;
  return selectorPredicate(selector)({ [NAMESPACE_NAME_LABEL]: namespace });
}
