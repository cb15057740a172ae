import { NAMESPACE_NAME_LABEL } from '../../semantics/values/namespace-label.ts';
import { objectOf } from '../../semantics/values/read.ts';
import type { LabelSelector } from '../../semantics/values/selector.ts';
import { diagnostic, hasErrors } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import type { Manifest, ManifestOf, StandingManifest } from '../load/manifest.ts';
import { fieldsOfOtherVersions, schemaOf } from '../validate/known-fields.ts';
import { type Locate, valueAt } from '../validate/schema-errors.ts';
import { validateStanding } from '../validate/standing-rules.ts';
import { type ManifestSettings, validateManifest } from '../validate/validate.ts';
import { podSelection } from './reach.ts';

/** The problems of a manifest of a root, by itself. What is invalid reaches nothing. */
export function validateInRoot(
  manifest: Manifest,
  settings: ManifestSettings,
  allowed: readonly string[] | undefined,
  locate: Locate,
): Diagnostic[] {
  const own = validateManifest(manifest, settings, locate);
  return hasErrors(own) ? own : [...own, ...rootNamespaceRules(manifest, allowed, locate)];
}

/** The same of a manifest that is reconciled at once. */
export function validateStandingInRoot(
  manifest: StandingManifest,
  allowed: readonly string[] | undefined,
  locate: Locate,
): Diagnostic[] {
  return [...validateStanding(manifest, locate), ...ownNamespaceRule(manifest, allowed, locate)];
}

/** An error for a manifest of a namespace that its root does not have. */
function ownNamespaceRule(
  { kind, name, namespace }: ManifestOf<Kind>,
  allowed: readonly string[] | undefined,
  locate: Locate,
): Diagnostic[] {
  if (allowed === undefined || namespace === undefined || allowed.includes(namespace)) return [];
  const reaches = `is in the namespace ${namespace}`;
  return [diagnostic('KR2198', { kind, name, reaches, allowed }, locate(['metadata', 'namespace'], 'value'))];
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
  const { kind, name } = manifest;
  const report = (reaches: string, path: readonly string[]): Diagnostic[] => [
    diagnostic('KR2198', { kind, name, reaches, allowed }, locate([...path], 'key')),
  ];
  const ofOther = ownNamespaceRule(manifest, allowed, locate);
  if (ofOther.length > 0) return ofOther;
  const stored = withoutDropped(manifest);
  const selection = podSelection({ type: manifest.type, object: stored });
  if (selection === undefined) return [];
  const { namespaceSelector } = selection;
  if (namespaceSelector === undefined) return report('selects pods of every namespace', ['spec']);
  const field = valueAt(stored, ['spec', 'namespace']) === undefined ? 'namespaceSelector' : 'namespace';
  const named = namedBy(namespaceSelector);
  if (named === undefined) return report('selects namespaces by their labels', ['spec', field]);
  const [beyond] = named.filter((each) => !allowed.includes(each));
  return beyond === undefined ? [] : report(`selects pods of the namespace ${beyond}`, ['spec', field]);
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
