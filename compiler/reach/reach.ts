import { NAMESPACE_NAME_LABEL } from '../../semantics/values/namespace-label.ts';
import {
  type LabelSelector,
  selectorPredicate,
  wellFormedSelector,
} from '../../semantics/values/selector.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import { isSameWorkload, type PodWorkload } from '../../semantics/pod/workload.ts';
import type { GitPods, GitWorkload } from '../load/git-pods.ts';
import type { ManifestOf } from '../load/manifest.ts';
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

/** What an object selects pods by. */
export interface PodSelection {
  selector: LabelSelector;
  /** Undefined: pods of any workload. */
  workload: PodWorkload | undefined;
  /** Undefined: every namespace. */
  namespaceSelector: LabelSelector | undefined;
  /** The only namespace; undefined: those of the selector. `name` is undefined where the manifest names none. */
  own: { name: string | undefined } | undefined;
}

/** How an object selects pods of other owners; undefined: it does not. */
export function podSelection({
  type,
  object,
  namespace,
}: Pick<ManifestOf<Kind>, 'type' | 'object' | 'namespace'>): PodSelection | undefined {
  const need = type.needs(object, [], []).find(({ of }) => of === 'SelectedPods');
  if (need?.of !== 'SelectedPods' || need.namespaces !== undefined) return undefined;
  const { selector, namespaceSelector, workload } = need;
  return {
    selector: wellFormedSelector(selector) ?? {},
    workload,
    namespaceSelector: namespaceSelector && (wellFormedSelector(namespaceSelector) ?? {}),
    own: type.resource.namespaced ? { name: namespace } : undefined,
  };
}

/**
 * The workloads of a state whose pods a target selects.
 *
 * @param within only those whose pods one of these selects, too
 */
export function reachOf(
  selection: PodSelection,
  git: GitPods,
  within: readonly LabelSelector[] = [{}],
): Reach {
  const selects = selecting(selection, git, within);
  const asked = git.workloads.map((workload) => ({ workload, isSelected: selects(workload) }));
  const selected = asked.flatMap(({ workload, isSelected }) => (isSelected === true ? [workload] : []));
  const workloads = selected
    .map(({ kind, namespace, name, pods = 1 }) => ({ kind, namespace, name, pods }))
    .sort(
      (a, b) =>
        byText(a.namespace ?? '', b.namespace ?? '') || byText(a.kind, b.kind) || byText(a.name, b.name),
    );
  return {
    ...summed(workloads),
    mayBeMore: selected.some(({ kind, pods }) => pods === undefined && kind !== 'Pod'),
    possible: asked.filter(({ isSelected }) => isSelected === undefined).length,
  };
}

/**
 * Whether a selection takes a workload of a state, or may take it.
 *
 * @param mayGet keys of labels that pods may get which their template has not
 */
export function selectsAny(
  selection: PodSelection,
  git: GitPods,
  mayGet: (key: string) => boolean = () => false,
): boolean {
  const unsure = keysOf(selection.selector).filter(mayGet);
  const selects = selecting(selection, git, [{}]);
  const rest = selecting({ ...selection, selector: without(selection.selector, unsure) }, git, [{}]);
  const lacks = ({ templates }: GitWorkload): boolean =>
    templates.some(({ labels }) => unsure.some((key) => !Object.hasOwn(labels, key)));
  return git.workloads.some(
    (workload) =>
      selects(workload) !== false || (unsure.length > 0 && lacks(workload) && rest(workload) !== false),
  );
}

function keysOf({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string[] {
  return [...Object.keys(matchLabels), ...matchExpressions.map(({ key }) => key)];
}

/** A selector without what it says of these keys. */
function without({ matchLabels = {}, matchExpressions = [] }: LabelSelector, keys: string[]): LabelSelector {
  return {
    matchLabels: Object.fromEntries(Object.entries(matchLabels).filter(([key]) => !keys.includes(key))),
    matchExpressions: matchExpressions.filter(({ key }) => !keys.includes(key)),
  };
}

/** Whether a selection takes pods of a workload; undefined: that hangs on what no manifest shows. */
function selecting(
  selection: PodSelection,
  git: GitPods,
  within: readonly LabelSelector[],
): (workload: GitWorkload) => boolean | undefined {
  const isSelected = selectorPredicate(selection.selector);
  const tests = within.map((each) => selectorPredicate(each));
  return (workload) => {
    const isWanted = isOf(selection.workload, workload);
    if (isWanted === false) return false;
    const hasLabels = workload.templates.some(
      ({ labels }) => isSelected(labels) && tests.some((test) => test(labels)),
    );
    if (!hasLabels) return false;
    return both(selectsNamespace(selection, workload.namespace, git), isWanted);
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

/** Undefined: one is not known, and the other does not say no. */
function both(one: boolean | undefined, other: boolean | undefined): boolean | undefined {
  if (one === false || other === false) return false;
  return one === undefined || other === undefined ? undefined : true;
}

/** Whether a workload in git is the wanted one; undefined: that may be one of its children, which have its name and more. */
function isOf(wanted: PodWorkload | undefined, { group, kind, name }: GitWorkload): boolean | undefined {
  if (wanted === undefined || isSameWorkload(wanted, { group, kind, name })) return true;
  return wanted.name.startsWith(`${name}-`) ? undefined : false;
}

/** Whether a selection takes a namespace; undefined: that hangs on labels, or a namespace, that no manifest shows. */
export function selectsNamespace(
  { namespaceSelector: selector, own }: PodSelection,
  namespace: string | undefined,
  { namespaces }: GitPods,
): boolean | undefined {
  if (own !== undefined && own.name !== namespace)
    return own.name === undefined || namespace === undefined ? undefined : false;
  if (selector === undefined) return true;
  const known = namespace === undefined ? undefined : namespaces.get(namespace);
  if (known !== undefined) return selectorPredicate(selector)(known);
  if (namespace === undefined || keysOf(selector).some((key) => key !== NAMESPACE_NAME_LABEL))
    return undefined;
  return selectorPredicate(selector)({ [NAMESPACE_NAME_LABEL]: namespace });
}
