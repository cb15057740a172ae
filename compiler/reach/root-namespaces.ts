import type { KruiseConfig } from '../../schemas/generated/types/config.ts';
import { NAMESPACE_NAME_LABEL } from '../../semantics/values/namespace-label.ts';
import { objectOf } from '../../semantics/values/read.ts';
import type { LabelSelector } from '../../semantics/values/selector.ts';
import { diagnostic, hasErrors } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Manifest } from '../load/manifest.ts';
import { fieldsOfOtherVersions, schemaOf } from '../validate/known-fields.ts';
import { type Locate, valueAt } from '../validate/schema-errors.ts';
import { validateManifest } from '../validate/validate.ts';
import { podSelection } from './reach.ts';

/** The problems of a manifest of a root, by itself. What is invalid reaches nothing. */
export function validateInRoot(
  manifest: Manifest,
  images: NonNullable<KruiseConfig['images']>,
  allowed: readonly string[] | undefined,
  locate: Locate,
): Diagnostic[] {
  const own = validateManifest(manifest, images, locate);
  return hasErrors(own) ? own : [...own, ...rootNamespaceRules(manifest, allowed, locate)];
}

/**
 * An error for a manifest that reaches beyond the namespaces of its root: it is in another one, or selects pods there. One that
 * names no namespace gets that of its folder or engine, which git does not show.
 *
 * @param allowed undefined: the root allows every namespace, or there is none
 */
function rootNamespaceRules(
  manifest: Manifest,
  allowed: readonly string[] | undefined,
  locate: Locate,
): Diagnostic[] {
  if (allowed === undefined) return [];
  const { kind, name, namespace } = manifest;
  const report = (reaches: string, path: readonly string[], part: 'key' | 'value'): Diagnostic[] => [
    diagnostic('KR2198', { kind, name, reaches, allowed }, locate([...path], part)),
  ];
  if (namespace !== undefined && !allowed.includes(namespace))
    return report(`is in the namespace ${namespace}`, ['metadata', 'namespace'], 'value');
  const stored = withoutDropped(manifest);
  const selection = podSelection({ type: manifest.type, object: stored });
  if (selection === undefined) return [];
  const { namespaceSelector } = selection;
  if (namespaceSelector === undefined) return report('selects pods of every namespace', ['spec'], 'key');
  const field = valueAt(stored, ['spec', 'namespace']) === undefined ? 'namespaceSelector' : 'namespace';
  const named = namedBy(namespaceSelector);
  if (named === undefined) return report('selects namespaces by their labels', ['spec', field], 'key');
  const [beyond] = named.filter((each) => !allowed.includes(each));
  return beyond === undefined
    ? []
    : report(`selects pods of the namespace ${beyond}`, ['spec', field], 'key');
}

/** An object without the namespace that a definition of OpenKruise drops in this version (KR2112): it limits nothing there. */
function withoutDropped({ type, object }: Manifest): Manifest['object'] {
  const version = object.apiVersion.split('/')[1] ?? '';
  const dropped = fieldsOfOtherVersions(schemaOf(type.id).definition, object, version);
  if (!dropped.some(({ path }) => path.join('.') === 'spec.namespace')) return object;
  const { namespace: _namespace, ...spec } = objectOf(object['spec']);
  return { ...object, spec };
}

/** The namespaces that a selector names one by one; undefined: it may take others. Further terms only take away. */
function namedBy({ matchLabels, matchExpressions = [] }: LabelSelector): readonly string[] | undefined {
  const name = matchLabels?.[NAMESPACE_NAME_LABEL];
  if (name !== undefined) return [name];
  return matchExpressions.find(({ key, operator }) => key === NAMESPACE_NAME_LABEL && operator === 'In')
    ?.values;
}
