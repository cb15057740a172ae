import { NAMESPACE_NAME_LABEL } from '../../semantics/values/namespace-label.ts';
import type { CopyReach } from '../../semantics/kinds/standing-git.ts';
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
import { copiesOf } from './copies.ts';
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
  const own = validateStanding(manifest, locate);
  if (hasErrors(own) || allowed === undefined) return own;
  return [
    ...own,
    ...ownNamespaceRule(manifest, allowed, locate),
    ...copiedNamespaceRules(manifest, allowed, locate),
  ];
}

/** Errors for copies beyond the namespaces of a root, one for each field. One in a list stands for all of it. */
function copiedNamespaceRules(
  manifest: StandingManifest,
  allowed: readonly string[],
  locate: Locate,
): Diagnostic[] {
  const { kind, name } = manifest;
  const isAllowed = new Set(allowed);
  const seen = new Set<string>();
  return (copiesOf(manifest)?.reach ?? []).flatMap(({ path, of }) => {
    const reaches = copiesBeyond(of, isAllowed);
    const field = path[2] ?? '';
    if (reaches === undefined || seen.has(field)) return [];
    seen.add(field);
    const at = locate([...path], isNamed(of) ? 'value' : 'key');
    return [diagnostic('KR2198', { kind, name, reaches, allowed }, at)];
  });
}

function isNamed(of: CopyReach['of']): of is readonly [string] {
  return Array.isArray(of);
}

/** What is reached that the root does not have. What it excludes does not matter: other namespaces may come. */
function copiesBeyond(of: CopyReach['of'], isAllowed: ReadonlySet<string>): string | undefined {
  if (of === 'every') return 'copies into every namespace';
  const named = isNamed(of) ? of : namedBy(of);
  if (named === undefined) return 'copies into namespaces by their labels';
  const beyond = named.find((each) => !isAllowed.has(each));
  return beyond === undefined ? undefined : `copies into the namespace ${beyond}`;
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
  const selection = podSelection({ ...manifest, object: stored });
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
