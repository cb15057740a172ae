import { NAMESPACE_NAME_LABEL } from '../../semantics/values/namespace-label.ts';
import type { LabelSelector } from '../../semantics/values/selector.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Manifest } from '../load/manifest.ts';
import { type Locate, valueAt } from '../validate/schema-errors.ts';
import { podSelection } from './reach.ts';

/**
 * An error for a manifest that reaches beyond the namespaces of its root: it is in another one, or selects pods there. One that
 * names no namespace gets that of its folder or engine, which git does not show.
 *
 * @param allowed undefined: the root allows every namespace, or there is none
 */
export function rootNamespaceRules(
  manifest: Manifest,
  allowed: readonly string[] | undefined,
  locate: Locate,
): Diagnostic[] {
  if (allowed === undefined) return [];
  const { kind, name, namespace, object } = manifest;
  const report = (reaches: string, path: readonly string[], part: 'key' | 'value'): Diagnostic[] => [
    diagnostic('KR2198', { kind, name, reaches, allowed }, locate([...path], part)),
  ];
  if (namespace !== undefined && !allowed.includes(namespace))
    return report(`is in the namespace ${namespace}`, ['metadata', 'namespace'], 'value');
  const selection = podSelection(manifest);
  if (selection === undefined) return [];
  const { namespaceSelector } = selection;
  if (namespaceSelector === undefined) return report('selects pods of every namespace', ['spec'], 'key');
  const field = valueAt(object, ['spec', 'namespace']) === undefined ? 'namespaceSelector' : 'namespace';
  const named = namedBy(namespaceSelector);
  if (named === undefined) return report('selects namespaces by their labels', ['spec', field], 'key');
  const [beyond] = named.filter((each) => !allowed.includes(each));
  return beyond === undefined
    ? []
    : report(`selects pods of the namespace ${beyond}`, ['spec', field], 'key');
}

/** The namespaces that a selector names one by one; undefined: it may take others. Further terms only take away. */
function namedBy({ matchLabels, matchExpressions = [] }: LabelSelector): readonly string[] | undefined {
  const name = matchLabels?.[NAMESPACE_NAME_LABEL];
  if (name !== undefined) return [name];
  return matchExpressions.find(({ key, operator }) => key === NAMESPACE_NAME_LABEL && operator === 'In')
    ?.values;
}
