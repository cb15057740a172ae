import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Need } from '../../semantics/kinds/need.ts';
import { selectorPredicate } from '../../semantics/values/selector.ts';
import type { Reflector } from './reflector.ts';
import type { Selected } from './selected.ts';
import type { TargetKey } from './target-key.ts';

/** The needs of a target, with the names of the namespaces whose labels match now. */
export function withNamespaces(needs: readonly Need[], namespaces: Pick<Reflector, 'values'>): Need[] {
  return needs.map((need) => {
    if (need.of !== 'SelectedPods' || need.namespaceSelector === undefined) return need;
    const matches = selectorPredicate(need.namespaceSelector);
    const fitting = [...namespaces.values()].filter(({ metadata }) => matches(metadata.labels));
    return { ...need, namespaces: fitting.map(({ metadata }) => metadata.name).sort() };
  });
}

/** The namespace of a target, or those of the pods that a cluster-scoped target selects. */
export function namespacesOf(
  key: TargetKey,
  selected: Pick<Selected, 'has' | 'namespacesOf'>,
  namespaces: Pick<Reflector, 'values' | 'get'>,
): readonly KubeObject[] {
  const named = (name: string): readonly KubeObject[] => {
    const found = namespaces.get(name);
    return found === undefined ? [] : [found];
  };
  if (key.namespace !== '') return named(key.namespace);
  if (!selected.has(key)) return [];
  return selected.namespacesOf(key)?.flatMap(named) ?? [...namespaces.values()];
}
