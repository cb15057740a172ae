import type { KubeObject } from '../../schemas/wire/object.ts';
import { ownPolicy } from '../../semantics/policy.ts';
import { PROTECTION_LABEL, protectionOf } from '../../semantics/protection/label.ts';
import { canonicalTemplate } from '../../semantics/template/canonical.ts';
import type { ClassifiedField } from '../../semantics/template/classify.ts';
import { templateChanges } from '../../semantics/template/changes.ts';
import { canonicalJson, contentHash } from '../../semantics/values/canonical-json.ts';
import { isObject } from '../../semantics/values/json-shape.ts';
import type { ChangeAtOnce } from '../plan/at-once.ts';
import { boundOf } from '../plan/bound.ts';
import type { Change } from '../plan/change.ts';
import type { SettingChange } from '../plan/settings.ts';
import type { Target } from '../plan/target.ts';

/**
 * Identifies what a change has beyond what its group shows: values that differ, and all of a new target. A group has changes of one
 * content: what this does not compare must be harmless.
 *
 * @param settings what changes beside the template, the number of replicas and the bound
 */
export function contentOf(
  { name, base, head, classification }: Change,
  settings: readonly SettingChange[],
): string {
  if (head === undefined) return '';
  if (base === undefined) return contentHash(stateOf(head, name));
  const isShown = classification?.fields.every(showsBoth) === true && classification.fields.length > 0;
  return contentHash([
    isShown ? [] : templateValues(base, head, name),
    settings.map((setting) => [setting.name, pairOf(setting.values, name)]),
    [base, head].map(({ normal }) => boundOf(normal)),
  ]);
}

/** A longer value may be cut in a field, which has at most 1,024 bytes of it. */
const MOST_SHOWN = 340;

/** Whether a field has all of both values, so that its group shows them. */
function showsBoth({ change, from, to }: ClassifiedField): boolean {
  return change === undefined && isWhole(from) && isWhole(to);
}

function isWhole(value: string | number | undefined): boolean {
  return value !== undefined && String(value).length < MOST_SHOWN;
}

/** What a new target has beside its number of replicas. */
function stateOf({ manifest, normal }: Target, name: string): unknown[] {
  const settings = normal
    .settings()
    .map((setting) => [setting.name, setting.value === name ? OWN_NAME : withoutName(setting.value, name)]);
  const template = withoutName(canonicalTemplate(normal.template), name);
  return [
    template,
    settings,
    boundOf(normal),
    ownPolicy(manifest.object),
    protectionOf(manifest.object) ?? null,
  ];
}

/** The values that differ in the templates. A group shows only those that cannot be secret. */
function templateValues(base: Target, head: Target, name: string): unknown[] {
  if (base.hash === head.hash) return [];
  const before = canonicalTemplate(base.normal.template);
  return templateChanges(before, canonicalTemplate(head.normal.template)).map(
    ({ segments, kind, from, to }) => {
      const [parent, own] = segments.slice(-2).map((segment) => segment.name);
      return [segments, kind, ...pairOf([from, to], name, own, parent)];
    },
  );
}

/** The same for an object that is reconciled at once. */
export function contentAtOnce(change: ChangeAtOnce): string {
  const { object, name } = change.manifest;
  switch (change.action) {
    case 'Delete':
      return '';
    case 'Create':
      return contentHash(withoutName(wanted(object), name));
    case 'Update':
      return contentHash(differences(wanted(change.before.object), wanted(object), name));
  }
}

/** What an object wants: who wrote it and when is no part of that. */
function wanted(object: KubeObject): object {
  const { apiVersion: _v, kind: _k, metadata: _m, status: _s, ...fields } = object;
  return { ...fields, [PROTECTION_LABEL]: protectionOf(object) ?? null };
}

/** The values that differ, by the fields that have them. Of lists that differ it is the whole lists. */
function differences(before: unknown, after: unknown, name: string, field = '', parent = ''): unknown {
  if (!isObject(before) || !isObject(after)) return pairOf([before, after], name, field, parent);
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return fields
    .filter((each) => canonicalJson(before[each]) !== canonicalJson(after[each]))
    .map((each) => [each, differences(before[each], after[each], name, each, field)]);
}

function pairOf(values: readonly unknown[], name: string, field = '', parent = ''): unknown[] {
  return values.map((value) => withoutName(value, name, field, parent) ?? null);
}

/** Fields whose members are labels. */
const LABELS: ReadonlySet<string> = new Set(['labels', 'matchLabels']);

/** In place of a name, which has no such form. */
const OWN_NAME = { of: 'the target' };

/**
 * A value without what follows from the name of its target: names, and values of labels, that equal it.
 *
 * @param field the field that has the value, and `parent` the one that has that field
 */
function withoutName(value: unknown, name: string, field = '', parent = ''): unknown {
  if (value === name && (field === 'name' || LABELS.has(parent))) return OWN_NAME;
  if (Array.isArray(value)) return value.map((each) => withoutName(each, name));
  if (!isObject(value)) return value;
  const members = Object.entries(value);
  return Object.fromEntries(members.map(([key, each]) => [key, withoutName(each, name, key, field)]));
}
