import { podInjectorOf } from '../../semantics/registry/pod-injectors.ts';
import type { PodInjector } from '../../semantics/kinds/pod-injector.ts';
import { type SecurityLevel, securityBreaches } from '../../semantics/pod/pod-security.ts';
import { NAMESPACE_NAME_LABEL } from '../../semantics/values/namespace-label.ts';
import { selectorPredicate } from '../../semantics/values/selector.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { GitPods } from '../load/git-pods.ts';
import type { Locator } from '../load/locate.ts';
import type { Manifest } from '../load/manifest.ts';
import { byText } from '../text/order.ts';
import { type Locate, valueAt } from '../validate/schema-errors.ts';
import { locateIn } from '../validate/validate.ts';
import { type PodSelection, podSelection, reachOf } from './reach.ts';
import { selectsNothing } from './selects-nothing.ts';

const ENFORCE_LABEL = 'pod-security.kubernetes.io/enforce';
const LEVELS: readonly SecurityLevel[] = ['baseline', 'restricted'];

/**
 * Warnings about the pods that a valid target selects among those of other owners.
 *
 * @param git the pods at head; undefined: not all of them are known
 * @param everywhere with those of all other roots of the run
 */
export function reachRules(
  manifest: Manifest,
  git: GitPods | undefined,
  everywhere: GitPods | undefined,
  locator: Locator,
): Diagnostic[] {
  const locate = locateIn(manifest, locator);
  const selection = podSelection(manifest);
  if (selection === undefined) return [];
  const injector = podInjectorOf(manifest.type.id);
  const path = manifest.type.git.fieldPath(manifest.object, 'selector');
  return [
    ...(everywhere === undefined ? [] : selectsNothing(manifest, path, selection, everywhere, locator)),
    ...(injector === undefined ? [] : exemptNamespaces(manifest, injector, selection, locate)),
    ...(injector === undefined || git === undefined
      ? []
      : refusedPods(manifest, injector, selection, git, locate)),
  ];
}

/** Those that the selector of namespaces names one by one. One that takes them among others is no choice. */
function exemptNamespaces(
  { kind, name, object }: Manifest,
  { exempt }: PodInjector,
  { namespaceSelector }: PodSelection,
  locate: Locate,
): Diagnostic[] {
  const { matchLabels, matchExpressions = [] } = namespaceSelector ?? {};
  const named = new Set([
    matchLabels?.[NAMESPACE_NAME_LABEL],
    ...matchExpressions.flatMap(({ key, operator, values = [] }) =>
      key === NAMESPACE_NAME_LABEL && operator === 'In' ? values : [],
    ),
  ]);
  const namespaces = exempt.filter((each) => named.has(each));
  if (namespaces.length === 0) return [];
  const field = valueAt(object, ['spec', 'namespace']) === undefined ? 'namespaceSelector' : 'namespace';
  return [diagnostic('KR2195', { kind, name, namespaces }, locate(['spec', field], 'key'))];
}

/** Namespaces whose Pod Security level refuses a pod with what is injected. */
function refusedPods(
  { object }: Manifest,
  injector: PodInjector,
  selection: PodSelection,
  git: GitPods,
  locate: Locate,
): Diagnostic[] {
  const inLevel = namespacesByLevel(selection, git, injector.exempt);
  if (inLevel.size === 0) return [];
  return securityBreaches(injector.podOf(object)).flatMap(({ path, what, reasons }) => {
    // What stands for the containers of the pod is not in the object.
    if (valueAt(object, path) === undefined) return [];
    return [...inLevel].flatMap(([level, namespaces]) => {
      const why = level === 'restricted' ? [...reasons.baseline, ...reasons.restricted] : reasons.baseline;
      if (why.length === 0) return [];
      return [
        diagnostic('KR2194', { what, level, namespaces, reasons: why }, locate([...path, 'name'], 'value')),
      ];
    });
  });
}

/** The selected namespaces, sorted. Where a target selects namespaces by nothing, only those of workloads that it selects. */
function namespacesByLevel(
  selection: PodSelection,
  git: GitPods,
  exempt: readonly string[],
): Map<SecurityLevel, string[]> {
  const { namespaceSelector } = selection;
  const used = new Set(reachOf(selection, git).workloads.map(({ namespace }) => namespace));
  const matches = selectorPredicate(namespaceSelector);
  const found = new Map<SecurityLevel, string[]>();
  for (const [name, labels] of [...git.namespaces].sort(([a], [b]) => byText(a, b))) {
    const level = LEVELS.find((each) => each === labels[ENFORCE_LABEL]);
    const isSelected = namespaceSelector === undefined ? used.has(name) : matches(labels);
    if (level === undefined || !isSelected || exempt.includes(name)) continue;
    found.set(level, [...(found.get(level) ?? []), name]);
  }
  return found;
}
