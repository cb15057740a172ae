import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { type TemplateUse, reservedKeys } from './reserved-keys.ts';
import { isInstanceIdLabel, REVISION_LABEL, SHORT_HASH_LABEL } from './types.ts';

/**
 * Reserved keys, with their values, that objects got from a template.
 *
 * The rules act on a reserved key of a pod only if OpenKruise or this runtime wrote it, not if it came from the template. This
 * runtime never copies reserved keys from a template (`carriedOver`, `carriedChange`); OpenKruise copies all keys. So a key
 * that has the same value in the template of any recorded revision is ignored. All revisions count, because an update keeps
 * keys that are the same in both templates.
 *
 * Exceptions are the keys that every controller sets itself, whatever the template has: the revision, and the id that the name
 * of the pod ends with.
 */
export type TemplateMetadata = ReadonlySet<string>;

const known = new WeakMap<JsonObject, TemplateMetadata>();

/** The reserved keys of each template that has any; few have. Observed templates are immutable. */
export function metadataFromTemplates(
  templates: readonly JsonObject[],
  use: TemplateUse,
): TemplateMetadata[] {
  return templates.map((template) => metadataFrom(template, use)).filter((given) => given.size > 0);
}

function metadataFrom(template: JsonObject, use: TemplateUse): TemplateMetadata {
  const before = known.get(template);
  if (before !== undefined) return before;
  const metadata = (template['metadata'] ?? {}) as Record<string, Record<string, unknown> | undefined>;
  const given = new Set(
    reservedKeys(template, use).flatMap(({ section, key }) => {
      const value = section === 'finalizers' ? undefined : metadata[section]?.[key];
      return typeof value === 'string' ? [entry(section, key, value)] : [];
    }),
  );
  known.set(template, given);
  return given;
}

/** One key and value as a text. It is unambiguous, as a valid key contains neither a space nor an equals sign. */
function entry(section: string, key: string, value: string): string {
  return `${section} ${key}=${value}`;
}

/** Cached by object: observed objects are immutable. */
const stripped = new WeakMap<KubeObject, { givens: readonly TemplateMetadata[]; without: KubeObject }>();

/** The object without the reserved keys that it got from a template. */
export function withoutTemplateMetadata<Kind extends KubeObject>(
  object: Kind,
  givens: readonly TemplateMetadata[],
): Kind {
  if (givens.length === 0) return object;
  const before = stripped.get(object);
  if (before?.givens.length === givens.length && before.givens.every((each, i) => each === givens[i]))
    return before.without as Kind;
  const { labels, annotations } = object.metadata;
  const own = {
    ...(labels && { labels: ownOf(object, 'labels', labels, givens) }),
    ...(annotations && { annotations: ownOf(object, 'annotations', annotations, givens) }),
  };
  const without = { ...object, metadata: { ...object.metadata, ...own } };
  stripped.set(object, { givens, without });
  return without;
}

function ownOf(
  { metadata: { name } }: KubeObject,
  section: 'labels' | 'annotations',
  texts: Readonly<Record<string, string>>,
  givens: readonly TemplateMetadata[],
): Record<string, string> {
  const isOwn = ([key, value]: [string, string]): boolean =>
    key === REVISION_LABEL ||
    key === SHORT_HASH_LABEL ||
    (isInstanceIdLabel(key) && name.endsWith(`-${value}`)) ||
    !isFromTemplate(givens, section, key, value);
  return Object.fromEntries(Object.entries(texts).filter(isOwn));
}

/** Whether one of the templates has this key with this value. */
export function isFromTemplate(
  givens: readonly TemplateMetadata[],
  section: 'labels' | 'annotations',
  key: string,
  value: string,
): boolean {
  const text = entry(section, key, value);
  return givens.some((given) => given.has(text));
}
